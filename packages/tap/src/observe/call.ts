/**
 * One provider call, from the moment it is made to the one event made of it. Design 3, row 30b.
 * When everything that hears a call is garbage (a stream nobody read, a promise nobody awaited), the call is closed as left by the host;
 * at exit, `settleOpenCalls` does so.
 */
import { at, quietly, textIn } from './look.ts';
import { providerOf } from './provider.ts';
import { readHead } from './response-head.ts';
import { readingInto } from './reading.ts';
import { monotonicMs } from '../runtime.ts';
import type { Figures, Sink } from '../seen-call.ts';

/** `done`: the answer came whole. `left`: the host did not want the rest. `failed`: the provider or the network broke it. */
export type Ending = 'done' | 'left' | 'failed';

/** One observed object: where its calls are told, which a later `observe` on the same object may change. */
export interface Hold {
  readonly client: object;
  sink: Sink;
  /** A method of the client is just running: what it calls on the client by itself is the same call. */
  inside?: boolean;
}

/** Hears what a stream gives. None of its methods throws. */
export interface Listener {
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

/** Errors by which a client tells that it made no call: bad arguments (prompts, values), no key. */
const refusedByClient = /^(SDKValidation|AI_(Unsupported|Load|Invalid[PA]|TooMany))/;

const modelPaths = 'model body.model modelId';

/** Ends of the calls whose response began and did not end. */
const open = new Set<Close>();
type Close = (ending: Ending) => void;

const abandoned = globalThis.FinalizationRegistry && new FinalizationRegistry<Close>((close) => close('left'));

/** Closes what the host left open, for the process ends: each such call gives its event now. */
export function settleOpenCalls(): void {
  for (const close of open) close('left');
}

/** Begins a call that is about to be made on an observed object, with the first of its arguments. */
export function beginCall(hold: Hold, argument?: unknown, embeddings?: boolean): Call {
  const startedAt = monotonicMs();
  const figures: Figures = {
    provider: providerOf(hold.client), model: textIn(argument, modelPaths) ?? textIn(hold.client, modelPaths) ?? null, request_id: null,
    input_tokens: 0, output_tokens: 0, cached_tokens: 0, stop_reason: 'other', tool_calls: 0, status: 200, latency_ms: 0, rate_limit: null,
  };
  const read = readingInto(figures);
  const close = closer(hold, figures, embeddings);
  let signal: unknown;
  let began = false;
  let last: unknown;
  /** Every sign of the provider is the latest; what the host does after the last one is its own time. */
  const hear = (heard: () => void): void => {
    quietly(() => {
      figures.latency_ms = monotonicMs() - startedAt;
      heard();
    });
  };
  const call: Call = {
    head: (response, itsSignal) => hear(() => {
      readHead(response, figures);
      signal = itsSignal ?? signal;
      if (began) return;
      began = true;
      if (!abandoned) return;
      open.add(close);
      abandoned.register(call, close, close);
    }),
    value: (part) => hear(() => {
      if (part !== last) read(part);
      last = part;
    }),
    end: (ending) => (ending === 'done' ? hear(() => close(ending)) : close(ending)),
    fail: (error) => hear(() => {
      if (began) return close(at(signal, 'aborted') || at(error, 'name') === 'AbortError' ? 'left' : 'failed');
      if (refusedByClient.test(String(at(error, 'name')))) return;
      figures.status = 599;
      readHead(error, figures);
      close('failed');
    }),
  };
  return call;
}

/** What ends a call: holds its figures, but nothing that hears it, so that this can become garbage. Never throws. */
function closer(hold: Hold, figures: Figures, embeddings?: boolean): Close {
  let closed = false;
  const close: Close = (ending) => {
    if (closed) return;
    closed = true;
    open.delete(close);
    abandoned?.unregister(close);
    if (ending === 'failed') figures.stop_reason = 'error';
    else if (ending === 'done' && embeddings) figures.stop_reason = 'stop';
    quietly(() => hold.sink(figures));
  };
  return close;
}
