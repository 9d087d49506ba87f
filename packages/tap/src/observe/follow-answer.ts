/**
 * Follows what a client's method returns: a promise, a stream or the answer itself. The host gets the same thing in the same form.
 */
import { methodOf, own } from './look.ts';
import { followReadable, followReads } from './follow-stream.ts';
import { lookAtReturned } from './in-place.ts';
import type { ObservedCall } from './call.ts';

/** Takes the answer itself: whole, or a stream that was not read yet. */
export function followAnswer(answer: unknown, call: ObservedCall): void {
  call.head(own(answer, 'response sdkHttpResponse'));
  const parts = [answer, own(answer, 'stream')].find((one) => methodOf(one, 'getReader')); // a stream, or the AI SDK's answer with one
  if (parts) followReadable(parts as ReadableStream<unknown>, call);
  else if (!methodOf(answer, Symbol.asyncIterator)) {
    call.value(answer);
    call.end('done');
  } else if (methodOf(answer, 'next')) followReads(answer, call);
  else {
    call.parsed = false; // until the host reads the stream that the SDK made of the body
    lookAtReturned(answer, methodOf(answer, 'iterator') ? 'iterator' : Symbol.asyncIterator, (iterator) => {
      call.parsed = true;
      followReads(iterator, call);
    });
  }
}
