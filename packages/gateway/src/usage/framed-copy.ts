/**
 * The copy of a binary event stream (`application/vnd.amazon.eventstream`): each frame is read by the vendor's own codec and given to the reader as
 * an event. A frame that carries another API's event in base64 gives that one, any other its payload under the name of its type. The codec is
 * loaded with the first such answer; what comes before that is held.
 */
import { Buffer } from 'node:buffer';
import type { EventStreamCodec } from '@smithy/eventstream-codec';
import type { Reading } from '@metergate/core/usage/reading.ts';
import type { CopyReader } from './copy-reader.ts';
import { withReason, type GuardedReader } from './guarded-reader.ts';

/** The longest frame that is read, and the most that is held of an answer. Frames of models have a few hundred bytes. */
const heldBytesMax = 1024 * 1024;
/** The lengths, the check sum of both, and the check sum of all. */
const frameBytesMin = 16;

let codec: EventStreamCodec | null = null;
let loading: Promise<void> | null = null;

/** Never rejects: without a codec, such answers are unreadable. */
function load(): Promise<void> {
  return loading ??= loadOnce();
}

async function loadOnce(): Promise<void> {
  const module = await import('@smithy/eventstream-codec').catch(() => null);
  // Bundled, a package of this form has all its exports in the default one.
  const Codec = module?.default.EventStreamCodec;
  if (Codec !== undefined) codec = new Codec((bytes) => Buffer.from(bytes).toString('utf8'), (text) => Buffer.from(text, 'utf8'));
}

export class FramedCopy implements CopyReader {
  readonly dialogueEnded = false;
  readonly #reader: GuardedReader;
  /** What came and is not read. It is put together only once there is a whole frame: pieces may be small and frames long. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** There is something to read from so many bytes on. */
  #wantedBytes = frameBytesMin;
  #unreadable = false;
  #finished = false;

  constructor(reader: GuardedReader) {
    this.#reader = reader;
    if (codec === null) void this.#awaitCodec();
  }

  async #awaitCodec(): Promise<void> {
    await load();
    if (codec === null) this.#giveUp();
    else this.#takeFrames();
  }

  push(chunk: Buffer): void {
    if (this.#finished || this.#unreadable) return;
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (codec !== null) this.#takeFrames();
    else if (this.#heldBytes > heldBytesMax) this.#giveUp();
  }

  drop(): void {
    this.#finished = true;
    this.#keep(null);
  }

  /** A second call is ignored. */
  finish(ending: 'whole' | 'cut', _waitMs: number, done: (reading: Reading) => void): void {
    if (this.#finished) return;
    if (codec !== null) this.#report(ending, done);
    else void this.#reportLater(ending, done);
  }

  async #reportLater(ending: 'whole' | 'cut', done: (reading: Reading) => void): Promise<void> {
    await load();
    if (codec === null) this.#giveUp();
    this.#report(ending, done);
  }

  #report(ending: 'whole' | 'cut', done: (reading: Reading) => void): void {
    if (this.#finished) return;
    this.#takeFrames();
    const isWhole = ending === 'whole' && this.#heldBytes === 0 && !this.#unreadable;
    this.#finished = true;
    const reading = this.#reader.finish(isWhole ? 'whole' : 'cut');
    done(isWhole || ending === 'cut' ? reading : withReason(reading, 'not_readable', ending));
  }

  #giveUp(): void {
    this.#unreadable = true;
    this.#keep(null);
  }

  /** The caller's buffers are not kept. */
  #keep(rest: Buffer | null): void {
    this.#held = rest === null ? [] : [Buffer.from(rest)];
    this.#heldBytes = rest?.length ?? 0;
  }

  #takeFrames(): void {
    if (this.#finished || this.#unreadable || this.#heldBytes < this.#wantedBytes) return;
    const held = Buffer.concat(this.#held, this.#heldBytes);
    let from = 0;
    this.#wantedBytes = frameBytesMin;
    try {
      while (held.length - from >= frameBytesMin) {
        const bytes = held.readUInt32BE(from);
        if (bytes < frameBytesMin || bytes > heldBytesMax) return this.#giveUp();
        if (held.length - from < bytes) {
          this.#wantedBytes = bytes;
          break;
        }
        this.#takeFrame(held.subarray(from, from + bytes));
        from += bytes;
      }
    } catch {
      return this.#giveUp();
    }
    this.#keep(held.subarray(from));
  }

  /** @throws what the codec throws of a frame that is damaged, and of a payload that is no JSON. */
  #takeFrame(frame: Buffer): void {
    const { headers, body } = codec!.decode(frame);
    if (headers[':message-type']?.value !== 'event') return;
    const payload = Buffer.from(body).toString('utf8');
    const type = headers[':event-type']?.value;
    const event = type === 'chunk' ? carriedIn(payload) : `{${JSON.stringify(String(type))}:${payload}}`;
    this.#reader.push(Buffer.from(`data: ${event.replace(/[\r\n]/g, ' ')}\n\n`));
  }
}

function carriedIn(payload: string): string {
  const { bytes } = JSON.parse(payload) as { readonly bytes?: unknown };
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString('utf8') : '{}';
}
