/**
 * A month's calls by other prices, as corrections beside their records (decision 0141). Records and receipts stay as they are. Slice by slice in
 * constant memory, giving way to others; the same repricing again changes nothing, so an interrupted one is simply run again.
 */
import { formatDollars, type NanoDollars } from '@metergate/core/money.ts';
import { notRepricedReasons, repricedCall, type NotRepricedReason, type Repriced } from '@metergate/core/price/reprice.ts';
import { subjectOf } from '@metergate/core/report/usage-sum.ts';
import { monthAfter, monthName } from '@metergate/core/time/utc-month.ts';
import type { WalkedCall } from '@metergate/store/calls/call-walk.ts';
import type { CallCorrection } from '@metergate/store/spend/call-corrections.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';
import type { UseCaseContext } from '../context.ts';
import { findFigures } from '../organizations.ts';
import { priceBook } from '../prices.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { declaredAt, declaredSellers } from './declared-sellers.ts';
import { ownPrices } from './own-prices.ts';
import { bookToTry, type PricesToTry } from './prices-to-try.ts';

export interface RepriceRequest {
  /** Id or name; of an erased organization its id alone. */
  readonly organization: string;
  /** The first instant of the month. */
  readonly monthMs: number;
  readonly prices: PricesToTry;
  /** Nothing is written. */
  readonly dryRun: boolean;
  /** Caps count what the calls cost by the prices; without it, what their records say (decision 0132). */
  readonly caps?: boolean;
  /** Called after each slice with the calls read so far. */
  readonly onProgress?: (calls: number) => void;
}

/** Money: US dollars with nine places. */
export interface RepricedFigures {
  /** Calls that have a cost at the prices. */
  readonly calls: number;
  /** Of `calls`, those whose cost is another one than recorded. */
  readonly corrected: number;
  /** What the calls cost by their records, and by the prices. */
  readonly before: string;
  readonly after: string;
}

export interface RepricedMonth extends RepricedFigures {
  readonly organization: string;
  readonly month: string;
  /** The lists that made the costs. */
  readonly prices: { readonly list: string; readonly overlay: string | null };
  readonly dryRun: boolean;
  /** Caps count the corrections of this month. */
  readonly caps: boolean;
  /** How many corrections were written or removed; 0 in a dry run, and if all were there already. */
  readonly written: number;
  /** Calls that keep their recorded cost, by reason. */
  readonly notRepriced: { readonly [Why in NotRepricedReason]: number };
  /** The costliest first. */
  readonly models: readonly (RepricedFigures & { readonly model: string | null })[];
}

interface Sums {
  calls: number;
  corrected: number;
  before: bigint;
  after: bigint;
}

/** Refuses `unknown_organization`, and what `bookToTry` refuses. */
export async function repriceCalls(context: UseCaseContext, request: RepriceRequest): Promise<RepricedMonth | AdministrationRefusal> {
  const { monthMs, prices, dryRun, caps: counted = false, onProgress } = request;
  const organization = await findFigures(context, request.organization);
  if (isRefusal(organization)) return organization;
  const current = await priceBook(context);
  if (isRefusal(current)) return current;
  const book = await bookToTry(context, prices);
  if (isRefusal(book)) return book;
  const { store } = context;
  const own = ownPrices(context, current);
  const sellers = await declaredSellers(context, organization.id);
  const declaredAtMsOf = await declaredAt(context, organization.id);
  const tally = new Tally();
  let [read, written] = [0, 0];
  for await (const page of store.callWalk.walk({ organization: organization.id, fromMs: monthMs, toMs: monthAfter(monthMs) })) {
    const corrections = new Map<bigint, CallCorrection>();
    for (const call of page) {
      const { record, place } = call;
      const found = repricedCall(record, {
        book, own: await own.of(record.priceList), ...sellers.ofPath(record.path), declaredAtMs: declaredAtMsOf(record.path), strict: true,
      });
      const made = tally.add(call, found);
      if (made !== null) corrections.set(place.sequence, made);
    }
    const calls = page.map(({ record: { key, project, startedAtMs }, place: { sequence } }) => ({ sequence, key, project, startedAtMs }));
    // The first slice that changes something is the one that the audit trail names.
    const slice = { organization: organization.id, calls, corrections, counted, audited: written === 0 };
    if (!dryRun) written += await store.callCorrections.replace(slice);
    onProgress?.(read += page.length);
    await othersFirst();
  }
  const { listId, overlayId } = book.context;
  return {
    organization: organization.id, month: monthName(monthMs), prices: { list: listId, overlay: overlayId }, dryRun, caps: counted,
    written, ...tally.shown(),
  };
}

const modelsMax = 10_000;

class Tally {
  readonly #all: Sums = { calls: 0, corrected: 0, before: 0n, after: 0n };
  readonly #models = new Map<string, Sums>();
  readonly #not = Object.fromEntries(notRepricedReasons.map((why) => [why, 0])) as Record<NotRepricedReason, number>;

  /** Counts the call. Returns its correction; null: it keeps its cost. */
  add({ record }: WalkedCall, found: Repriced): CallCorrection | null {
    if (found.kind === 'nothing') return null;
    if (found.kind === 'not_repriced') {
      this.#not[found.why] += 1;
      return null;
    }
    const differs = found.cost !== record.cost && found.priceList !== null;
    for (const sums of [this.#all, this.#modelSums(subjectOf(record.model ?? record.requestedModel))]) {
      sums.calls += 1;
      sums.before += record.cost ?? 0n;
      sums.after += found.cost;
      if (differs) sums.corrected += 1;
    }
    return differs ? { recorded: record.cost, cost: found.cost, costGaps: found.costGaps, priceList: found.priceList! } : null;
  }

  shown(): RepricedFigures & Pick<RepricedMonth, 'notRepriced' | 'models'> {
    const models = [...this.#models].toSorted(([one, a], [other, b]) => (a.after === b.after ? (one < other ? -1 : 1) : a.after > b.after ? -1 : 1));
    return {
      ...figuresOf(this.#all), notRepriced: { ...this.#not },
      models: models.map(([model, sums]) => ({ model: model === '' ? null : model, ...figuresOf(sums) })),
    };
  }

  /** Models beyond any real number of them are counted as one. */
  #modelSums(model: string): Sums {
    const name = this.#models.has(model) || this.#models.size < modelsMax ? model : '';
    let sums = this.#models.get(name);
    if (sums === undefined) this.#models.set(name, sums = { calls: 0, corrected: 0, before: 0n, after: 0n });
    return sums;
  }
}

function figuresOf({ calls, corrected, before, after }: Sums): RepricedFigures {
  return { calls, corrected, before: formatDollars(before as NanoDollars), after: formatDollars(after as NanoDollars) };
}
