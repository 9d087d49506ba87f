/**
 * Follows what a client's method returns: a promise, a stream or the answer itself. The host gets the same thing in the same form.
 */
import { methodOf, own, quietly } from './look.ts';
import { followReadable, followReads, overhear } from './follow-stream.ts';
import { lookAtReturned, override } from './in-place.ts';
import type { Call } from './call.ts';
import type { Method } from './look.ts';

/** Follows what a method returned; gives back what the host is to receive. */
export function followReturned(returned: unknown, call: Call): unknown {
  const heard = (answer: unknown): void => followAnswer(answer, call);
  if (!methodOf(returned, 'then')) return overhear(returned, heard, call.fail);
  if ((returned as object).constructor === Promise) {
    const followed = overhear(returned, heard, call.fail) as Record<string, unknown>;
    for (const key of Object.keys(returned as object)) followed[key] = (returned as typeof followed)[key];
    return followed;
  }
  // A promise of its own kind may have methods of its own and do its work only when awaited: it stays, and is heard when the host hears it.
  override(returned, 'then', (run, [fulfilled, rejected]) => run([
    (answer: unknown) => {
      quietly(() => heard(answer));
      return typeof fulfilled === 'function' ? (fulfilled as Method)(answer) : answer;
    },
    (error: unknown) => {
      call.fail(error);
      if (typeof rejected === 'function') return (rejected as Method)(error);
      throw error;
    },
  ]));
  return returned;
}

/** Takes the answer itself: whole, or a stream that is yet to be read. */
export function followAnswer(answer: unknown, call: Call): void {
  call.head(own(answer, 'response') ?? own(answer, 'sdkHttpResponse'));
  const parts = [answer, own(answer, 'stream')].find((one) => methodOf(one, 'getReader')); // a stream, or the AI SDK's answer with one
  if (parts) followReadable(parts as ReadableStream<unknown>, call);
  else if (!methodOf(answer, Symbol.asyncIterator)) {
    call.value(answer);
    call.end('done');
  } else if (methodOf(answer, 'next')) followReads(answer, call);
  else lookAtReturned(answer, methodOf(answer, 'iterator') ? 'iterator' : Symbol.asyncIterator, (iterator) => followReads(iterator, call));
}
