/**
 * `POST /tap/v1/events`: the tap's batches in. Spec: Tap ingestion, Tap ingestion errors; rules 30 and 30a.
 * The order of refusals is 401, 429, 413, 410, 415, 400. The key is the whole authorization: no session, no role. Whatever was presented is
 * hashed and looked up, so that every 401 takes the same path to the same bytes. The body is counted as it arrives and nothing beyond its
 * bound is kept. None of it is repeated, logged or parsed twice. The endpoint runs before the app, on the raw request, so that no layer above
 * can answer and a batch is parsed only into its events.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readTapBatch, tapBodyBytesMax, tapRefusalSentence, type TapBatchRefusal, type TapBatchVerdict } from '@metergate/core/tap/batch.ts';
import { presentedTapKey } from '@metergate/core/tap/key.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import type { Store } from '@metergate/store/store.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';
import type { KeptBatch, TapKeyRefusal } from '@metergate/store/tap/keep-batch.ts';
import type { Askers } from './askers.ts';
import type { BodyBudget, CountedBody } from './body-budget.ts';
import { createTapRate, type TapRate } from './tap-rate.ts';
import { createTapPlaces, type TapPlaces } from './tap-places.ts';
import { createTapTurns, turnWeightMax, type TapJob, type TapTurns } from './tap-turns.ts';
import { tapPrices } from '../use-cases/tap-prices.ts';

const tapPath = '/tap/v1/events';

export interface TapParts {
  readonly store: Pick<Store, 'tapEvents' | 'engine'>;
  readonly askers: Askers;
  readonly bodies: BodyBudget;
  /** Wall time, milliseconds since the epoch. */
  readonly clock: () => number;
  /** A fault that was answered with 503: for the log. Contains nothing of the request. */
  readonly report: (fault: unknown) => void;
}

/** Answers the tap's address; everything else goes to `next`. */
export function withTap(given: TapParts, next: RequestListener): RequestListener {
  const turns = given.store.engine === 'sqlite' ? createTapTurns() : null;
  const parts = { ...given, rate: createTapRate(given.clock), turns, places: createTapPlaces() };
  return (request, response) => {
    const { url = '' } = request;
    if (url !== tapPath && !url.startsWith(`${tapPath}?`)) return next(request, response);
    void answered(parts, request).then((answer) => send(response, answer));
  };
}

/** The embedded store has one writer, so batches take turns. `turns` null: a shared one has places for several at once. */
type RatedParts = TapParts & { readonly rate: TapRate; readonly turns: TapTurns | null; readonly places: TapPlaces };

interface TapAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

function refusal(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}): TapAnswer {
  return { status, body: JSON.stringify({ error: { code, message } }), headers };
}

const unauthorized = refusal(401, 'unauthorized', 'The tap key was missing or not recognized.', { 'www-authenticate': 'Bearer' });
const tooLarge = refusal(413, 'tap_too_large', 'The body must be at most 256 KiB. Send fewer events at once.', { connection: 'close' });
const closed = refusal(410, 'baseline_closed', 'This Baseline has closed. Start a plan to keep reporting.');
const retired = refusal(410, 'tap_retired', 'This tap was retired. Remove it from the client.');
const unsupported = refusal(415, 'unsupported_media_type', 'The body must be JSON, not compressed, with content-type application/json.');
const wrongMethod = refusal(405, 'method_not_allowed', 'This address only accepts POST.', { allow: 'POST' });
const unavailable = refusal(503, 'unavailable', 'The batch cannot be stored right now. Send it again.', { 'retry-after': '2' });
/** What is read at once is bounded: the rest of this body is not. */
const noRoom = refusal(503, 'unavailable', 'Too much is being sent right now. Send the batch again.', { 'retry-after': '2', connection: 'close' });
/** The body is not waited for: the connection ends with the answer. */
const tooOften = (seconds: number): TapAnswer => refusal(429, 'rate_limit_exceeded', 'This tap key posts too often. Post again after a moment.', {
  'retry-after': String(seconds), connection: 'close',
});
const byKey: Readonly<Record<TapKeyRefusal, TapAnswer>> = { unknown_key: unauthorized, baseline_closed: closed, tap_retired: retired };

async function answered(parts: RatedParts, request: IncomingMessage): Promise<TapAnswer | null> {
  try {
    return await answerTo(parts, request);
  } catch (fault) {
    parts.report(fault instanceof StoreFault ? fault : new Error('tap ingestion failed', { cause: fault }));
    return unavailable;
  }
}

/** Null: the client is gone. */
async function answerTo(parts: RatedParts, request: IncomingMessage): Promise<TapAnswer | null> {
  const { store, askers, rate, bodies } = parts;
  if (request.method !== 'POST') return wrongMethod;
  const keyHash = createHash('sha256').update(presentedTapKey(request.headers.authorization)).digest('hex');
  const admission = await store.tapEvents.admission(keyHash);
  if (admission === 'unknown_key') {
    askers.unlearn(request.headers);
    return unauthorized;
  }
  askers.learn(request.headers, `tap key ${keyHash}`);
  const waitSeconds = rate.take(keyHash);
  if (waitSeconds !== null) return tooOften(waitSeconds);
  const held = bodies.known(`tap ${keyHash}`);
  try {
    const body = await readBody(request, held);
    if (body === 'gone') return null;
    if (body === 'too_large') return tooLarge;
    return body === 'no_room' ? noRoom : await answerToBody(parts, { request, keyHash, admission, body });
  } finally {
    held.release();
  }
}

interface Batch {
  readonly request: IncomingMessage;
  readonly keyHash: string;
  readonly admission: Exclude<Awaited<ReturnType<TapParts['store']['tapEvents']['admission']>>, 'unknown_key'>;
  readonly body: Buffer;
}

async function answerToBody({ store, clock, turns, places }: RatedParts, { request, keyHash, admission, body }: Batch): Promise<TapAnswer> {
  await othersFirst();
  if (admission !== 'admitted') return byKey[admission];
  if (!isPlainJson(request)) return unsupported;
  // A large body is also parsed in its turn: parsing those of a flood would block this thread for everybody.
  const read = turns !== null && body.length > largeBytes ? null : readTapBatch(body, clock());
  if (read !== null && 'refusal' in read) return refused(read.refusal);
  if (turns === null) {
    const stored = places.take(keyHash, () => store.tapEvents.keep({ keyHash, events: read!.events, ...tapPrices() }));
    return stored === null ? unavailable : keptAs(await stored);
  }
  const weight = read === null ? turnWeightMax : read.events.length * eventWeight;
  const answer = await turns.take(keyHash, weight, kept(store, keyHash, read ?? (() => readTapBatch(body, clock())))) ?? unavailable;
  // Outside a turn: meanwhile others have theirs.
  if (answer.status === 202) await store.tapEvents.forced();
  return answer;
}

const largeBytes = 16_384;
/** Milliseconds of rest that an event makes its key owe: three times as long as it takes. */
const eventWeight = 0.12;

/**
 * Yields wherever others may take a turn. A large body is parsed in a separate turn. A slice waits until the one before is on disk, so that
 * other writers never wait for more than one slice.
 */
async function* kept({ tapEvents }: TapParts['store'], keyHash: string, read: TapBatchVerdict | (() => TapBatchVerdict)): TapJob<TapAnswer> {
  const batch = typeof read === 'function' ? read() : read;
  if ('refusal' in batch) return refused(batch.refusal);
  if (typeof read === 'function') yield { until: null };
  const slices = tapEvents.keepInSlices({ keyHash, events: batch.events, ...tapPrices() });
  for (;;) {
    const { done, value } = await slices.next();
    if (done === true) return keptAs(value);
    const forced = tapEvents.forced();
    yield { until: forced.catch(() => {}) };
    await forced;
  }
}

function refused(reason: TapBatchRefusal): TapAnswer {
  return refusal(400, 'tap_invalid', tapRefusalSentence(reason));
}

function keptAs(kept: KeptBatch): TapAnswer {
  return typeof kept === 'string' ? byKey[kept] : { status: 202, body: JSON.stringify(kept), headers: {} };
}

/** Any JSON media type, in no content coding. */
function isPlainJson({ headers }: IncomingMessage): boolean {
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  return coding === 'identity' && /^[a-z0-9.+-]+\/(?:[a-z0-9.-]+\+)?json$/.test(mediaType);
}

/** What is sent past the bound is read and dropped for this long, so that the client receives the answer before the connection ends. */
const excessBytesMax = 1_048_576;
const excessMs = 1_000;

/** Why there is no body. */
type Unread = 'too_large' | 'gone' | 'no_room';

function readBody(request: IncomingMessage, held: CountedBody): Promise<Buffer | Unread> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let late: NodeJS.Timeout | null = null;
    const end = (outcome: Buffer | Unread): void => {
      if (late !== null) clearTimeout(late);
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      if (outcome === 'too_large' || outcome === 'no_room') request.pause();
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= tapBodyBytesMax) {
        if (held.add(chunk.length) !== 'held') return end('no_room');
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      late ??= setTimeout(() => end('too_large'), excessMs);
      if (bytes > tapBodyBytesMax + excessBytesMax) end('too_large');
    };
    const onEnd = (): void => end(bytes > tapBodyBytesMax ? 'too_large' : Buffer.concat(chunks, bytes));
    const onGone = (): void => end('gone');
    // It left before anybody listened.
    if (request.destroyed) return end('gone');
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  });
}

function send(response: ServerResponse, answer: TapAnswer | null): void {
  if (answer === null || response.destroyed) return;
  const { status, body, headers } = answer;
  response.writeHead(status, {
    'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store',
    'x-content-type-options': 'nosniff', ...headers,
  });
  response.end(body);
}
