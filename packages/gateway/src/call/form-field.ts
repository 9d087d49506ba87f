/**
 * One field of a `multipart/form-data` body (RFC 7578) → its value, read from pieces cut anywhere, in constant memory: nothing is kept but the head
 * of the part being read, the value that is asked for, and as many bytes as may begin a boundary.
 */

/** The longest head of a part that is read, in bytes; a part with a longer one is skipped. */
const headBytesMax = 4096;
const crlf = '\r\n';
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The boundary of a form, from its `content-type`; null: it is no form. */
export function formBoundary(contentType: string | null): string | null {
  if (contentType === null || !/^\s*multipart\/form-data\s*;/i.test(contentType)) return null;
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  return match === null ? null : match[1] ?? match[2]!;
}

/** Reads the field `name`. If there are several of that name, the last counts. */
export class FormFieldReader {
  readonly #name: string;
  readonly #valueBytesMax: number;
  readonly #delimiter: Buffer;
  /** Bytes that may belong to a delimiter, a head or the value; the rest has been passed over. */
  #kept: Buffer;
  #state: 'passing' | 'head' | 'value' | 'over' = 'passing';
  #found: string | null = null;

  constructor(boundary: string, name: string, valueBytesMax: number) {
    this.#name = name;
    this.#valueBytesMax = valueBytesMax;
    this.#delimiter = Buffer.from(`${crlf}--${boundary}`, 'latin1');
    // A body begins with a boundary without the line break before it.
    this.#kept = Buffer.from(crlf, 'latin1');
  }

  /** The value, once its part has ended; null: there is none, or it is longer than its bound. */
  value(): string | null {
    return this.#found;
  }

  push(chunk: Uint8Array): void {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#state === 'passing') rest = this.#passOver(rest);
    if (this.#state === 'over' || rest.length === 0) return;
    let bytes = this.#kept.length === 0 ? rest : Buffer.concat([this.#kept, rest]);
    for (let step = this.#step(bytes); step !== null; step = this.#step(bytes)) bytes = step;
    this.#kept = Buffer.from(this.#worthKeeping(bytes));
  }

  /** For a long part that is skipped, only the seam with the piece before is copied together. The rest is searched where it is. */
  #passOver(chunk: Buffer): Buffer {
    const seam = this.#delimiter.length - 1;
    if (chunk.length <= seam) return chunk;
    const joint = Buffer.concat([this.#kept, chunk.subarray(0, seam)]);
    if (joint.includes(this.#delimiter)) return chunk;
    const at = chunk.indexOf(this.#delimiter);
    this.#kept = Buffer.alloc(0);
    return at === -1 ? chunk.subarray(chunk.length - seam) : chunk.subarray(at);
  }

  /** What is left once the next piece of the form was read; null: more bytes are needed. */
  #step(bytes: Buffer): Buffer | null {
    if (this.#state === 'head') return this.#readHead(bytes);
    if (this.#state === 'over') return null;
    const at = bytes.indexOf(this.#delimiter);
    if (at === -1) return this.#state === 'value' && bytes.length > this.#valueBytesMax + this.#delimiter.length ? this.#pass(bytes) : null;
    const next = at + this.#delimiter.length;
    if (bytes.length < next + 2) return null;
    if (this.#state === 'value') this.#found = at > this.#valueBytesMax ? null : decoder.decode(bytes.subarray(0, at));
    const isLast = bytes[next] === 0x2d && bytes[next + 1] === 0x2d;
    this.#state = isLast ? 'over' : 'head';
    return bytes.subarray(next);
  }

  /** A boundary before the end of a head ends its part: nothing behind it is looked at twice, however many parts have no head. */
  #readHead(bytes: Buffer): Buffer | null {
    const next = bytes.indexOf(this.#delimiter);
    const end = (next === -1 ? bytes : bytes.subarray(0, next + crlf.length)).indexOf(crlf + crlf);
    if (end === -1 || end > headBytesMax) return next !== -1 || bytes.length > headBytesMax ? this.#pass(bytes) : null;
    const head = bytes.toString('latin1', 0, end);
    this.#state = nameIn(head) === this.#name ? 'value' : 'passing';
    return bytes.subarray(end + 2 * crlf.length - (this.#state === 'passing' ? crlf.length : 0));
  }

  #pass(bytes: Buffer): Buffer {
    if (this.#state === 'value') this.#found = null;
    this.#state = 'passing';
    return bytes;
  }

  #worthKeeping(bytes: Buffer): Buffer {
    if (this.#state === 'over') return bytes.subarray(bytes.length);
    if (this.#state !== 'passing') return bytes;
    const at = bytes.indexOf(this.#delimiter);
    return bytes.subarray(at === -1 ? Math.max(bytes.length - this.#delimiter.length + 1, 0) : at);
  }
}

/** The field's name in the head of a part; null: a file, or no name. */
function nameIn(head: string): string | null {
  const disposition = /^content-disposition:[ \t]*form-data(.*)$/im.exec(head)?.[1];
  if (disposition === undefined || /;[ \t]*filename\*?=/i.test(disposition)) return null;
  return /;[ \t]*name=(?:"([^"]*)"|([^\s;]+))/i.exec(disposition)?.slice(1).find((each) => each !== undefined) ?? null;
}
