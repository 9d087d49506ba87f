/**
 * The platform's HTTP as the pages use it: typed by the OpenAPI document, cached by TanStack Query. An unsuccessful answer is thrown as a
 * `Refused` with the platform's own sentence, whose times are written as the pages write them.
 */
import { MutationCache, notifyManager, QueryCache, QueryClient, type Query } from '@tanstack/react-query';
import createFetchClient, { type Middleware } from 'openapi-fetch';
import createQueryHooks from 'openapi-react-query';
import { useSyncExternalStore } from 'react';
import { withMoments } from '../shown/moments.ts';
import { noteLacking } from './lacking.ts';
import { patientFetch } from './patience.ts';
import { askWhetherThere, noteAnswer, noteNoAnswer } from './reach.ts';
import type { components, paths } from './schema.ts';

export type { paths } from './schema.ts';

/** The platform refused, or did not answer (status 0). */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  /** The address that was read, if the platform answered. */
  readonly url: string | null;

  constructor(status: number, code: string, message: string, url: string | null = null) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.code = code;
    this.url = url;
  }
}

export const noAnswer = 'The platform did not answer. It may be restarting, or the network is away.';

const refusing: Middleware = {
  async onResponse({ request, response }) {
    const said = response.ok ? null : ((await response.json().catch(() => null)) as { error?: { code?: string; message?: string } } | null);
    // A proxy answers for a platform that is away, but not in the platform's form.
    if (response.status >= 502 && response.status <= 504 && said?.error?.code === undefined) {
      noteNoAnswer();
      throw new Refused(0, 'no_answer', noAnswer);
    }
    // Its store is away, for all that is asked or for this alone: only the first is waited for as a restart is.
    if (request.method === 'GET' && said?.error?.code === 'unavailable') {
      askWhetherThere();
      noteLacking();
    } else noteAnswer();
    if (response.ok) return;
    throw new Refused(
      response.status,
      said?.error?.code ?? 'unreadable',
      withMoments(said?.error?.message ?? `The platform answered ${response.status}.`),
      request.method === 'GET' ? request.url : null,
    );
  },
  onError: ({ error }) => brokenOff(error) as Error,
};

/** What a request fails with whose connection failed, whether before its answer or in the middle of it. */
function brokenOff(error: unknown): unknown {
  if (error instanceof Refused || isAborted(error)) return error;
  noteNoAnswer();
  return new Refused(0, 'no_answer', noAnswer);
}

/** The store was away for it. It is asked again by itself. */
export function isLacking(fault: unknown): fault is Refused {
  return fault instanceof Refused && fault.code === 'unavailable';
}

/** Of a request that was under way while the platform was away, and is lost. */
const overtaken = 'overtaken';

/** It failed for the time before: the platform is back, and answers if it is asked anew. */
export function isOvertaken(fault: unknown): boolean {
  return fault instanceof Refused && fault.code === overtaken;
}

/** The page itself gave up the request, because it is no longer needed. */
function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Asks once, without a cache. */
export const ask = createFetchClient<paths>({
  baseUrl: '/',
  fetch: patientFetch({ givenUp: (late) => new Refused(0, late ? overtaken : 'no_answer', noAnswer), brokenOff }),
});
ask.use(refusing);

/** Called when an answer says that the session is over. Set by the shell. */
export const sessionEnd = { tell: (): void => undefined };

function noteSessionEnd(fault: unknown): void {
  if (fault instanceof Refused && fault.status === 401 && fault.code === 'unauthorized') sessionEnd.tell();
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteSessionEnd }),
  mutationCache: new MutationCache({ onError: noteSessionEnd }),
  defaultOptions: {
    // Where the browser says that there is no network, a request fails and the page says so, instead of waiting without a word.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 5_000,
      // A refusal would be repeated; a request without an answer may succeed.
      retry: (count, fault) => isOvertaken(fault) || count < 2 && fault instanceof Refused && (fault.status === 0 || fault.status >= 500),
      retryDelay: (count) => 500 * 2 ** count,
    },
  },
});

/** What the page that is shown lacks because the store is away for it, also while it is asked for a second and third time. */
function lackingQueries(): readonly Query[] {
  return queries.getQueryCache().findAll({ type: 'active', predicate: ({ state }) => isLacking(state.error ?? state.fetchFailureReason) });
}

/** The address of one of these requests; null: nothing is lacking. */
export function lackedHere(): string | null {
  const fault = lackingQueries()[0]?.state;
  return ((fault?.error ?? fault?.fetchFailureReason) as Refused | null | undefined)?.url ?? null;
}

/** A part of the page has an answer from before, because the store is away for a newer one. */
export function useOlderParts(): boolean {
  return useSyncExternalStore(whenAnyChanged, hasOlderParts);
}

function whenAnyChanged(tell: () => void): () => void {
  return queries.getQueryCache().subscribe(notifyManager.batchCalls(tell));
}

function hasOlderParts(): boolean {
  return lackingQueries().some(({ state }) => state.status === 'error' && state.data !== undefined);
}

/** Hooks: `api.useQuery('get', '/platform/v1/caps')`. */
export const api = createQueryHooks(ask);

type Schemas = components['schemas'];
/** A named schema of the document. */
export type Shown<Name extends keyof Schemas> = Schemas[Name];

/** The sentence to show for whatever was thrown. */
export function sentenceOf(fault: unknown): string {
  return fault instanceof Refused ? fault.message : 'Something went wrong in this page. Reload it and try again.';
}
