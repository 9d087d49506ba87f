/**
 * Asks a provider or an upstream what became of one piece of work, with the organization's own key: the object of the work first, then the
 * results that it names. The answers are read as the gateway reads those that pass by. Redirects are not followed: the key goes only to the
 * provider's address. An answer about other work than was asked for tells nothing, and one that is longer than any provider's is not read to its end.
 */
import { jsonExtent } from '@metergate/core/json/json-extent.ts';
import type { Cost, PricedCall } from '@metergate/core/price/cost.ts';
import { costOf } from '@metergate/core/price/cost.ts';
import { costTogether } from '@metergate/core/price/priced-together.ts';
import { OutcomeTally, type SettledFigures } from '@metergate/core/price/settlement.ts';
import { outcomePlaceOf } from '@metergate/core/usage/outcome-place.ts';
import { createOutcomeReader } from '@metergate/core/usage/outcome-reader.ts';
import type { Reading } from '@metergate/core/usage/reading.ts';
import { wires } from '@metergate/core/wire/wire.ts';
import type { FollowedWork } from '@metergate/store/calls/settling/followed-works.ts';
import type { AddressGuard } from '@metergate/store/network/address-guard.ts';
import { othersFirst, workFor } from '@metergate/store/threads/others-first.ts';
import { outwardRequest } from '../network/outward-request.ts';
import { objectPathOf, resultsPathOf, targetOf } from './asked-paths.ts';
import type { AskedSeller } from './asked-seller.ts';
import { retryAfterMs } from './follow-pace.ts';

/** What determines the address, the credential and the price. */
export interface AskedProvider extends Pick<PricedCall, 'book' | 'fallback' | 'atMs'>, AskedSeller {
  readonly guard: AddressGuard;
  /** Ends the questions at once. */
  readonly signal: AbortSignal;
}

/**
 * `settled`: what the work used, as the answer at `path` shows. `waiting`: it is under way, or the answer does not show it; it is not asked for
 * again within `leastMs`. `over`: it ended, and what it used is not reported. `held`: the provider wants no question of this organization for
 * that long.
 */
export type FollowedOutcome =
  | { readonly kind: 'settled'; readonly path: string; readonly works: readonly string[]; readonly figures: SettledFigures }
  | { readonly kind: 'waiting'; readonly leastMs?: number }
  | { readonly kind: 'over' }
  | { readonly kind: 'held'; readonly forMs: number };

const deadlineMs = { object: 15_000, results: 120_000 } as const;
/** Read of an object to see whether its work has ended. For its usage, more is read. */
const objectBytesMax = 4 * 1_048_576;
/** Values of that part: it is parsed in one go. */
const objectValuesMax = 100_000;
const objectDepthMax = 100;
/** For an object, which may contain the answers of its work: up to 20 MB, and images. For results: more than providers let a batch have. */
const answerBytesMax = { object: 32 * 1_048_576, results: 2 * 1_073_741_824 } as const;
/** What is read at one time. Then it is the others' turn. */
const turnBytes = 1_048_576;
/** Results that broke off are large, or the provider is in trouble. */
const brokenResultsMs = 600_000;
/** Nobody mends a key within seconds. */
const refusedKeyMs = 600_000;
/** Any other word, also one that providers may use one day, leaves the work under way. */
const hasEnded: ReadonlySet<string> = new Set([
  'completed', 'succeeded', 'success', 'ended', 'incomplete', 'failed', 'cancelled', 'canceled', 'expired', 'timeout_exceeded', 'requires_action',
  'budget_exceeded',
]);

export async function askOutcome(work: FollowedWork, provider: AskedProvider): Promise<FollowedOutcome> {
  const path = objectPathOf(work, provider.wire === 'upstream' && new URL(provider.url).pathname !== '/');
  if (path === null) return { kind: 'over' };
  const object = await look(path, { work, provider, withinMs: deadlineMs.object });
  if ('kind' in object) return object;
  const { tally, document } = object;
  if (tally !== null && tally.works.length > 0 && tally.works[0] !== work.work) return { kind: 'waiting' };
  const told = tally?.figures() ?? null;
  if (told !== null) return { kind: 'settled', path, works: tally!.works, figures: told };
  if (document === null || document['id'] !== work.work) return { kind: 'waiting' };
  if (!hasEnded.has(String(document['status'] ?? document['processing_status']).toLowerCase())) return { kind: 'waiting' };
  const results = resultsPathOf(path, document);
  if (results === null) return { kind: 'over' };
  const lines = await look(results, { work, provider, withinMs: deadlineMs.results });
  if ('kind' in lines) return lines.kind === 'waiting' ? { kind: 'waiting', leastMs: brokenResultsMs } : lines;
  // Read whole, and no results: they will not become any.
  const figures = lines.tally?.figures() ?? null;
  const works = tally === null || tally.works.length === 0 ? [work.work] : tally.works;
  return figures === null ? { kind: 'over' } : { kind: 'settled', path, works, figures };
}

interface Look {
  readonly work: FollowedWork;
  readonly provider: AskedProvider;
  readonly withinMs: number;
}

interface Seen {
  readonly tally: OutcomeTally | null;
  readonly document: Readonly<Record<string, unknown>> | null;
}

async function look(path: string, { work, provider, withinMs }: Look): Promise<Seen | Exclude<FollowedOutcome, { kind: 'settled' }>> {
  const times = { beganMs: work.beganMs, nowMs: provider.atMs };
  try {
    return await get(path, { provider, withinMs },
      async (answer) => (answer.status === 200 ? workFor(work.organization, () => read(path, answer.body, provider)) : refused(answer, times)));
  } catch {
    return { kind: 'waiting' };
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The address of a named provider is the operator's; that of an upstream is judged as the gateway judges it. What is not read is discarded. */
async function get<T>(
  path: string, { provider, withinMs }: Omit<Look, 'work'>, read: (answer: Answer) => Promise<T>,
): Promise<T> {
  const { wire, url, isGuarded, credential, guard, signal } = provider;
  const address = new URL(`${url}${targetOf(path)}`);
  const besides = path.includes('/messages/batches/') ? wires.anthropic.requestHeaders : wires[wire].requestHeaders;
  const headers = { accept: 'application/json', ...besides, ...(credential === null ? {} : { [credential.name]: credential.value }) };
  if (isGuarded) {
    return outwardRequest(address, { headers, guard, signal, deadlineMs: withinMs }, (answer) => read({
      status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] ?? null, body: answer,
    }));
  }
  const { status, headers: told, body } = await fetch(address, {
    headers, redirect: 'manual', signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
  });
  try {
    return await read({ status, retryAfter: told.get('retry-after'), body: body ?? new ReadableStream() });
  } finally {
    await body?.cancel().catch(() => {});
  }
}

/** Work is gone only if it is not found long after it began: right after, it may not be there yet. */
function refused({ status, retryAfter }: Answer, { beganMs, nowMs }: { readonly beganMs: number; readonly nowMs: number }):
Exclude<FollowedOutcome, { kind: 'settled' }> {
  if (status === 401 || status === 403) return { kind: 'held', forMs: refusedKeyMs };
  if (status === 429 || status >= 500) return { kind: 'held', forMs: retryAfterMs(retryAfter, nowMs) };
  return (status === 404 || status === 410) && nowMs - beganMs > 3_600_000 ? { kind: 'over' } : { kind: 'waiting' };
}

async function read(path: string, body: AsyncIterable<Uint8Array>, provider: AskedProvider): Promise<Seen> {
  const place = outcomePlaceOf({ method: 'GET', path });
  const { book, fallback, atMs, region = null, upstreamHost, listedAs } = provider;
  const price = (reading: Reading): Cost | null => (place?.form === 'batch' ? costTogether : costOf)({
    reading, requestedModel: null, provider: provider.provider, upstreamHost, listedAs, book, fallback, atMs, region,
  });
  const tally = place === null ? null : new OutcomeTally(place, price);
  const reader = tally === null ? null : createOutcomeReader({ wire: provider.wire, streamed: false }, tally);
  const isObject = place?.form !== 'result_file' && place?.form !== 'message_results';
  const bytesMax = isObject ? answerBytesMax.object : answerBytesMax.results;
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const pieces of inTurns(body)) {
    for (const piece of pieces) {
      reader?.push(piece);
      bytes += piece.length;
      if (isObject && bytes <= objectBytesMax) kept.push(piece);
    }
    if (bytes > bytesMax) throw new Error('longer than any answer');
  }
  reader?.finish('whole');
  if (!isObject || bytes > objectBytesMax) return { tally, document: null };
  await othersFirst();
  return { tally, document: parsed(Buffer.concat(kept)) };
}

/** The pieces of a body, read while it is its organization's turn: whoever sends without end keeps the thread from nobody. Decision 320. */
async function* inTurns(body: AsyncIterable<Uint8Array>): AsyncIterable<readonly Uint8Array[]> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < turnBytes) continue;
    await othersFirst();
    yield pieces;
    pieces = [];
    bytes = 0;
  }
  yield pieces;
}

/** Null also for an object of more values than any has: parsing it would take the thread for half a second. */
function parsed(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  const { values, depth } = jsonExtent(bytes, objectValuesMax);
  if (values > objectValuesMax || depth > objectDepthMax) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null ? value as Readonly<Record<string, unknown>> : null;
  } catch {
    return null;
  }
}
