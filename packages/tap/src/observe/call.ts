/**
 * One provider call, from the moment it is made to its single event. Rule 30b.
 * When everything that listens to a call is garbage (a stream nobody read, a promise nobody awaited), the call is closed as left by the
 * host; at exit, `settleOpenCalls` does the same.
 */
import { at, quietly, firstText } from './look.ts';
import { providerOf } from './provider.ts';
import { readHead } from './response-head.ts';
import { readingInto } from './reading.ts';
import { monotonicMs } from '../runtime.ts';
import type { SeenFigures, Sink } from '../seen-call.ts';

/**
 * `done`: the answer came whole. `left`: the host did not want the rest. `failed`: the provider or the network broke it. `unread`: it came
 * whole but cannot be read, so that there is no event.
 */
export type Ending = 'done' | 'left' | 'failed' | 'unread';

/** One observed object, with the sink for its calls; a later `observe` on the same object may change the sink. */
export interface Hold {
  readonly client: object;
  sink: Sink;
  /** True while a method of the client runs: whatever that method calls on the client belongs to the same call. */
  inside?: boolean;
}

/** Receives what a stream yields. None of its methods throws. */
export interface StreamListener {
  /** The whole answer, or its next part; the same one passed twice in a row counts once. */
  value(part: unknown): void;
  end(ending: Ending): void;
  /** Once the response has begun, an abort means that the host left; before, the error's status is the only one. */
  fail(error: unknown): void;
}

/** Receives what happens in one call. None of its methods throws. */
export interface ObservedCall extends StreamListener {
  /** True while the SDK itself reads the body of the response: its bytes are then not looked at. */
  parsed?: boolean;
  /** The head of the response has arrived; from here on an abandoned call gives its event too. */
  head(response: unknown, signal?: unknown): void;
}

/** Errors by which a client says that it made no call: bad arguments (prompts, values), no key. */
const refusedByClient = /^(SDKValidation|AI_(Unsupported|Load|Invalid[PA]|TooMany))/;

const modelPaths = 'model body.model modelId';

/** Closes the calls whose response has begun and not ended. */
const open = new Set<Close>();
type Close = (ending: Ending) => void;

const abandoned = globalThis.FinalizationRegistry && new FinalizationRegistry<Close>((close) => close('left'));

/** Closes the calls that the host left open, because the process ends: each gives its event now. */
export function settleOpenCalls(): void {
  for (const close of open) close('left');
}

/** Begins a call that is about to be made on an observed object; `argument` is the first of its arguments. */
export function beginCall(hold: Hold, argument?: unknown, embeddings?: boolean): ObservedCall {
  const startedAt = monotonicMs();
  const figures: SeenFigures = {
    provider: providerOf(hold.client), model: firstText(argument, modelPaths) ?? firstText(hold.client, modelPaths) ?? null, request_id: null,
    input_tokens: 0, output_tokens: 0, cached_tokens: 0, stop_reason: 'other', tool_calls: 0, status: 200, latency_ms: 0, rate_limit: null,
  };
  const read = readingInto(figures);
  const close = closer(hold, figures, embeddings);
  let signal: unknown;
  let began = false;
  let last: unknown;
  /** The latency ends with the last sign of the provider; what the host does afterwards is its own time. */
  const whenSeen = (note: () => void): void => {
    quietly(() => {
      figures.latency_ms = monotonicMs() - startedAt;
      note();
    });
  };
  const call: ObservedCall = {
    head: (response, itsSignal) => whenSeen(() => {
      readHead(response, figures);
      signal = itsSignal ?? signal;
      if (began) return;
      began = true;
      if (!abandoned) return;
      open.add(close);
      abandoned.register(call, close, close);
    }),
    value: (part) => whenSeen(() => {
      if (part !== last) read(part);
      last = part;
    }),
    end: (ending) => (ending === 'done' ? whenSeen(() => close(ending)) : close(ending)),
    fail: (error) => whenSeen(() => {
      if (began) return close(at(signal, 'aborted') || at(error, 'name') === 'AbortError' ? 'left' : 'failed');
      if (refusedByClient.test(String(at(error, 'name')))) return;
      figures.status = 599;
      readHead(error, figures);
      close('failed');
    }),
  };
  return call;
}

/** Ends a call. It holds the call's figures but none of its listeners, so that those can become garbage. Never throws. */
function closer(hold: Hold, figures: SeenFigures, embeddings?: boolean): Close {
  let closed = false;
  const close: Close = (ending) => {
    if (closed) return;
    closed = true;
    open.delete(close);
    abandoned?.unregister(close);
    if (ending === 'failed') figures.stop_reason = 'error';
    else if (ending === 'done' && embeddings) figures.stop_reason = 'stop';
    if (ending !== 'unread') quietly(() => hold.sink(figures));
  };
  return close;
}
