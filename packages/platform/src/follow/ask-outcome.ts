/**
 * Asks a provider what became of one piece of work, with the organization's own key: the object of the work first, then the results that it
 * names. The answers are read as the gateway reads those that pass by. Redirects are not followed: the key goes only to the provider's address.
 * An answer about other work than was asked for tells nothing, and one that is longer than any provider's is not read to its end.
 */
import type { Cost, PricedCall } from '@metergate/core/price/cost.ts';
import { costOf } from '@metergate/core/price/cost.ts';
import { costTogether } from '@metergate/core/price/priced-together.ts';
import { OutcomeTally, type SettledFigures } from '@metergate/core/price/settlement.ts';
import { outcomePlaceOf } from '@metergate/core/usage/outcome-place.ts';
import { createOutcomeReader } from '@metergate/core/usage/outcome-reader.ts';
import type { Reading } from '@metergate/core/usage/reading.ts';
import { wires } from '@metergate/core/wire/wire.ts';
import type { FollowedWork } from '@metergate/store/calls/settling/followed-works.ts';
import { retryAfterMs } from './follow-pace.ts';

/** What determines the address, the credential and the price. */
export interface AskedProvider extends Pick<PricedCall, 'book' | 'fallback' | 'atMs' | 'region'> {
  readonly url: string;
  readonly credential: string;
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
/** Of an object, to see whether its work has ended. Its usage is read further. */
const objectBytesMax = 4 * 1_048_576;
/** Of any answer: more than providers let a batch have. */
const answerBytesMax = 2 * 1_073_741_824;
/** Results that broke off are large, or the provider is in trouble. */
const brokenResultsMs = 600_000;
/** Nobody mends a key within seconds. */
const refusedKeyMs = 600_000;
/** Any other word, also one that providers may use one day, leaves the work under way. */
const hasEnded: ReadonlySet<unknown> = new Set(['completed', 'succeeded', 'ended', 'incomplete', 'failed', 'cancelled', 'canceled', 'expired']);

export async function askOutcome(work: FollowedWork, provider: AskedProvider): Promise<FollowedOutcome> {
  const path = pathOf(work);
  if (path === null) return { kind: 'over' };
  const object = await look(path, { work, provider, withinMs: deadlineMs.object });
  if ('kind' in object) return object;
  const { tally, document } = object;
  if (tally !== null && tally.works.length > 0 && tally.works[0] !== work.work) return { kind: 'waiting' };
  const told = tally?.figures() ?? null;
  if (told !== null) return { kind: 'settled', path, works: tally!.works, figures: told };
  if (document === null || document['id'] !== work.work) return { kind: 'waiting' };
  if (!hasEnded.has(document['status'] ?? document['processing_status'])) return { kind: 'waiting' };
  const results = resultsOf(path, document);
  if (results === null) return { kind: 'over' };
  const lines = await look(results, { work, provider, withinMs: deadlineMs.results });
  if ('kind' in lines) return lines.kind === 'waiting' ? { kind: 'waiting', leastMs: brokenResultsMs } : lines;
  // Read whole, and no results: they will not become any.
  const figures = lines.tally?.figures() ?? null;
  const works = tally === null || tally.works.length === 0 ? [work.work] : tally.works;
  return figures === null ? { kind: 'over' } : { kind: 'settled', path, works, figures };
}

/** Where the object of the work is; null: this is not known. */
function pathOf({ path, work }: FollowedWork): string | null {
  const plain = path.replace(/^\/alt(?=\/v1\/)/, '').replace(/^\/v1\/videos\/.*/, '/v1/videos');
  return /^[\w-]+$/.test(work) ? `${plain}/${work}` : null;
}

/** Null: the work has no results beside its object. */
function resultsOf(path: string, document: Readonly<Record<string, unknown>>): string | null {
  if (path.startsWith('/v1/messages/batches/')) return `${path}/results`;
  const file = document['output_file_id'] ?? document['error_file_id'];
  return path.startsWith('/v1/batches/') && typeof file === 'string' && /^[\w-]+$/.test(file) ? `/v1/files/${file}/content` : null;
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
  const { credentialHeader, requestHeaders } = wires[work.wire];
  const { name, value } = credentialHeader(provider.credential);
  try {
    const answer = await fetch(`${provider.url}${path}`, {
      headers: { ...requestHeaders, [name]: value }, redirect: 'manual', signal: AbortSignal.any([provider.signal, AbortSignal.timeout(withinMs)]),
    });
    if (answer.status === 200) return await read(path, answer, { work, provider });
    await answer.body?.cancel();
    return refused(answer, { beganMs: work.beganMs, nowMs: provider.atMs });
  } catch {
    return { kind: 'waiting' };
  }
}

/** Work is gone only if it is not found long after it began: right after, it may not be there yet. */
function refused({ status, headers }: Response, { beganMs, nowMs }: { readonly beganMs: number; readonly nowMs: number }):
Exclude<FollowedOutcome, { kind: 'settled' }> {
  if (status === 401 || status === 403) return { kind: 'held', forMs: refusedKeyMs };
  if (status === 429 || status >= 500) return { kind: 'held', forMs: retryAfterMs(headers.get('retry-after'), nowMs) };
  return (status === 404 || status === 410) && nowMs - beganMs > 3_600_000 ? { kind: 'over' } : { kind: 'waiting' };
}

async function read(path: string, answer: Response, { work, provider }: Omit<Look, 'withinMs'>): Promise<Seen> {
  const place = outcomePlaceOf({ method: 'GET', path });
  const price = (reading: Reading): Cost | null => (place?.form === 'batch' ? costTogether : costOf)({
    reading, requestedModel: null, provider: work.wire, upstreamHost: null, book: provider.book, fallback: provider.fallback, atMs: provider.atMs,
    region: provider.region ?? null,
  });
  const tally = place === null ? null : new OutcomeTally(place, price);
  const reader = tally === null ? null : createOutcomeReader({ wire: work.wire, streamed: false }, tally);
  const isObject = place?.form !== 'result_file' && place?.form !== 'message_results';
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    reader?.push(chunk);
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new Error('longer than any answer');
    if (isObject && bytes <= objectBytesMax) kept.push(chunk);
  }
  reader?.finish('whole');
  return { tally, document: isObject && bytes <= objectBytesMax ? parsed(Buffer.concat(kept)) : null };
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null ? value as Readonly<Record<string, unknown>> : null;
  } catch {
    return null;
  }
}
