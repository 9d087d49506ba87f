/**
 * The copy of a compressed response: received bytes go through one or two decoders to the reader, piece by piece, each in its turn
 * among all copies of the node. The caller's bytes never wait. A copy is given up quietly if the decoders cannot keep up, if it expands past
 * its allowance, or if it is not in the stated coding. The reading says why, and keeps what was reported before that point.
 */
import type { Transform } from 'node:stream';
import { usageUnknown, type Reading, type UsageReason } from '@metergate/core/usage/reading.ts';
import { BrotliDecodersBusy } from './brotli-wasm.ts';
import type { Coding } from './content-coding.ts';
import { decodedAllowance, type CopyLimits } from './copy-limits.ts';
import type { CopyReader } from './copy-reader.ts';
import { isCutShort } from './cut-short.ts';
import { createDecoder, type DecoderOptions } from './decoders.ts';
import type { DecodingPlaces, Placed } from './decoding-places.ts';
import type { DecodingTurns } from './decoding-turns.ts';
import { withReason, type GuardedReader } from './guarded-reader.ts';
import { afterOwnTime, type Wait } from './own-time.ts';

interface DecodingCopyOptions extends Omit<DecoderOptions, 'inTurn'> {
  readonly reader: GuardedReader;
  readonly turns: DecodingTurns;
  readonly places: DecodingPlaces;
  /** Whose places it uses: those of the organization on this wire. */
  readonly placesOf: string;
  /** In the order of decoding. */
  readonly codings: readonly Coding[];
  readonly limits: CopyLimits;
}

/** A copy that expands without end has decoded this many bytes more than its received bytes allow. */
const expandedBytesFloor = 256 * 1024;

let open = 0;

/** Decoders of this thread that are open. */
export function decodersOpen(): number {
  return open;
}

interface Finishing {
  readonly ending: 'whole' | 'cut';
  readonly done: (reading: Reading) => void;
  readonly wait: Wait;
}

export class DecodingCopy implements CopyReader, Placed {
  readonly #options: DecodingCopyOptions;
  /** Opened by the first bytes that reach them. */
  readonly #decoders: Transform[] = [];
  readonly #decodedBytes: number[] = [];
  #receivedBytes = 0;
  #waitingBytes = 0;
  /** What arrived while the copy has no place. */
  #given: Buffer[] = [];
  #place: 'none' | 'sought' | 'held' = 'none';
  /** Set once the copy is given up: nothing more is read. */
  #reason: UsageReason | null = null;
  /** The data of a coding are damaged. A decoder keeps back what the piece with the damage held before it. */
  #damaged = false;
  #decoded = false;
  #finishing: Finishing | null = null;
  #finished = false;

  constructor(options: DecodingCopyOptions) {
    this.#options = options;
  }

  get dialogueEnded(): boolean {
    return this.#options.reader.dialogueEnded;
  }

  push(chunk: Buffer): void {
    if (this.#stopped || this.#finished || this.#finishing !== null || chunk.length === 0) return;
    const { limits } = this.#options;
    this.#receivedBytes += chunk.length;
    if (this.#waitingBytes + chunk.length > limits.waitingBytesMax || limits.waiting.now + chunk.length > limits.waiting.max) {
      this.#giveUp('decode_late');
      return;
    }
    this.#await(chunk.length);
    this.#given.push(chunk);
    if (this.#place === 'held') this.#feedGiven();
    else if (this.#place === 'none') this.#seekPlace();
  }

  #seekPlace(): void {
    this.#place = 'sought';
    this.#options.places.seek(this.#options.placesOf, this);
  }

  begin(): void {
    this.#place = 'held';
    this.#feedGiven();
  }

  #feedGiven(): void {
    for (const chunk of this.#given.splice(0)) this.#inTurn(() => this.#feed(0, chunk, () => this.#taken(chunk.length)));
  }

  /** This many received bytes are decoded. */
  #taken(bytes: number): void {
    this.#await(-bytes);
    if (this.#finishing !== null) this.#endWhenTaken();
    else if (this.#waitingBytes === 0) this.#leavePlace();
  }

  #leavePlace(): void {
    if (this.#place === 'none') return;
    this.#place = 'none';
    const { places, placesOf } = this.#options;
    if (this.#expandedWithoutEnd) places.leaveExpanding(placesOf, this);
    else places.leave(placesOf, this);
  }

  /** The copy was given up after more decoded bytes than any honest body has for so few received ones. */
  get #expandedWithoutEnd(): boolean {
    const decoded = Math.max(0, ...this.#decodedBytes);
    return this.#reason !== null && decoded > expandedBytesFloor + this.#receivedBytes * this.#options.limits.decodedPerReceived;
  }

  /** Work for a copy that is no longer read is dropped. */
  readonly #inTurn = (piece: () => void): void => {
    this.#options.turns.next(this.#options.organization, () => {
      if (this.#stopped || this.#finished) return;
      try {
        piece();
      } catch {
        this.#giveUp('reader_fault');
      }
    });
  };

  /** A second call is ignored. */
  finish(ending: 'whole' | 'cut', waitMs: number, done: (reading: Reading) => void): void {
    if (this.#finished || this.#finishing !== null) return;
    const untouched = this.#receivedBytes === 0;
    if (this.#stopped || untouched || this.dialogueEnded) {
      this.#report(ending, done);
      return;
    }
    const wait = afterOwnTime(waitMs, () => this.#giveUp('decode_late'));
    this.#finishing = { ending, done, wait };
    this.#endWhenTaken();
  }

  /** Ends the first decoder only after it has consumed its input: ended earlier, it would drop what a truncated coding still held. */
  #endWhenTaken(): void {
    if (this.#finishing !== null && this.#waitingBytes === 0) this.#decoders[0]!.end();
  }

  get #stopped(): boolean {
    return this.#reason !== null || this.#decoded;
  }

  /** Gives bytes to the decoder at `stage`, opening it first if there is none. */
  #feed(stage: number, chunk: Uint8Array, taken?: () => void): void {
    const decoder = this.#decoders[stage] ?? this.#open(stage, chunk);
    if (decoder === null) return;
    const roomy = decoder.write(chunk, taken);
    const upstream = this.#decoders[stage - 1];
    if (roomy || upstream === undefined) return;
    upstream.pause();
    decoder.once('drain', () => upstream.resume());
  }

  #open(stage: number, firstChunk: Uint8Array): Transform | null {
    let decoder: Transform;
    try {
      decoder = createDecoder(this.#options.codings[stage]!, firstChunk, { ...this.#options, inTurn: this.#inTurn });
    } catch (fault) {
      this.#giveUp(fault instanceof BrotliDecodersBusy ? 'decode_limit' : 'decode_failed');
      return null;
    }
    this.#decoders[stage] = decoder;
    open += 1;
    decoder.once('close', () => { open -= 1; });
    this.#decodedBytes[stage] = 0;
    decoder.on('data', (slice: Buffer) => this.#take(stage, slice));
    decoder.on('end', () => this.#endStage(stage));
    decoder.on('error', (fault) => this.#break(stage, fault));
    return decoder;
  }

  /** One decoded slice. Every stage is bounded: a bomb may sit in the outer coding alone. */
  #take(stage: number, slice: Buffer): void {
    if (this.#stopped || this.#finished) return;
    this.#decodedBytes[stage]! += slice.length;
    if (this.#decodedBytes[stage]! > decodedAllowance(this.#options.limits, this.#receivedBytes)) this.#giveUp('decode_limit');
    else if (stage + 1 < this.#options.codings.length) this.#feed(stage + 1, slice);
    else this.#read(slice);
  }

  /** The decoder pauses until its slice has been read: it would otherwise fill memory and occupy one of the runtime's few threads. */
  #read(slice: Buffer): void {
    const last = this.#decoders.at(-1)!;
    last.pause();
    this.#inTurn(() => {
      this.#options.reader.push(slice);
      last.resume();
    });
  }

  #endStage(stage: number): void {
    if (this.#stopped) return;
    const next = this.#decoders[stage + 1];
    if (next !== undefined) next.end();
    else this.#inTurn(() => this.#settle(null));
  }

  /** A decoder refused its input. If the response was cut, an early end is no fault of the coding. */
  #break(stage: number, fault: Error): void {
    for (let slice = this.#readOut(stage); slice !== null; slice = this.#readOut(stage)) this.#take(stage, slice);
    this.#inTurn(() => {
      if (!isCutShort(fault)) this.#damaged = true;
      else if (this.#finishing?.ending === 'cut') return this.#settle(null);
      this.#giveUp('decode_failed');
    });
  }

  /** What a decoder had decoded before it failed. */
  #readOut(stage: number): Buffer | null {
    return this.#decoders[stage]!.read() as Buffer | null;
  }

  /** Nothing more is read, whether it waits or is still to come. */
  drop(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#release();
  }

  #giveUp(reason: UsageReason): void {
    if (!this.#stopped) this.#settle(reason);
  }

  #settle(reason: UsageReason | null): void {
    if (this.#stopped) return;
    this.#reason = reason;
    this.#decoded = true;
    if (this.#finishing !== null) this.#report(this.#finishing.ending, this.#finishing.done);
    else this.#release();
  }

  #report(ending: 'whole' | 'cut', done: (reading: Reading) => void): void {
    this.#finished = true;
    this.#release();
    const { reader } = this.#options;
    // What was read of damaged data depends on the pieces in which they came, unless it was all there was to read.
    const counts = !this.#damaged || reader.dialogueEnded;
    const reading = reader.finish(this.#reason === null ? ending : 'cut');
    if (!counts) done(reading.usageReason === 'reader_fault' ? reading : usageUnknown('decode_failed'));
    else done(this.#reason === null ? reading : withReason(reading, this.#reason, ending));
  }

  #release(): void {
    this.#finishing?.wait.cancel();
    this.#finishing = null;
    this.#await(-this.#waitingBytes);
    this.#given = [];
    this.#leavePlace();
    for (const decoder of this.#decoders) decoder.destroy();
  }

  /** Counts bytes that wait for the first decoder, here and for the process. After the release nothing counts. */
  #await(bytes: number): void {
    const change = Math.max(bytes, -this.#waitingBytes);
    this.#waitingBytes += change;
    this.#options.limits.waiting.now += change;
  }
}
