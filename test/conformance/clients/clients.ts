/** Clients of other providers, from their packages, and what their provider answers each. `.ci/run` installs them. */
import * as answers from './answers.ts';
import { pythonClients } from './python-clients.ts';
import { agent, builtByHand, ofNpm, type InstalledClient } from './run-client.ts';

const claudeCode = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;
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
  { name: 'OpenAI Agents SDK', provider: 'openai', answer: answers.responded, ...ofNpm('OpenAI Agents SDK', ['agents-node', '@openai/agents']) },
  ...pythonClients,
  { name: 'google-genai for Go', provider: 'google', auth: 'x-goog-api-key', answer: answers.gemini, ...builtByHand('google-go/river') },
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
    ...agent('.bin/gemini', ['-m', 'gemini-2.5-flash', '--skip-trust', '-p', 'Name a river.'], ({ base, key }) => ({
      GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: key,
    })),
  },
];
