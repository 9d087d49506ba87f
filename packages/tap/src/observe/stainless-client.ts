/**
 * Observes the clients of the OpenAI and Anthropic SDKs and of others made by the same generators: all their resources and helpers make
 * their calls through the client's own `post` (and `get`, for a batch's results), so one hook sees each provider call once.
 */
import { at, ignore, quietly } from './look.ts';
import { beginCall } from './call.ts';
import { followApiPromise } from './api-promise.ts';
import { followReads } from './follow-stream.ts';
import { lookAtReturned, override } from './in-place.ts';
import type { Hold } from './call.ts';
import type { Method } from './look.ts';

/** Paths of calls that can carry usage; not token counts, batches or stored answers. */
const callPath = /^(.*\/(completions|embeddings|responses(\/compact)?)|(\/v1)?\/(messages|complete))(\?|$)/;
const resultsPath = /\/batches\/[^/]+\/results/;

/** Observes the client in place; false if it is of another kind or cannot be changed. */
export function observeStainless(hold: Hold, observeChild: (child: unknown) => void): boolean {
  const { client } = hold;
  if (!Object.values(client).some((resource) => at(resource, '_client') === client)) return false;
  lookAtReturned(client, 'withOptions', observeChild);
  override(client, 'get', (run, [path]) => {
    const promise = run();
    if (resultsPath.test(path as string)) quietly(() => followBatch(promise, hold));
    return promise;
  });
  return override(client, 'post', (run, [path, options]) => {
    const call = quietly(() => callPath.test(path as string) && beginCall(hold, options, /embed/.test(path as string)));
    const promise = run();
    if (call) {
      quietly(() => followApiPromise(promise, call));
      // The SDK awaits its options first, and the requested model is in them.
      quietly(() => (options as Promise<unknown> | undefined)?.then?.((found) => call.value({ model: at(found, 'body.model') }), ignore));
    }
    return promise;
  });
}

/**
 * A message batch's results, read line by line. Each message in them was a provider call, so each line with a message, or with an error
 * in its place, gives an event; requests that were cancelled or expired were never made. A message read twice has the same id.
 */
function followBatch(promise: unknown, hold: Hold): void {
  override(promise, '_thenUnwrap', (run, [transform]) => run([(...args: unknown[]) => {
    const results = (transform as Method)(...args);
    lookAtReturned(results, Symbol.asyncIterator, (lines) => followReads(lines, {
      value: (line) => quietly(() => seeLine(at(line, 'result'), hold)),
      end: ignore,
      fail: ignore,
    }));
    return results;
  }]));
}

function seeLine(result: unknown, hold: Hold): void {
  const failed = at(result, 'type') === 'errored';
  const message = at(result, 'message');
  if (!failed && !message) return;
  const call = beginCall(hold);
  call.value(message);
  call.end(failed ? 'failed' : 'done');
}
