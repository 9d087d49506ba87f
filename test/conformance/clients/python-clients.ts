/** Clients for Python, each one call as its users write it. */
import { accessKey } from '../aws-signature.ts';
import * as answers from './answers.ts';
import { hasLitellmProxy, litellmProxy } from './litellm-proxy.ts';
import { ofPython, type Asking, type How, type InstalledClient } from './run-client.ts';
import { behindTls } from './tls-front.ts';

const asked = "messages=[{'role': 'user', 'content': 'Name a river.'}]";
const google = "from google import genai\nclient = genai.Client(api_key=KEY, http_options={'base_url': BASE})\n";
/** The key in the place of the token that it would fetch. */
const vertex = 'from google import genai\nfrom google.oauth2.credentials import Credentials\nclient = genai.Client(vertexai=True, '
  + "project='p', location='us-east5', credentials=Credentials(token=KEY), http_options={'base_url': BASE})\n";
const gemini = { provider: 'google', auth: 'x-goog-api-key', answer: answers.gemini } as const;
/** The open format, at whatever base a provider has it. */
const openai = (base: string, model: string): How => ofPython(
  `from openai import OpenAI\nclient = OpenAI(base_url=f'{BASE}${base}', api_key=KEY, max_retries=0)\n`
  + `print(client.chat.completions.create(model='${model}', ${asked}).choices[0].message.content)`);
const cohere = 'import cohere\nclient = cohere.ClientV2(api_key=KEY, base_url=BASE)\n';
const inProviders = { environment: 'providers' } as const;
const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const conversed = `modelId='${claude}', messages=[{'role': 'user', 'content': [{'text': 'Name a river.'}]}]`;
const invoked = `modelId='${claude}', body=json.dumps({'anthropic_version': 'bedrock-2023-05-31', 'max_tokens': 50, ${asked.replace('messages=',
  "'messages': ")}})`;

/** Directly it signs by itself; to the gateway it shows the service key, which it does over TLS alone. */
function ofBoto(code: string): How {
  const setUp = 'import json, boto3\nfrom botocore.config import Config\n'
    + "client = boto3.client('bedrock-runtime', region_name='us-east-1', endpoint_url=BASE, config=Config(retries={'total_max_attempts': 1}))\n";
  const as = (env: Readonly<Record<string, string>>): How => ofPython(setUp + code, { environment: 'frameworks', env });
  const { accessKeyId, secretAccessKey } = accessKey;
  const signing = as({ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey });
  const showing = ({ base, key }: Asking): Promise<string> => behindTls(base, (front) =>
    as({ AWS_BEARER_TOKEN_BEDROCK: key, AWS_CA_BUNDLE: front.authority }).run({ base: front.base, key }));
  return { missing: signing.missing, run: (asking) => (asking.key.startsWith('svc_') ? showing(asking) : signing.run(asking)) };
}

const aws = { provider: 'aws', auth: 'aws-sigv4' } as const;

const inFrameworks = { environment: 'frameworks' } as const;
const litellm = (model: string, base: string): How => ofPython('import litellm\n'
  + `answer = litellm.completion(model='${model}', api_base=${base}, api_key=KEY, max_retries=0, ${asked})\n`
  + 'print(answer.choices[0].message.content)', inFrameworks);

export const pythonClients: readonly InstalledClient[] = [
  {
    name: 'google-genai for Python', ...gemini,
    ...ofPython(`${google}print(client.models.generate_content(model='gemini-2.5-flash', contents='Name a river.').text)`),
  },
  {
    name: 'google-genai for Python, stream', ...gemini,
    ...ofPython(`${google}for e in client.models.generate_content_stream(model='gemini-2.5-flash', contents='Name a river.'): print(e.text)`),
  },
  {
    name: 'google-genai for Python on Vertex', provider: 'google', answer: answers.gemini,
    ...ofPython(`${vertex}print(client.models.generate_content(model='gemini-2.5-flash', contents='Name a river.').text)`),
  },
  {
    name: 'AzureOpenAI for Python', provider: 'azure', auth: 'api-key', answer: answers.chat('gpt-4o-2024-08-06'),
    ...ofPython("from openai import AzureOpenAI\nclient = AzureOpenAI(azure_endpoint=BASE, api_key=KEY, api_version='2024-10-21', max_retries=0)\n"
      + `print(client.chat.completions.create(model='mine', ${asked}).choices[0].message.content)`),
  },
  { name: "openai for Python on Azure's v1 API", provider: 'azure', answer: answers.chat('gpt-4o-2024-08-06'), ...openai('/openai/v1', 'mine') },
  {
    name: "openai for Python on Gemini's compatible paths", provider: 'google', answer: answers.chat('gemini-2.5-flash'),
    ...openai('/v1beta/openai', 'gemini-2.5-flash'),
  },
  { name: 'openai for Python on vLLM', usesFallback: true, answer: answers.chat('Qwen/Qwen3-8B'), ...openai('/v1', 'Qwen/Qwen3-8B') },
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
    name: 'cohere for Python', provider: 'cohere', answer: answers.cohere,
    ...ofPython(`${cohere}print(client.chat(model='command-a-03-2025', ${asked}).message.content[0].text)`, inProviders),
  },
  {
    name: 'cohere for Python, stream', provider: 'cohere', answer: answers.cohereStream,
    ...ofPython(`${cohere}for e in client.chat_stream(model='command-a-03-2025', ${asked}):\n`
      + "  if e.type == 'content-delta': print(e.delta.message.content.text)", inProviders),
  },
  {
    name: 'fireworks-ai for Python', provider: 'fireworks', usesFallback: true, answer: answers.chat('accounts/fireworks/models/kimi-k2-instruct'),
    ...ofPython("from fireworks import Fireworks\nclient = Fireworks(api_key=KEY, base_url=BASE, max_retries=0)\n"
      + `answer = client.chat.completions.create(model='accounts/fireworks/models/kimi-k2-instruct', ${asked})\n`
      + 'print(answer.choices[0].message.content)', inProviders),
  },
  {
    name: 'boto3, Converse', ...aws, answer: answers.converse,
    ...ofBoto(`print(client.converse(${conversed})['output']['message']['content'][0]['text'])`),
  },
  {
    name: 'boto3, ConverseStream', ...aws, answer: answers.converseStream,
    ...ofBoto(`for e in client.converse_stream(${conversed})['stream']:\n`
      + "  if 'contentBlockDelta' in e: print(e['contentBlockDelta']['delta']['text'])"),
  },
  {
    name: 'boto3, InvokeModel', ...aws, answer: answers.message,
    ...ofBoto(`print(json.loads(client.invoke_model(${invoked})['body'].read())['content'][0]['text'])`),
  },
  {
    name: 'boto3, InvokeModelWithResponseStream', ...aws, answer: answers.invokedStream,
    ...ofBoto(`for e in client.invoke_model_with_response_stream(${invoked})['body']:\n`
      + "  event = json.loads(e['chunk']['bytes'])\n  if event['type'] == 'content_block_delta': print(event['delta']['text'])"),
  },
  {
    name: 'OpenAI Agents SDK for Python', provider: 'openai', answer: answers.responded,
    ...ofPython('from agents import Agent, Runner, set_tracing_disabled\nfrom agents.models.openai_provider import OpenAIProvider\n'
      + "from agents.run import RunConfig\nset_tracing_disabled(True)\nprovider = OpenAIProvider(api_key=KEY, base_url=f'{BASE}/v1')\n"
      + "result = Runner.run_sync(Agent(name='river', model='gpt-5.2'), 'Name a river.', run_config=RunConfig(model_provider=provider))\n"
      + 'print(result.final_output)', { environment: 'agents' }),
  },
  { name: 'LiteLLM before the gateway', provider: 'openai', answer: answers.chat('gpt-5.2'), ...litellm('openai/gpt-5.2', "f'{BASE}/v1'") },
  {
    name: 'LiteLLM before the gateway, Anthropic', provider: 'anthropic', auth: 'x-api-key', answer: answers.message,
    ...litellm('anthropic/claude-sonnet-4-5', 'BASE'),
  },
  {
    name: 'LiteLLM behind the gateway', provider: 'openai', answer: answers.chat('gpt-5.2'), between: litellmProxy,
    ...openai('/v1', 'gpt-5.2'), missing: hasLitellmProxy() ? null : "LiteLLM's proxy",
  },
];
