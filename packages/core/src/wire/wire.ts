/**
 * What differs from wire to wire, in one place: all other code loops over `wires` or asks one of them. A new wire is a new value here, and
 * the compiler then names every file that must handle it. (The tap is published separately and has its own copy.)
 */

/** Which dialect is spoken and to whom: the first provider, the second, or the organization's declared upstream. */
export const wireNames = ['openai', 'anthropic', 'upstream'] as const;
export type Wire = (typeof wireNames)[number];

/** The metered name of an operation; both spellings of messages are one. `other` is any further path. */
export const endpoints = ['chat.completions', 'completions', 'embeddings', 'responses', 'models', 'messages', 'other'] as const;
export type Endpoint = (typeof endpoints)[number];

/** A header that carries a credential. */
export interface CredentialHeader {
  readonly name: string;
  readonly value: string;
}

interface WireFacts {
  /** Its name for people, in sentences. */
  readonly displayName: string;
  /** The provider's own host; null if the organization declares one. */
  readonly host: string | null;
  /** Plain paths, as sent to the destination, that have their own endpoint name. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The header that shows a stored credential to the destination. */
  readonly credentialHeader: (credential: string) => CredentialHeader;
  /** What our own request, such as a test of a key, must also carry. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** The header in which its clients look for a request's id; null if they look for none. */
  readonly requestIdHeader: string | null;
  /** The header that every client of another provider sends and none of its own; null: no path of another's leads here. */
  readonly strangersHeader: string | null;
  /** Cached and written tokens are parts of the input that is reported; otherwise they are added to it. */
  readonly cachedInInput: boolean;
  /** It has APIs that are spoken over WebSocket: Responses, Realtime, Live. */
  readonly speaksWebSocket: boolean;
}

const bearer = (credential: string): CredentialHeader => ({ name: 'authorization', value: `Bearer ${credential}` });

const firstWireEndpoints: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/chat/completions', 'chat.completions'],
  ['/v1/completions', 'completions'],
  ['/v1/embeddings', 'embeddings'],
  ['/v1/responses', 'responses'],
  ['/v1/models', 'models'],
]);

export const wires: { readonly [W in Wire]: WireFacts } = {
  openai: {
    displayName: 'OpenAI', host: 'api.openai.com', endpoints: firstWireEndpoints, credentialHeader: bearer,
    requestHeaders: {}, requestIdHeader: null, strangersHeader: 'anthropic-version', cachedInInput: true, speaksWebSocket: true,
  },
  anthropic: {
    displayName: 'Anthropic', host: 'api.anthropic.com', endpoints: new Map([['/v1/messages', 'messages'], ['/v1/models', 'models']]),
    credentialHeader: (credential) => ({ name: 'x-api-key', value: credential }), requestHeaders: { 'anthropic-version': '2023-06-01' },
    requestIdHeader: 'request-id', strangersHeader: null, cachedInInput: false, speaksWebSocket: false,
  },
  upstream: {
    displayName: 'declared upstream', host: null, endpoints: firstWireEndpoints, credentialHeader: bearer,
    requestHeaders: {}, requestIdHeader: null, strangersHeader: null, cachedInInput: true, speaksWebSocket: true,
  },
};

/** The wires of the named providers, whose keys an organization connects. */
export const providers = ['openai', 'anthropic'] as const satisfies readonly Wire[];
export type Provider = (typeof providers)[number];

/** One value for each named provider. */
export function eachProvider<Value>(of: (provider: Provider) => Value): { readonly [P in Provider]: Value } {
  return Object.fromEntries(providers.map((provider) => [provider, of(provider)])) as { readonly [P in Provider]: Value };
}
