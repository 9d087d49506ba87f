/**
 * Reading away what is neither kept nor served, behind a call that is under way. It is read since only a connection that is read is seen to
 * end; and no faster than this, so that a caller who sends without end takes none of the thread's time from others.
 */
import type { Readable } from 'node:stream';
import { bodySlabs } from '../fairness/body-slabs.ts';

const bytesASecond = 1024 * 1024;

/** What one connection may be read in a second. */
export class Discarding {
  #bytes = 0;

  /** These were read. False: no more is to be read in this second. */
  takes(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes < bytesASecond;
  }

  /** The next second has begun. */
  nextSecond(): void {
    this.#bytes = 0;
  }
}

/** What is read away: the body of a request, or a connection. */
type Discarded = Pick<Readable, 'on' | 'once' | 'pause' | 'resume' | 'listenerCount'>;

/**
 * A piece was read away by the listener that calls this. Another reader of the same piece may still write it to a provider, and gives it back
 * afterwards.
 */
export function giveBackUnlessHeld(all: Pick<Readable, 'listenerCount'>, chunk: Buffer): void {
  if (all.listenerCount('data') === 1 && all.listenerCount('readable') === 0) bodySlabs.giveBack(chunk);
}

/** Reads away all that comes of it, until it is closed. */
export function discard(all: Discarded): void {
  const discarding = new Discarding();
  const seconds = setInterval(() => {
    discarding.nextSecond();
    all.resume();
  }, 1_000).unref();
  all.once('close', () => clearInterval(seconds));
  all.on('data', (chunk: Buffer) => {
    if (!discarding.takes(chunk.length)) all.pause();
    giveBackUnlessHeld(all, chunk);
  });
  all.resume();
}
