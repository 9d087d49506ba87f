/**
 * One call of one client of npm, as its users write it: `node packages.mjs CLIENT`, with `BASE` and `KEY` in the environment. It prints what the model
 * said, or what the client's error says. The packages are those of `package.json` beside it and the agents', where `.ci/run` installs them.
 */
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const load = (name, environment = 'providers-node') => {
  const place = fileURLToPath(new URL(`../../../.venvs/${environment}/package.json`, import.meta.url));
  return import(pathToFileURL(createRequire(place).resolve(name)).href);
};

const { BASE: base, KEY: key } = process.env;
const messages = [{ role: 'user', content: 'Name a river.' }];
const conversed = [{ role: 'user', content: [{ text: 'Name a river.' }] }];
const bedrockModel = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const vertexModel = 'claude-sonnet-4-5@20250929';
const llama = 'llama-3.3-70b-versatile';

async function textOf(stream, piece) {
  let text = '';
  for await (const event of stream) text += piece(event) ?? '';
  return text;
}

async function groq() {
  const { default: Groq } = await load('groq-sdk');
  return new Groq({ apiKey: key, baseURL: base, maxRetries: 0 });
}
async function cohere() {
  const { CohereClientV2 } = await load('cohere-ai');
  return new CohereClientV2({ token: key, environment: base });
}
async function ollama() {
  const { Ollama } = await load('ollama');
  return new Ollama({ host: base, headers: { authorization: `Bearer ${key}` } });
}
async function bedrock() {
  const { AnthropicBedrock } = await load('@anthropic-ai/bedrock-sdk');
  return new AnthropicBedrock({ baseURL: base, apiKey: key, awsRegion: 'us-east-1', maxRetries: 0 });
}
async function vertex() {
  const { AnthropicVertex } = await load('@anthropic-ai/vertex-sdk');
  const authClient = { getRequestHeaders: async () => new Headers({ authorization: `Bearer ${key}` }), projectId: 'p' };
  return new AnthropicVertex({ baseURL: `${base}/v1`, projectId: 'p', region: 'us-east5', authClient, maxRetries: 0 });
}
async function aws() {
  const { BedrockRuntimeClient, ...more } = await load('@aws-sdk/client-bedrock-runtime');
  const { NodeHttpHandler } = await load('@smithy/node-http-handler');
  const client = new BedrockRuntimeClient({
    region: 'us-east-1', endpoint: base, token: { token: key }, authSchemePreference: ['httpBearerAuth'], requestHandler: new NodeHttpHandler(),
    maxAttempts: 1,
  });
  return { client, ...more };
}

async function said(client, model) {
  return (await client.messages.create({ model, max_tokens: 50, messages })).content[0].text;
}
async function streamed(client, model) {
  return textOf(await client.messages.create({ model, max_tokens: 50, messages, stream: true }), (event) => event.delta?.text);
}

const clients = {
  'groq-sdk': async () => (await (await groq()).chat.completions.create({ model: llama, messages })).choices[0].message.content,
  'groq-sdk, stream': async () =>
    textOf(await (await groq()).chat.completions.create({ model: llama, messages, stream: true }), (event) => event.choices[0]?.delta.content),
  'cohere-ai': async () => (await (await cohere()).chat({ model: 'command-a-03-2025', messages })).message.content[0].text,
  'cohere-ai, stream': async () =>
    textOf(await (await cohere()).chatStream({ model: 'command-a-03-2025', messages }), (event) => event.delta?.message?.content?.text),
  async 'together-ai'() {
    const { default: Together } = await load('together-ai');
    const client = new Together({ apiKey: key, baseURL: `${base}/v1`, maxRetries: 0 });
    return (await client.chat.completions.create({ model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo', messages })).choices[0].message.content;
  },
  ollama: async () => (await (await ollama()).chat({ model: 'llama3.2', messages, stream: false })).message.content,
  'ollama, stream': async () =>
    textOf(await (await ollama()).chat({ model: 'llama3.2', messages, stream: true }), (event) => event.message.content),
  '@anthropic-ai/bedrock-sdk': async () => said(await bedrock(), bedrockModel),
  '@anthropic-ai/bedrock-sdk, stream': async () => streamed(await bedrock(), bedrockModel),
  '@anthropic-ai/vertex-sdk': async () => said(await vertex(), vertexModel),
  '@anthropic-ai/vertex-sdk, stream': async () => streamed(await vertex(), vertexModel),
  async 'AWS SDK, Converse'() {
    const { client, ConverseCommand } = await aws();
    return (await client.send(new ConverseCommand({ modelId: bedrockModel, messages: conversed }))).output.message.content[0].text;
  },
  async 'AWS SDK, ConverseStream'() {
    const { client, ConverseStreamCommand } = await aws();
    const { stream } = await client.send(new ConverseStreamCommand({ modelId: bedrockModel, messages: conversed }));
    return textOf(stream, (event) => event.contentBlockDelta?.delta?.text);
  },
  async 'OpenAI Agents SDK'() {
    const { Agent, OpenAIProvider, Runner, setTracingDisabled } = await load('@openai/agents', 'agents-node');
    const { OpenAI } = await load('openai', 'agents-node');
    setTracingDisabled(true);
    const modelProvider = new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: key, baseURL: `${base}/v1`, maxRetries: 0 }) });
    return (await new Runner({ modelProvider }).run(new Agent({ name: 'river', model: 'gpt-5.2' }), 'Name a river.')).finalOutput;
  },
};

try {
  process.stdout.write(await clients[process.argv[2]]());
} catch (error) {
  // What a program that logs the error would show.
  process.stderr.write(`${error.message} ${JSON.stringify(error.body ?? '')} ${JSON.stringify(error.error ?? '')}\n`);
  process.exitCode = 1;
}
