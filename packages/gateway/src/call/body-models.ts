/**
 * A held body → every model that it may be asking for, as JSON or as a form (RFC 7578). Rule 6g. A form counts only if it has one reading: nothing
 * before its first boundary, lines that end as they must, plain heads. Every usual client writes such forms.
 */
import { furtherModels, ModelScanner } from '@metergate/core/call/models-asked.ts';
import type { BodyModels } from '@metergate/core/call/allowed-models.ts';
import { allValues, type HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import { formBoundary } from './form-field.ts';

/** The longest head of a part, in bytes. */
const headBytesMax = 4096;
const nameBytesMax = 1024;

export interface BodyModelReader {
  /** The next bytes, cut anywhere. None is kept. */
  push(chunk: Buffer): void;
  /** What the body asks for, if it ends here. `pieces`: all that was pushed, cut anywhere. Only a form is read from them. */
  result(pieces: readonly Buffer[]): BodyModels;
}

/** The reader for one body, by its request's headers. */
export function createBodyModelReader(rawHeaders: HeaderPairs): BodyModelReader {
  const types = allValues(rawHeaders, 'content-type');
  if (!types.some((type) => /multipart/i.test(type))) return new JsonBody();
  const boundary = formBoundary(types[0]!);
  const isPlain = types.length === 1 && boundary !== null && types[0]!.match(/boundary/gi)!.length === 1;
  return new FormBody(isPlain ? boundary : null);
}

/** What a whole body asks for. */
export function bodyModelsOf(content: Buffer, rawHeaders: HeaderPairs): BodyModels {
  const reader = createBodyModelReader(rawHeaders);
  reader.push(content);
  return reader.result([content]);
}

class JsonBody implements BodyModelReader {
  readonly #scanner = new ModelScanner();
  #bytes = 0;

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#scanner.push(chunk);
  }

  result(): BodyModels {
    return this.#bytes === 0 ? 'none' : this.#scanner.result();
  }
}

class FormBody implements BodyModelReader {
  readonly #boundary: string | null;

  /** @param boundary null: the form does not plainly name one */
  constructor(boundary: string | null) {
    this.#boundary = boundary;
  }

  /** Whoever holds the body keeps its bytes, and counts them. */
  push(): void {}

  result(pieces: readonly Buffer[]): BodyModels {
    const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    if (body.length === 0) return 'none';
    return this.#boundary === null ? 'unread' : modelsOfForm(body, `--${this.#boundary}`);
  }
}

function modelsOfForm(body: Buffer, delimiter: string): BodyModels {
  const models: string[] = [];
  if (!body.subarray(0, delimiter.length).equals(Buffer.from(delimiter, 'latin1'))) return 'unread';
  for (let at = 0; ;) {
    const from = at + delimiter.length;
    const after = body.toString('latin1', from, from + 2);
    if (after === '--') return /^(?:\r\n)?$/.test(body.toString('latin1', from + 2)) ? models : 'unread';
    const next = body.indexOf(delimiter, from, 'latin1');
    if (after !== '\r\n' || next === -1 || body.toString('latin1', next - 2, next) !== '\r\n' || next - 2 < from + 2) return 'unread';
    const named = modelOfPart(body.subarray(from + 2, next - 2));
    if (named === 'unread') return 'unread';
    if (named !== null) models.push(named.model);
    at = next;
  }
}

/** Null: the part is another field. */
function modelOfPart(part: Buffer): { readonly model: string } | null | 'unread' {
  const end = part.indexOf('\r\n\r\n');
  if (end === -1 || end > headBytesMax) return 'unread';
  const lines = part.toString('latin1', 0, end).split('\r\n');
  if (lines.some((line) => !plainLine.test(line))) return 'unread';
  const dispositions = lines.filter((line) => /^content-disposition:/i.test(line));
  const field = dispositions.length === 1 ? plainDisposition.exec(dispositions[0]!) : null;
  if (field === null) return 'unread';
  const [, name, file] = field;
  if (!mayNameModels(name!)) return null;
  const isPlain = name === 'model' && file === undefined && lines.every((line) => line === dispositions[0] || plainType.test(line));
  const value = part.subarray(end + 4);
  return isPlain && value.length <= nameBytesMax && isUtf8Text(value) ? { model: value.toString() } : 'unread';
}

/** A line of a head: a name, a colon and visible text. No folded lines, and no other encoding of the value. */
const plainLine = /^(?!content-transfer-encoding:)[a-z0-9-]+:[\x20-\x7e\x80-\xff\t]*$/i;
const plainDisposition =
  /^content-disposition:[ \t]*form-data;[ \t]*name="([^"\\]*)"(;[ \t]*filename="[^"\\]*"(?:;[ \t]*filename\*=[^;\s"]+)?)?[ \t]*$/i;
const plainType = /^content-type:[ \t]*text\/plain(?:;[ \t]*charset="?utf-8"?)?[ \t]*$/i;

/** A field that some server could take for the model, also escaped, with spaces, with brackets, or in another case. */
function mayNameModels(name: string): boolean {
  const plain = name.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/[^a-z]/gi, '').toLowerCase();
  return plain === 'model' || furtherModels.includes(plain);
}

function isUtf8Text(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString()).equals(bytes);
}
