/**
 * Whose API a client talks to, told by the host of its base URL alone: the class of a client says nothing, for `openai` is used
 * with every compatible API.
 */
import { at, quietly } from './look.ts';
import type { Method } from './look.ts';
import type { Provider } from '../seen-call.ts';

const publicHosts: Readonly<Record<string, Provider>> = {
  'api.openai.com': 'openai',
  'api.anthropic.com': 'anthropic',
  'generativelanguage.googleapis.com': 'google',
  'api.x.ai': 'xai',
  'api.mistral.ai': 'mistral',
};

/** The provider of a client as it is configured now; `other` where the host is none of the five or cannot be told. */
export function providerOf(client: unknown): Provider {
  const host = quietly(() => new URL(String(baseUrlOf(client))).hostname) ?? '';
  // A regional host (`eu.api.openai.com`) is its provider's.
  return Object.entries(publicHosts).find(([known]) => `.${host}`.endsWith(`.${known}`))?.[1] ?? 'other';
}

function baseUrlOf(client: unknown): unknown {
  const config = at(client, 'config'); // of a model of the AI SDK
  const known = at(client, 'baseURL') ?? at(client, '_baseURL') ?? at(config, 'baseURL');
  if (known) return typeof known === 'function' ? known() : known;
  const google = at(client, 'apiClient') as { getBaseUrl(): unknown } | undefined;
  return google ? google.getBaseUrl() : (at(config, 'url') as Method)({ path: '/', modelId: at(client, 'modelId') });
}
