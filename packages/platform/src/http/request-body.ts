/**
 * A request's body → the JSON object in it, or the refusal: one media type, no content coding, at most `bytesMax` bytes counted as they
 * arrive, valid UTF-8, one JSON object without duplicate names. None of it is ever repeated or logged.
 */
import { HttpRefusal } from './envelope.ts';
import { repeatedName } from './repeated-name.ts';

/** Enough for every resource but the tap's batches, which have a separate limit. */
export const bodyBytesMax = 65_536;

/** `beforeParsing`: others' turn. @throws HttpRefusal 400 `invalid_json`, 413 `body_too_large`, 415 `unsupported_media_type`. */
export async function readJsonObject(
  request: Request, bytesMax = bodyBytesMax, beforeParsing: () => Promise<void> = async () => {},
): Promise<Record<string, unknown>> {
  const mediaType = (request.headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new HttpRefusal(415, 'unsupported_media_type', 'The body must be JSON, with content-type application/json.');
  }
  if ((request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity') {
    throw new HttpRefusal(415, 'unsupported_media_type', 'The body must not be compressed.');
  }
  const bytes = await readBytes(request, bytesMax);
  await beforeParsing();
  const value = parse(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidJson();
  return value as Record<string, unknown>;
}

async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new HttpRefusal(413, 'body_too_large', `The body must be at most ${bytesMax} bytes.`, { connection: 'close' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(bytes: Uint8Array): unknown {
  const { text, value } = parsed(bytes);
  const repeated = repeatedName(text);
  if (repeated === null) return value;
  // A caller's name may be anything, even a secret: only names of possible fields are repeated.
  const which = /^\w{1,40}$/.test(repeated) ? `The name "${repeated}"` : 'A name';
  throw new HttpRefusal(400, 'invalid_json', `${which} stands twice in one object of the body.`);
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
