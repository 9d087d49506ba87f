/**
 * What of a zstd body is given to the decoder, and in which pieces (RFC 8878, 3.1): whole frames without skippable ones and what follows the last
 * frame, and a check sum apart from what stands before it. The decoder drops what a piece of input held if something is wrong behind it: what was
 * read would depend on how the bytes arrived (decision 371).
 */

/** Numbers are little-endian. */
const magic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;
const magicBytes = 4;
const sizeBytes = 4;
const blockHeaderBytes = 3;
const checkSumBytes = 4;
const hasCheckSum = 0x04;
const isSingleSegment = 0x20;
const dictionaryIdBytes = [0, 1, 2, 4];
const contentSizeBytes = [0, 2, 4, 8];
const typeOfRuns = 1;

/** What is read byte by byte. `other`: it is no zstd, and all is the decoder's. `over`: nothing more is. */
type Phase = 'magic' | 'skippableSize' | 'descriptor' | 'blockHeader' | 'checkSum' | 'other' | 'over';

/** Frames with a check sum that are read. Each is a task of its own for the runtime, and an honest body has few. */
const checkSumsMax = 1_000;

export class ZstdFrames {
  #phase: Phase = 'magic';
  /** Bytes to pass on before the phase goes on, or to skip. */
  #passDue = 0;
  #skipDue = 0;
  /** The number that is being read, and how many bytes of it came. */
  #number = 0;
  #numberBytes = 0;
  #hasCheckSum = false;
  #checkSums = 0;
  /** The last block of a frame has begun. */
  #hasFrame = false;
  /** The rest is not the decoder's, and may hold anything. */
  hasTooMany = false;

  /** A frame is whole, and no other one has begun behind it. */
  get isWhole(): boolean {
    const isBetween = this.#phase === 'magic' || this.#phase === 'skippableSize' || this.#phase === 'over';
    return this.#hasFrame && this.#passDue === 0 && isBetween;
  }

  /** Calls `pass` with those of these bytes that are the decoder's, in the pieces in which it is to get them. */
  take(bytes: Buffer, pass: (piece: Buffer) => void): void {
    // The magic number of a frame may have begun in bytes before these.
    const taken = Buffer.allocUnsafe(bytes.length + magicBytes);
    let from = 0;
    let to = 0;
    for (let at = 0; at < bytes.length && this.#phase !== 'over';) {
      const left = bytes.length - at;
      if (this.#phase === 'other') this.#passDue = left;
      const run = Math.min(left, this.#passDue > 0 ? this.#passDue : this.#skipDue);
      if (this.#passDue > 0) {
        to += bytes.copy(taken, to, at, at + run);
        this.#passDue -= run;
      } else if (run > 0) this.#skipDue -= run;
      else to = this.#takeByte(bytes[at]!, taken, to);
      at += Math.max(1, run);
      if (this.#phase !== 'checkSum' || this.#passDue > 0) continue;
      if (to > from) pass(taken.subarray(from, to));
      from = to;
      this.#passCheckSum();
    }
    if (to > from) pass(taken.subarray(from, to));
  }

  #passCheckSum(): void {
    this.#checkSums += 1;
    this.hasTooMany = this.#checkSums > checkSumsMax;
    this.#phase = this.hasTooMany ? 'over' : 'magic';
    this.#passDue = checkSumBytes;
  }

  /** Where the next byte is to be written. */
  #takeByte(byte: number, taken: Buffer, to: number): number {
    switch (this.#phase) {
      case 'magic': return this.#isNumberWhole(byte, magicBytes) ? this.#begin(this.#number, taken, to) : to;
      case 'skippableSize':
        if (!this.#isNumberWhole(byte, sizeBytes)) return to;
        this.#skipDue = this.#number;
        this.#phase = 'magic';
        return to;
      case 'descriptor':
        this.#describe(byte);
        return taken.writeUInt8(byte, to);
      default:
        if (this.#isNumberWhole(byte, blockHeaderBytes)) this.#beginBlock(this.#number);
        return taken.writeUInt8(byte, to);
    }
  }

  #isNumberWhole(byte: number, bytes: number): boolean {
    if (this.#numberBytes === 0) this.#number = 0;
    this.#number += byte * 2 ** (8 * this.#numberBytes++);
    if (this.#numberBytes < bytes) return false;
    this.#numberBytes = 0;
    return true;
  }

  /** What begins with this number. */
  #begin(number: number, taken: Buffer, to: number): number {
    if (number === magic) this.#phase = 'descriptor';
    else if (number - number % 16 === skippableMagic) this.#phase = 'skippableSize';
    else this.#phase = this.#hasFrame ? 'over' : 'other';
    return this.#phase === 'descriptor' || this.#phase === 'other' ? taken.writeUInt32LE(number, to) : to;
  }

  #describe(descriptor: number): void {
    const isSingle = (descriptor & isSingleSegment) !== 0;
    const dictionaryId = dictionaryIdBytes[descriptor & 3] ?? 0;
    const contentSize = contentSizeBytes[descriptor >> 6] ?? 0;
    this.#hasCheckSum = (descriptor & hasCheckSum) !== 0;
    this.#passDue = (isSingle ? 0 : 1) + dictionaryId + (isSingle && contentSize === 0 ? 1 : contentSize);
    this.#phase = 'blockHeader';
  }

  #beginBlock(header: number): void {
    this.#passDue = (header >> 1 & 3) === typeOfRuns ? 1 : header >> 3;
    if ((header & 1) === 0) return;
    this.#hasFrame = true;
    this.#phase = this.#hasCheckSum ? 'checkSum' : 'magic';
  }
}
