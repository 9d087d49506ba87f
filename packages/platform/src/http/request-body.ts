/**
 * A request's body → the JSON object in it, or the refusal: one media type, no content coding, at most `bytesMax` bytes counted as they
 * arrive, valid UTF-8, one JSON object without duplicate names, of a bounded number of values. None of it is ever repeated or logged.
 */
import { jsonExtent } from '@metergate/core/json/json-extent.ts';
import type { CountedBody } from './body-budget.ts';
import { HttpRefusal } from './envelope.ts';
import { repeatedName } from './repeated-name.ts';

/** Enough for every resource but the tap's batches, which have a separate limit. */
export const bodyBytesMax = 65_536;

/** How a body is read. */
interface BodyReadOptions {
  /** Counts it as it arrives; whoever gave it releases it. */
  readonly held: CountedBody;
  readonly bytesMax?: number | undefined;
  /** Others' turn: before anything is made of the bytes, and between the steps of a large body. */
  readonly turn?: () => Promise<void>;
}

/**
 * Reads the whole body.
 * @throws HttpRefusal 400 `invalid_json`, 413 `body_too_large`, 415 `unsupported_media_type`, 429 `too_many_bodies`, 503 `busy`.
 */
export async function readJsonObject(
  request: Request, { held, bytesMax = bodyBytesMax, turn = async () => {} }: BodyReadOptions,
): Promise<Record<string, unknown>> {
  const mediaType = (request.headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new HttpRefusal(415, 'unsupported_media_type', 'The body must be JSON, with content-type application/json.');
  }
  if ((request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity') {
    throw new HttpRefusal(415, 'unsupported_media_type', 'The body must not be compressed.');
  }
  const bytes = await readBytes(request, held, bytesMax);
  await turn();
  checkExtent(bytes);
  const value = await parse(bytes, bytes.length > bodyBytesMax ? turn : null);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidJson();
  return value as Record<string, unknown>;
}

async function readBytes(request: Request, held: CountedBody, bytesMax: number): Promise<Uint8Array> {
  // Announced: then none of it is read.
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    const room = held.add(chunk.length);
    if (room !== 'held') throw noRoom(room);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The answer to a body that found no room: 429 if it is the sender's own share that is used up, 503 if others hold what there is. */
function noRoom(fault: 'own' | 'all'): HttpRefusal {
  const headers = { 'retry-after': '2', connection: 'close' };
  return fault === 'own' ? new HttpRefusal(429, 'too_many_bodies', 'Too much was sent at once. Send it again when some of it is answered.', headers)
    : new HttpRefusal(503, 'busy', 'Too much is being sent right now. Send it again in a moment.', headers);
}

function tooLarge(bytesMax: number): HttpRefusal {
  return new HttpRefusal(413, 'body_too_large', `The body must be at most ${bytesMax} bytes.`, { connection: 'close' });
}

/** An organization's largest price file has some ten thousand values. */
const valuesMax = 100_000;
const depthMax = 100;

/** What parsing would build is bounded: it is built in one go, and a hundred times as large as a hostile text. */
function checkExtent(bytes: Uint8Array): void {
  const { values, depth } = jsonExtent(bytes, valuesMax);
  if (values > valuesMax) throw new HttpRefusal(400, 'invalid_json', `The body must have at most ${valuesMax} values.`);
  if (depth > depthMax) throw new HttpRefusal(400, 'invalid_json', `Objects and lists of the body must be at most ${depthMax} deep.`);
}

/** `turn`: others' turn between the steps; null: the body is small. */
async function parse(bytes: Uint8Array, turn: (() => Promise<void>) | null): Promise<unknown> {
  await turn?.();
  const { text, value } = parsed(bytes);
  await turn?.();
  const walk = repeatedName(text);
  let step = walk.next();
  for (; step.done !== true; step = walk.next()) await turn?.();
  const repeated = step.value;
  if (repeated === null) return value;
  // A caller's name may be anything, even a secret: only names of possible fields are repeated.
  const which = /^\w{1,40}$/.test(repeated) ? `The name "${repeated}"` : 'A name';
  throw new HttpRefusal(400, 'invalid_json', `${which} appears twice in one object of the body.`);
}

function parsed(bytes: Uint8Array): { readonly text: string; readonly value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw invalidJson();
  }
}

function invalidJson(): HttpRefusal {
  return new HttpRefusal(400, 'invalid_json', 'The body must be one JSON object.');
}
