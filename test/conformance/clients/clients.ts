/**
 * Clients of other providers, each run as a program of its own and led to a base URL with a key: packages of npm, Python's SDKs, agents. With what
 * their provider answers. `.ci/run` installs them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReceivedRequest, ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import * as answers from './answers.ts';

export interface Asking {
  readonly base: string;
  readonly key: string;
}

export interface InstalledClient {
  readonly name: string;
  /** Of the price list; absent: none is declared. */
  readonly provider?: string;
  /** `bearer` by default. */
  readonly auth?: string;
  /** Its model is in no list: the organization has a price for such. */
  readonly usesFallback?: boolean;
  /** It makes up requests of its own: only where they go is compared. */
  readonly isAgent?: boolean;
  readonly answer: (request: ReceivedRequest) => ScriptedAnswer;
  /** Null: it is installed. */
  readonly missing: string | null;
  /** What it shows; rejects with that if it fails. */
  readonly run: (asking: Asking) => Promise<string>;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const endedMs = 120_000;

async function ranOut(command: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'metergate-client-'));
  // With a base URL in its environment and no way to sign in chosen, Gemini CLI calls nothing.
  mkdirSync(join(home, '.gemini'));
  writeFileSync(join(home, '.gemini/settings.json'), '{"security":{"auth":{"selectedType":"gemini-api-key"}}}');
  const child = spawn(command[0]!, command.slice(1), {
    cwd: home, env: { PATH: process.env['PATH'], HOME: home, ...env }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => { stdout += text; });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { stderr += text; });
  const limit = setTimeout(() => child.kill('SIGKILL'), endedMs);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${stdout}\n${stderr}`);
    return stdout.trim();
  } finally {
    clearTimeout(limit);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

type How = Pick<InstalledClient, 'missing' | 'run'>;

function ofNpm(name: string): How {
  const script = fileURLToPath(new URL('packages.mjs', import.meta.url));
  return {
    missing: existsSync(join(root, '.venvs/providers-node/node_modules/groq-sdk')) ? null : 'the packages of npm',
    run: ({ base, key }) => ranOut([process.execPath, script, name], { BASE: base, KEY: key }),
  };
}

/** `BASE` and `KEY` are there. */
function ofPython(code: string): How {
  const program = join(root, '.venvs/current/bin/python');
  return {
    missing: existsSync(program) ? null : 'the packages of Python',
    run: ({ base, key }) => ranOut([program, '-c', `import os\nBASE, KEY = os.environ['BASE'], os.environ['KEY']\n${code}\n`], {
      BASE: base, KEY: key, PYTHONDONTWRITEBYTECODE: '1',
    }),
  };
}

function agent(
  program: string, args: readonly string[], settings: (asking: Asking) => Readonly<Record<string, string>>,
): How & { readonly isAgent: true } {
  return { isAgent: true, missing: existsSync(program) ? null : 'the agents', run: (asking) => ranOut([program, ...args], settings(asking)) };
}

const agents = join(root, '.venvs/login-node/node_modules');
const claudeCode = join(agents, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`);
const asked = "messages=[{'role': 'user', 'content': 'Name a river.'}]";
const google = "from google import genai\nclient = genai.Client(api_key=KEY, http_options={'base_url': BASE})\n";
const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };

const packages: readonly Omit<InstalledClient, 'missing' | 'run'>[] = [
  { name: 'groq-sdk', provider: 'groq', answer: answers.chat('llama-3.3-70b-versatile') },
  { name: 'groq-sdk, stream', provider: 'groq', answer: answers.groqStream },
  { name: 'cohere-ai', provider: 'cohere', answer: answers.cohere },
  { name: 'cohere-ai, stream', provider: 'cohere', answer: answers.cohereStream },
  { name: 'together-ai', provider: 'together', usesFallback: true, answer: answers.chat('meta-llama/Llama-3.3-70B-Instruct-Turbo') },
  { name: 'ollama', usesFallback: true, answer: answers.ollama },
  { name: 'ollama, stream', usesFallback: true, answer: answers.ollamaStream },
  { name: '@anthropic-ai/bedrock-sdk', provider: 'aws', answer: answers.message },
  { name: '@anthropic-ai/bedrock-sdk, stream', provider: 'aws', answer: answers.invokedStream },
  { name: '@anthropic-ai/vertex-sdk', provider: 'google', answer: answers.message },
  { name: '@anthropic-ai/vertex-sdk, stream', provider: 'google', answer: answers.messageStream },
  { name: 'AWS SDK, Converse', provider: 'aws', answer: answers.converse },
  { name: 'AWS SDK, ConverseStream', provider: 'aws', answer: answers.converseStream },
];

export const installedClients: readonly InstalledClient[] = [
  ...packages.map((each) => ({ ...each, ...ofNpm(each.name) })),
  {
    name: 'google-genai for Python', provider: 'google', auth: 'x-goog-api-key', answer: answers.gemini,
    ...ofPython(`${google}print(client.models.generate_content(model='gemini-2.5-flash', contents='Name a river.').text)`),
  },
  {
    name: 'google-genai for Python, stream', provider: 'google', auth: 'x-goog-api-key', answer: answers.gemini,
    ...ofPython(`${google}for e in client.models.generate_content_stream(model='gemini-2.5-flash', contents='Name a river.'): print(e.text)`),
  },
  {
    name: 'AzureOpenAI for Python', provider: 'azure', auth: 'api-key', answer: answers.chat('gpt-4o-2024-08-06'),
    ...ofPython("from openai import AzureOpenAI\nclient = AzureOpenAI(azure_endpoint=BASE, api_key=KEY, api_version='2024-10-21', max_retries=0)\n"
      + `print(client.chat.completions.create(model='mine', ${asked}).choices[0].message.content)`),
  },
  {
    name: 'groq for Python', provider: 'groq', answer: answers.chat('llama-3.3-70b-versatile'),
    ...ofPython('from groq import Groq\nclient = Groq(base_url=BASE, api_key=KEY, max_retries=0)\n'
      + `print(client.chat.completions.create(model='llama-3.3-70b-versatile', ${asked}).choices[0].message.content)`),
  },
  {
    name: 'mistralai for Python', provider: 'mistral', answer: answers.chat('mistral-small-latest'),
    ...ofPython('from mistralai.client import Mistral\nclient = Mistral(server_url=BASE, api_key=KEY)\n'
      + `print(client.chat.complete(model='mistral-small-latest', ${asked}).choices[0].message.content)`),
  },
  {
    name: 'Claude Code on Bedrock', provider: 'aws',
    answer: ({ target }) => (target.endsWith('invoke-with-response-stream') ? answers.invokedStream() : answers.message()),
    ...agent(claudeCode, ['-p', 'Name a river.'], ({ base, key }) => ({
      ...quiet, CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1', ANTHROPIC_BEDROCK_BASE_URL: base, AWS_REGION: 'us-east-1',
      ANTHROPIC_AUTH_TOKEN: key,
    })),
  },
  {
    name: 'Claude Code on Vertex', provider: 'google',
    answer: ({ target }) => (target.includes(':streamRawPredict') ? answers.messageStream() : answers.message()),
    ...agent(claudeCode, ['-p', 'Name a river.'], ({ base, key }) => ({
      ...quiet, CLAUDE_CODE_USE_VERTEX: '1', CLAUDE_CODE_SKIP_VERTEX_AUTH: '1', ANTHROPIC_VERTEX_BASE_URL: `${base}/v1`,
      ANTHROPIC_VERTEX_PROJECT_ID: 'p', CLOUD_ML_REGION: 'us-east5', ANTHROPIC_AUTH_TOKEN: key,
    })),
  },
  {
    name: 'Gemini CLI', provider: 'google', auth: 'x-goog-api-key', answer: answers.gemini,
    ...agent(join(agents, '.bin/gemini'), ['-m', 'gemini-2.5-flash', '--skip-trust', '-p', 'Name a river.'], ({ base, key }) => ({
      GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: key,
    })),
  },
];
