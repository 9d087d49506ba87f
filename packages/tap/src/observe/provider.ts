/**
 * The provider a client talks to, determined only by the host of its base URL. The client's class says nothing, because `openai` is used with
 * every compatible API.
 */
import { at, fittingName, quietly } from './look.ts';
import type { SeenProvider } from '../seen-call.ts';

const publicHosts: Readonly<Record<Exclude<SeenProvider, 'other'>, string>> = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
  google: 'generativelanguage.googleapis.com',
  xai: 'api.x.ai',
  mistral: 'api.mistral.ai',
};

/** The provider of a client as it is configured now; `other` if the host is none of the five or unknown. */
export function providerOf(client: unknown): SeenProvider {
  const host = quietly(() => new URL(String(baseUrlOf(client))).hostname);
  // A regional host (`eu.api.openai.com`) belongs to its provider.
  return fittingName(publicHosts, (known) => `.${host}`.endsWith(`.${known}`));
}

function baseUrlOf(client: unknown): unknown {
  return at(client, 'baseURL _baseURL config.baseURL apiClient.clientOptions.httpOptions.baseUrl url')
    ?? (at(client, 'config') as { url(of: object): unknown }).url({ path: '/' }); // a model of the AI SDK
}
