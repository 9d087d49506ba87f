/**
 * Settings to paste, client by client. Each names the gateway and the service key, and shows labels, project and run if that
 * client can send custom headers.
 */
interface Place {
  /** Without a trailing slash. */
  readonly gatewayUrl: string;
  readonly key: string;
}

interface ClientSettings {
  readonly id: string;
  readonly name: string;
  readonly group: 'Try it' | 'OpenAI SDK' | 'Anthropic SDK' | 'Coding agents' | 'Frameworks';
  readonly code: (place: Place) => string;
  readonly note?: string;
}

const tags = 'checkout,summaries';
const aiSdkImports = ["import { createOpenAI } from '@ai-sdk/openai';", "import { createAnthropic } from '@ai-sdk/anthropic';"].join('\n');

export const clientSettings: readonly ClientSettings[] = [
  {
    id: 'curl',
    name: 'curl',
    group: 'Try it',
    code: ({ gatewayUrl, key }) => `curl "${gatewayUrl}/v1/chat/completions" \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -H "x-svc-project: my-project" \\
  -H "x-svc-tags: ${tags}" \\
  -d '{"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Say hello"}]}'`,
  },
  {
    id: 'openai-typescript',
    name: 'TypeScript',
    group: 'OpenAI SDK',
    note: 'Or without a change of code: set OPENAI_BASE_URL and OPENAI_API_KEY.',
    code: ({ gatewayUrl, key }) => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${gatewayUrl}/v1',
  apiKey: '${key}',
  defaultHeaders: { 'x-svc-project': 'my-project', 'x-svc-tags': '${tags}' },
});

// A run with a budget, for one agent's work:
const answer = await client.chat.completions.create(
  { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Say hello' }] },
  { headers: { 'x-svc-run-id': 'run-1', 'x-svc-run-budget': '2.50', 'x-svc-run-ttl': '3600' } },
);`,
  },
  {
    id: 'openai-python',
    name: 'Python',
    group: 'OpenAI SDK',
    note: 'Or without a change of code: set OPENAI_BASE_URL and OPENAI_API_KEY.',
    code: ({ gatewayUrl, key }) => `from openai import OpenAI

client = OpenAI(
    base_url="${gatewayUrl}/v1",
    api_key="${key}",
    default_headers={"x-svc-project": "my-project", "x-svc-tags": "${tags}"},
)

# A run with a budget, for one agent's work:
answer = client.chat.completions.create(
    model="gpt-5-mini",
    messages=[{"role": "user", "content": "Say hello"}],
    extra_headers={"x-svc-run-id": "run-1", "x-svc-run-budget": "2.50", "x-svc-run-ttl": "3600"},
)`,
  },
  {
    id: 'openai-go',
    name: 'Go',
    group: 'OpenAI SDK',
    code: ({ gatewayUrl, key }) => `client := openai.NewClient(
	option.WithBaseURL("${gatewayUrl}/v1/"),
	option.WithAPIKey("${key}"),
	option.WithHeader("x-svc-project", "my-project"),
	option.WithHeader("x-svc-tags", "${tags}"),
)`,
  },
  {
    id: 'openai-java',
    name: 'Java',
    group: 'OpenAI SDK',
    code: ({ gatewayUrl, key }) => `OpenAIClient client = OpenAIOkHttpClient.builder()
    .baseUrl("${gatewayUrl}/v1")
    .apiKey("${key}")
    .putHeader("x-svc-project", "my-project")
    .putHeader("x-svc-tags", "${tags}")
    .build();`,
  },
  {
    id: 'anthropic-typescript',
    name: 'TypeScript',
    group: 'Anthropic SDK',
    note: 'Or without a change of code: set ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY. With /alt, files and models reach Anthropic too.',
    code: ({ gatewayUrl, key }) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: '${gatewayUrl}/alt',
  apiKey: '${key}',
  defaultHeaders: { 'x-svc-project': 'my-project', 'x-svc-tags': '${tags}' },
});`,
  },
  {
    id: 'anthropic-python',
    name: 'Python',
    group: 'Anthropic SDK',
    note: 'Or without a change of code: set ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY. With /alt, files and models reach Anthropic too.',
    code: ({ gatewayUrl, key }) => `from anthropic import Anthropic

client = Anthropic(
    base_url="${gatewayUrl}/alt",
    api_key="${key}",
    default_headers={"x-svc-project": "my-project", "x-svc-tags": "${tags}"},
)`,
  },
  {
    id: 'anthropic-go',
    name: 'Go',
    group: 'Anthropic SDK',
    code: ({ gatewayUrl, key }) => `client := anthropic.NewClient(
	option.WithBaseURL("${gatewayUrl}/alt/"),
	option.WithAPIKey("${key}"),
	option.WithHeader("x-svc-project", "my-project"),
	option.WithHeader("x-svc-tags", "${tags}"),
)`,
  },
  {
    id: 'anthropic-java',
    name: 'Java',
    group: 'Anthropic SDK',
    code: ({ gatewayUrl, key }) => `AnthropicClient client = AnthropicOkHttpClient.builder()
    .baseUrl("${gatewayUrl}/alt")
    .apiKey("${key}")
    .putHeader("x-svc-project", "my-project")
    .putHeader("x-svc-tags", "${tags}")
    .build();`,
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    group: 'Coding agents',
    note: 'Check with /status inside Claude Code. The list of models it offers is its own.',
    code: ({ gatewayUrl, key }) => `unset ANTHROPIC_API_KEY
export ANTHROPIC_BASE_URL="${gatewayUrl}/alt"
export ANTHROPIC_AUTH_TOKEN="${key}"
export ANTHROPIC_CUSTOM_HEADERS=$'x-svc-tags: claude-code\\nx-svc-project: my-project'
claude`,
  },
  {
    id: 'codex',
    name: 'Codex',
    group: 'Coding agents',
    note: 'Codex speaks WebSocket with the gateway; each of its turns is a call of its own.',
    code: ({ gatewayUrl, key }) => `# ~/.codex/config.toml
model_provider = "metergate"

[model_providers.metergate]
name = "Metergate"
base_url = "${gatewayUrl}/v1"
env_key = "METERGATE_KEY"
wire_api = "responses"
supports_websockets = true
http_headers = { "x-svc-tags" = "codex", "x-svc-project" = "my-project" }

# in the shell
export METERGATE_KEY="${key}"`,
  },
  {
    id: 'langchain',
    name: 'LangChain',
    group: 'Frameworks',
    code: ({ gatewayUrl, key }) => `from langchain_openai import ChatOpenAI
from langchain_anthropic import ChatAnthropic

headers = {"x-svc-project": "my-project", "x-svc-tags": "${tags}"}
gpt = ChatOpenAI(model="gpt-5-mini", base_url="${gatewayUrl}/v1", api_key="${key}", default_headers=headers)
claude = ChatAnthropic(model="claude-haiku-4-5", base_url="${gatewayUrl}/alt", api_key="${key}", default_headers=headers)`,
  },
  {
    id: 'vercel-ai-sdk',
    name: 'Vercel AI SDK',
    group: 'Frameworks',
    code: ({ gatewayUrl, key }) => `${aiSdkImports}

const headers = { 'x-svc-project': 'my-project', 'x-svc-tags': '${tags}' };
export const openai = createOpenAI({ baseURL: '${gatewayUrl}/v1', apiKey: '${key}', headers });
export const anthropic = createAnthropic({ baseURL: '${gatewayUrl}/alt/v1', apiKey: '${key}', headers });`,
  },
  {
    id: 'litellm',
    name: 'LiteLLM',
    group: 'Frameworks',
    code: ({ gatewayUrl, key }) => `import litellm

answer = litellm.completion(
    model="openai/gpt-5-mini",
    api_base="${gatewayUrl}/v1",
    api_key="${key}",
    messages=[{"role": "user", "content": "Say hello"}],
    extra_headers={"x-svc-project": "my-project", "x-svc-tags": "${tags}"},
)`,
  },
];
