/**
 * Follows a stream while the host reads it: the object stays the same, and its own `next` or `read` is observed. Nothing is read unless the
 * host asks for it, nothing is copied, and nothing waits.
 */
import { lookAtReturned, override } from './in-place.ts';
import { methodOf, quietly } from './look.ts';
import type { StreamListener } from './call.ts';
import type { Method } from './look.ts';

/**
 * Passes on what a method returned, in the same form, and reports its outcome. A rejection that nobody handles stays unhandled. A promise
 * of a class of its own may have further methods and do its work only when awaited: it is not replaced, and is observed when the host awaits it.
 */
export function observeOutcome(outcome: unknown, observe: (value: unknown) => void, failed: (error: unknown) => void): unknown {
  const passValue = (value: unknown): unknown => {
    quietly(() => observe(value));
    return value;
  };
  const passFailure = (error: unknown): unknown => {
    quietly(() => failed(error));
    return error;
  };
  const fail = (error: unknown): never => {
    throw passFailure(error);
  };
  if (!methodOf(outcome, 'then')) return passValue(outcome);
  if ((outcome as object).constructor === Promise) return Object.assign((outcome as Promise<unknown>).then(passValue, fail), outcome);
  override(outcome, 'then', (run, [fulfilled, rejected]) => run([
    typeof fulfilled === 'function' ? (value: unknown) => fulfilled(passValue(value)) : passValue,
    typeof rejected === 'function' ? (error: unknown) => rejected(passFailure(error)) : fail,
  ]));
  return outcome;
}

/** Listens to an iterator, a generator or a reader. */
export function followReads(owner: unknown, listener: StreamListener): void {
  for (const name of ['next', 'read']) {
    override(owner, name, (run) => observeOutcome(run(), (result) => {
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

/** Listens to a web stream, however it is read: reader, iteration, tee, pipe. */
export function followReadable(stream: ReadableStream<unknown>, listener: StreamListener): void {
  followReads(stream, listener);
  for (const name of ['getReader', 'values', Symbol.asyncIterator]) lookAtReturned(stream, name, (made) => followReads(made, listener));
  for (const name of ['tee', 'pipeTo', 'pipeThrough']) {
    override(stream, name, (_run, args) => (passingThrough(stream) as unknown as Record<string, Method>)[name]!(...args));
  }
}

/**
 * Listens to the body of a response. Node's `Readable.fromWeb` takes a reader and reads past its methods, so the host gets the reader of a
 * stream between.
 */
export function followBody(body: ReadableStream<unknown>, listener: StreamListener): void {
  followReadable(body, listener);
  let between = false;
  override(body, 'getReader', (run, args) => {
    if (between) return run();
    const native = run() as ReadableStreamDefaultReader;
    try {
      between = true;
      native.releaseLock();
      const passing = passingThrough(body);
      const reader = passing.getReader(...args as []);
      lookAtReturned(reader, 'releaseLock', passing.release);
      return reader;
    } finally {
      between = false;
    }
  });
}

/**
 * A stream that reads only when it is read itself; for reads inside the platform, which cannot be observed. A stream of bytes stays one, so
 * that it can be read into the host's own buffers. `release` unlocks the stream below.
 */
function passingThrough(stream: ReadableStream<unknown>): ReadableStream & { release(): void } {
  const type = quietly(() => {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return 'bytes';
  });
  const reader = stream.getReader();
  return Object.assign(new ReadableStream({
    type: type as undefined,
    async pull(controller: ReadableStreamDefaultController & { byobRequest?: ReadableStreamBYOBRequest | null }) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      controller.close();
      controller.byobRequest?.respond(0);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 }), { release: () => reader.releaseLock() });
}
