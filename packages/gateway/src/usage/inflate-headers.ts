/** What stands before the data of gzip (RFC 1952, 2.3) and of the content coding `deflate` (RFC 9110, 8.4.1.2), byte by byte. */

/** `broken`: it is no such header. */
type HeaderState = 'part' | 'whole' | 'broken';

const nothing = Buffer.alloc(0);

const hasCheckSum = 0x02;
const hasExtra = 0x04;
const hasName = 0x08;
const hasComment = 0x10;
const reserved = 0xe0;
const magic = [0x1f, 0x8b, 0x08];
const fixedBytes = 10;

/** The header of one member. */
export class GzipHeader {
  state: HeaderState = 'part';
  /** Bytes of it that are data. */
  readonly data = nothing;
  #count = 0;
  #flags = 0;
  /** Fields that are still to come, by their flags. */
  #fields = 0;
  /** Bytes of the current field that are still to come, or of its length. */
  #due = 0;
  /** How many extra bytes there are; null before their length has come. */
  #extraBytes: number | null = null;
  #lowByte = 0;

  take(byte: number): void {
    if (this.#count < fixedBytes) this.#takeFixed(byte);
    else this.#takeField(byte);
  }

  #takeFixed(byte: number): void {
    const at = this.#count++;
    if (at < magic.length && byte !== magic[at]) this.state = 'broken';
    if (at === magic.length) this.#flags = byte;
    if (this.#count < fixedBytes || this.state === 'broken') return;
    if ((this.#flags & reserved) !== 0) this.state = 'broken';
    else this.#beginFields();
  }

  #beginFields(): void {
    this.#fields = this.#flags & (hasExtra | hasName | hasComment | hasCheckSum);
    if (this.#fields === 0) this.state = 'whole';
    else if ((this.#fields & (hasExtra | hasCheckSum)) !== 0) this.#due = 2;
  }

  /** The order is that of the format: extra bytes, name, comment, check sum. */
  #takeField(byte: number): void {
    if ((this.#fields & hasExtra) !== 0) this.#takeExtra(byte);
    else if ((this.#fields & hasName) !== 0) this.#endIf(byte === 0, hasName);
    else if ((this.#fields & hasComment) !== 0) this.#endIf(byte === 0, hasComment);
    else this.#endIf(--this.#due === 0, hasCheckSum);
  }

  #takeExtra(byte: number): void {
    this.#due -= 1;
    if (this.#extraBytes === null) {
      if (this.#due > 0) this.#lowByte = byte;
      else this.#extraBytes = this.#due = this.#lowByte + byte * 256;
    }
    this.#endIf(this.#due === 0, hasExtra);
  }

  #endIf(isOver: boolean, field: number): void {
    if (!isOver) return;
    this.#fields &= ~field;
    this.#due = 2;
    if (this.#fields === 0) this.state = 'whole';
  }
}

const deflateMethod = 8;
const windowMax = 7;
const hasDictionary = 0x20;

/** The two bytes of zlib. Some servers send bare data: then they are data. */
export class DeflateHeader {
  state: HeaderState = 'part';
  /** Bytes of it that are data. */
  data: Buffer = nothing;
  #first = -1;

  take(byte: number): void {
    if (this.#first < 0) {
      this.#first = byte;
      if ((byte & 0x0f) !== deflateMethod || byte >> 4 > windowMax) this.#isData(byte);
    } else if ((this.#first * 256 + byte) % 31 !== 0) this.#isData(this.#first, byte);
    else this.state = (byte & hasDictionary) === 0 ? 'whole' : 'broken';
  }

  #isData(...bytes: number[]): void {
    this.data = Buffer.from(bytes);
    this.state = 'whole';
  }
}
