/** How an upstream's credential is shown to it, and what it speaks, as people say it. */
import type { Shown } from '../api/client.ts';

type NamedUpstream = Shown<'NamedUpstream'>;

export const authNames = {
  bearer: 'Bearer token',
  'api-key': 'api-key header',
  'x-goog-api-key': 'x-goog-api-key header',
  'x-api-key': 'x-api-key header',
  'aws-sigv4': 'Signed for AWS',
  'google-service-account': 'Google service account',
  none: 'No credential',
} satisfies Record<NamedUpstream['auth'], string>;

export const dialectNames = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
  'bedrock-converse': 'Bedrock Converse',
  'bedrock-anthropic': 'Anthropic on Bedrock',
  cohere: 'Cohere',
  ollama: 'Ollama',
} satisfies Record<NonNullable<NamedUpstream['dialect']>, string>;

/** What the field for the credential asks for. */
export const credentialWords: Readonly<Record<NamedUpstream['auth'], string>> = {
  bearer: 'Sent as Authorization: Bearer.',
  'api-key': 'Sent as api-key, as Azure takes it.',
  'x-goog-api-key': 'Sent as x-goog-api-key, as Gemini takes it.',
  'x-api-key': 'Sent as x-api-key.',
  'aws-sigv4': 'JSON with accessKeyId and secretAccessKey. Every request is signed with it.',
  'google-service-account': 'The key file, as JSON. Tokens are fetched with it.',
  none: '',
};

/** What an empty field means: the stored credential stays where there is one, else none is needed. */
export function keptCredential(hasCredential: boolean): null | '' {
  return hasCredential ? null : '';
}
