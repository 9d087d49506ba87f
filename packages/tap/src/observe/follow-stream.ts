/**
 * Follows a stream while the host reads it: the very object stays, its own `next` or `read` is listened to. Nothing is read that the host
 * did not ask for, nothing is copied, and nothing waits.
 */
import { lookAtReturned, override } from './in-place.ts';
import { methodOf, quietly } from './look.ts';
import type { Listener } from './call.ts';

/** Passes a promise or a value on, in the same form, and tells what came of it. A promise that fails unheard still fails unheard. */
export function overhear(outcome: unknown, heard: (value: unknown) => void, failed: (error: unknown) => void): unknown {
  const hear = (value: unknown): unknown => {
    quietly(() => heard(value));
    return value;
  };
  if (!methodOf(outcome, 'then')) return hear(outcome);
  return (outcome as Promise<unknown>).then(hear, (error: unknown) => {
    quietly(() => failed(error));
    throw error;
  });
}

/** Listens to an iterator, a generator or a reader. */
export function followReads(owner: unknown, listener: Listener): void {
  for (const name of ['next', 'read']) {
    override(owner, name, (run) => overhear(run(), (result) => {
      const { done, value } = result as IteratorResult<unknown>;
      if (done) listener.end('done');
      else listener.value(value);
    }, listener.fail));
  }
  for (const name of ['return', 'throw', 'cancel']) {
    override(owner, name, (run) => {
      listener.end('left');
      return run();
    });
  }
}

/** Listens to a web stream, whichever way it is read: reader, iteration, tee, pipe. */
export function followReadable(stream: ReadableStream<unknown>, listener: Listener): void {
  followReads(stream, listener);
  for (const name of ['getReader', 'values', Symbol.asyncIterator]) lookAtReturned(stream, name, (made) => followReads(made, listener));
  for (const name of ['tee', 'pipeTo', 'pipeThrough']) {
    override(stream, name, (_run, args) => {
      const passing = passingThrough(stream.getReader());
      return Reflect.apply(methodOf(passing, name)!, passing, args);
    });
  }
}

/** A stream that reads on only when it is read, for what tee and pipe do inside the platform, where nobody can listen. */
function passingThrough(reader: ReadableStreamDefaultReader<unknown>): ReadableStream<unknown> {
  return new ReadableStream<unknown>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
