/**
 * Whose API a client talks to, told by the host of its base URL alone: the class of a client says nothing, for `openai` is used
 * with every compatible API.
 */
import { at, quietly } from './look.ts';
import type { Provider } from '../seen-call.ts';

const publicHosts: readonly (readonly [Provider, string])[] = [
  ['openai', '.api.openai.com'],
  ['anthropic', '.api.anthropic.com'],
  ['google', '.generativelanguage.googleapis.com'],
  ['xai', '.api.x.ai'],
  ['mistral', '.api.mistral.ai'],
];

/** The provider of a client as it is configured now; `other` where the host is none of the five or cannot be told. */
export function providerOf(client: unknown): Provider {
  const host = quietly(() => new URL(String(baseUrlOf(client))).hostname);
  // A regional host (`eu.api.openai.com`) is its provider's.
  return publicHosts.find(([, known]) => `.${host}`.endsWith(known))?.[0] ?? 'other';
}

function baseUrlOf(client: unknown): unknown {
  const google = at(client, 'apiClient') as { getBaseUrl(): unknown } | undefined;
  const model = at(client, 'config') as { baseURL?: unknown; url(of: object): unknown }; // of the AI SDK
  return at(client, 'baseURL') ?? at(client, '_baseURL') ?? (google ? google.getBaseUrl() : (model.baseURL ?? model.url({ path: '/' })));
}
