/**
 * Gzip and deflate → the bytes they hold. The runtime decodes the data; what stands around them is read here, because the runtime's own decoders
 * drop what a piece of input held if something is wrong behind it: what was read would depend on how the bytes arrived. What follows the end is
 * ignored (decision 371).
 */
import type { TransformCallback } from 'node:stream';
import zlib from 'node:zlib';
import { GzipSum, NoSum, ZlibSum, type CheckSum } from './check-sums.ts';
import { CutShort } from './cut-short.ts';
import { DeflateHeader, GzipHeader } from './inflate-headers.ts';

/** Members of one gzip body that are read. Each is a task of its own for the runtime, and an honest body has few. */
const membersMax = 1_000;

const nothing = Buffer.alloc(0);

export class Inflating extends zlib.InflateRaw {
  readonly #form: 'gzip' | 'deflate';
  #header: GzipHeader | DeflateHeader;
  #sum: CheckSum = new NoSum();
  /** Bytes of a trailer that is not whole. */
  #trailer = nothing;
  #place: 'header' | 'data' | 'trailer' | 'over' = 'header';
  /** The runtime has found the end of the data. */
  #dataEnded = false;
  #membersWhole = 0;
  #isFlushed = false;
  #fault: Error | null = null;

  /** @param chunkSize decoded bytes returned at once */
  constructor(form: 'gzip' | 'deflate', chunkSize: number) {
    super({ chunkSize });
    this.#form = form;
    this.#header = form === 'gzip' ? new GzipHeader() : new DeflateHeader();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#take(chunk, done);
  }

  override _flush(done: TransformCallback): void {
    // The last byte that came may have been the end of bare data: the runtime knows.
    if (this.#place === 'data' && this.#sum.trailerBytes === 0) this.#decode(nothing, () => this.#endWith(done, null));
    else this.#endWith(done, this.#isWhole ? null : new CutShort());
  }

  get #isWhole(): boolean {
    return this.#membersWhole > 0 && (this.#place === 'header' || this.#place === 'over');
  }

  #endWith(done: TransformCallback, fault: Error | null): void {
    this.#isFlushed = true;
    done(fault);
  }

  /** The runtime ends the stream where the data end. More may follow. */
  override push(chunk: Buffer | null): boolean {
    if (chunk !== null) this.#sum.add(chunk);
    else if (!this.#isFlushed) {
      this.#dataEnded = true;
      return true;
    }
    return super.push(chunk);
  }

  #take(bytes: Buffer, done: TransformCallback): void {
    let rest = bytes;
    while (rest.length > 0 && this.#place !== 'over' && this.#fault === null) {
      if (this.#place === 'data') return this.#inflate(rest, done);
      rest = this.#place === 'header' ? this.#readHeader(rest) : this.#readTrailer(rest);
    }
    done(this.#fault);
  }

  /** Returns what stands behind these bytes of the header. */
  #readHeader(bytes: Buffer): Buffer {
    const header = this.#header;
    let at = 0;
    while (at < bytes.length && header.state === 'part') header.take(bytes[at++]!);
    if (header.state === 'broken') this.#endBehindMembers();
    if (header.state !== 'whole') return nothing;
    this.#place = 'data';
    this.#sum = this.#form === 'gzip' ? new GzipSum() : header.data.length > 0 ? new NoSum() : new ZlibSum();
    return header.data.length === 0 ? bytes.subarray(at) : Buffer.concat([header.data, bytes.subarray(at)]);
  }

  /** What stands here is no member. Behind others it may be anything. */
  #endBehindMembers(): void {
    this.#place = 'over';
    if (this.#membersWhole === 0) this.#fault = new Error(`The body is not ${this.#form}.`);
  }

  #inflate(bytes: Buffer, done: TransformCallback): void {
    const before = this.bytesWritten;
    this.#decode(bytes, (fault) => {
      if (this.destroyed || !this.#dataEnded) return done(fault);
      this.#dataEnded = false;
      this.#place = 'trailer';
      this.#take(this.#readTrailer(bytes.subarray(this.bytesWritten - before)), done);
    });
  }

  #decode(bytes: Buffer, done: TransformCallback): void {
    super._transform(bytes, 'latin1', done);
  }

  /** Returns what stands behind these bytes of the trailer. */
  #readTrailer(bytes: Buffer): Buffer {
    const due = this.#sum.trailerBytes - this.#trailer.length;
    this.#trailer = Buffer.concat([this.#trailer, bytes.subarray(0, due)]);
    if (bytes.length >= due) this.#endMember();
    return bytes.subarray(due);
  }

  #endMember(): void {
    if (!this.#sum.isTold(this.#trailer)) this.#fault = new Error('The check sum is another one.');
    this.#membersWhole += 1;
    if (this.#membersWhole === membersMax) this.#fault = new Error('The body has too many members.');
    if (this.#form === 'deflate') this.#place = 'over';
    else this.#beginMember();
  }

  #beginMember(): void {
    this.reset();
    this.#trailer = nothing;
    this.#header = new GzipHeader();
    this.#place = 'header';
  }
}
