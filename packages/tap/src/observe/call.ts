/**
 * One provider call, from the moment it is made to the one event made of it. Design 3, row 30b.
 * When everything that hears a call is garbage (a stream nobody read, a promise nobody awaited), the call is closed as left by the host;
 * at exit, `settleOpenCalls` does so.
 */
import { at, quietly } from './look.ts';
import { readingInto } from './reading.ts';
import { headersIn, rateLimitIn, requestIdIn, statusIn } from './response-head.ts';
import type { Figures } from './reading.ts';
import type { Provider, SeenCall } from '../seen-call.ts';

/** `done`: the answer came whole. `left`: the host did not want the rest. `failed`: the provider or the network broke it. */
export type Ending = 'done' | 'left' | 'failed';

/** What is known of a call when it is made. */
export interface Asked {
  readonly provider: Provider;
  /** The requested model, for an answer that names none. */
  readonly model: string | null;
  readonly embeddings: boolean;
  /** By which the host may abort the call. */
  readonly signal: unknown;
}

/** Hears what a stream gives. None of its methods throws. */
export interface Listener {
  /** The iterator or reader that is listened to; a second one on the same stream is not. */
  reader?: unknown;
  /** The whole answer, or its next part; the same one told twice in a row counts once. */
  value(part: unknown): void;
  end(ending: Ending): void;
  /** Once the response began, a host that aborted it left; before, there is no status but the error's. */
  fail(error: unknown): void;
}

/** Hears one call. None of its methods throws. */
export interface Call extends Listener {
  /** The SDK itself reads the body of the response. */
  parsed?: boolean;
  /** The head of the response is there; from here on a call that is left or forgotten gives its event too. */
  head(response: unknown, signal?: unknown): void;
}

/** Errors by which a client tells that it made no call: bad arguments, no key. */
const refusedByClient = /^(SDKValidation|AI_(Unsupported|Load|InvalidPrompt|InvalidArgument|TooMany))/;

const clock: () => number = typeof performance === 'object' ? performance.now.bind(performance) : Date.now;

/** Ends of the calls whose response began and did not end. */
const open = new Set<Close>();
type Close = (ending: Ending) => void;

const abandoned = typeof FinalizationRegistry === 'function' ? new FinalizationRegistry<Close>((close) => close('left')) : null;

/** Closes what the host left open, for the process ends: each such call gives its event now. */
export function settleOpenCalls(): void {
  for (const close of open) close('left');
}

/** Begins a call; its one event goes to the sink when it ends. */
export function beginCall(asked: Asked, sink: (seen: SeenCall) => void): Call {
  const startedAt = clock();
  const figures: Figures = {
    provider: asked.provider, model: asked.model, requestId: null, inputTokens: 0, outputTokens: 0, cachedTokens: 0,
    stopReason: 'other', toolCalls: 0, status: 200, latencyMs: 0, rateLimit: null,
  };
  return listen(asked, figures, {
    sign: () => {
      figures.latencyMs = Math.max(0, clock() - startedAt);
    },
    close: closer(asked.embeddings, figures, sink),
  });
}

/** What ends a call: holds its figures, but nothing that hears it, so that this can become garbage. */
function closer(embeddings: boolean, figures: Figures, sink: (seen: SeenCall) => void): Close {
  let closed = false;
  const close: Close = (ending) => {
    if (closed) return;
    closed = true;
    open.delete(close);
    abandoned?.unregister(close);
    if (ending === 'failed') figures.stopReason = 'error';
    else if (ending === 'done' && embeddings) figures.stopReason = 'stop';
    quietly(() => sink(figures));
  };
  return close;
}

function listen(asked: Asked, figures: Figures, { sign, close }: { sign: () => void; close: Close }): Call {
  const read = readingInto(figures);
  let { signal } = asked;
  let began = false;
  let last: unknown;
  const takeHead = (holder: unknown): void => {
    figures.status = statusIn(holder) ?? figures.status;
    const headers = headersIn(holder);
    figures.requestId ??= requestIdIn(headers) ?? null;
    figures.rateLimit = rateLimitIn(headers) ?? figures.rateLimit;
  };
  const call: Call = {
    head: (response, itsSignal) => quietly(() => {
      sign();
      takeHead(response);
      signal = itsSignal ?? signal;
      if (!began && abandoned) {
        open.add(close);
        abandoned.register(call, close, close);
      }
      began = true;
    }),
    value: (part) => quietly(() => {
      if (part === last) return;
      last = part;
      sign();
      read(part);
    }),
    end: (ending) => quietly(() => {
      if (ending === 'done') sign();
      close(ending);
    }),
    fail: (error) => quietly(() => {
      sign();
      if (began) return close(at(signal, 'aborted') || at(error, 'name') === 'AbortError' ? 'left' : 'failed');
      if (refusedByClient.test(String(at(error, 'name')))) return;
      figures.status = 599;
      takeHead(error);
      close('failed');
    }),
  };
  return call;
}
