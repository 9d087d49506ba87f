/**
 * The caller's body stream → the stream that the HTTP client reads and may destroy. The client destroys what it is given,
 * also after a whole body and after an early answer, and takes the socket off an incoming message; the caller's stream is
 * not its to touch. No byte is copied; backpressure passes through; a broken stream breaks this one.
 */
import { Readable } from 'node:stream';
import { slabBytes } from '../fairness/body-slabs.ts';

/** How much may wait here for the client, in bytes: what one read brings. */
const waitingBytesMax = slabBytes;

export class BodySource extends Readable {
  readonly #source: Readable;
  #ended = false;

  constructor(source: Readable) {
    super({ highWaterMark: waitingBytesMax });
    this.#source = source;
    source.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError).on('close', this.#onClose);
    source.pause();
    // A stream that was read to its end is destroyed as well: what it ended with is asked first.
    if (source.readableEnded) queueMicrotask(this.#onEnd);
    else if (source.destroyed || source.errored !== null) queueMicrotask(this.#onClose);
  }

  override _read(): void {
    this.#source.resume();
  }

  /** Leaves the caller's stream paused and open. */
  override _destroy(fault: Error | null, done: (fault: Error | null) => void): void {
    this.#source.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    this.#source.pause();
    // A late error of an abandoned stream must not end the process: the error listener is swapped, not removed.
    this.#source.off('error', this.#onError).on('error', ignore);
    done(fault);
  }

  #onData = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#source.pause();
  };

  #onEnd = (): void => {
    this.#ended = true;
    this.push(null);
  };

  #onError = (fault: Error): void => {
    this.destroy(fault);
  };

  #onClose = (): void => {
    if (!this.#ended) this.destroy(this.#source.errored ?? new Error('The request body ended before it was whole.'));
  };
}

function ignore(): void {}
