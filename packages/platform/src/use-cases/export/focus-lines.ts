/**
 * Call records, oldest first → lines of a FOCUS table: one for each day, key, project, set of labels, upstream, model and token type, with what
 * they cost. Each call is split by kind of token with the prices that its record names, so a later export gives the same lines (decision 0305).
 * The costs of all lines add up to the costs of all records. FOCUS has no absent cost: for calls without a price or with unknown usage the
 * line says 0 and, beside it, how many there are. A day's lines are held until the day is over, up to a bound; beyond it some are written early
 * and the rest in further lines.
 */
import { upstreamNameOf } from '@metergate/core/call/named-upstream.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import { paidKinds, recordedPricedModel, recordedParts, type DeclaredSeller, type RecordedParts } from '@metergate/core/price/recorded-parts.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { dayAfter, dayOf } from '@metergate/core/time/utc-day.ts';
import { lackingCounts, lackingCountNames, noLackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import { csvLine } from './csv.ts';
import type { ExportForm } from './export-form.ts';
import { focusNames, focusValues, type ChargeGroup, type ChargeKind, type ChargeSums, type FocusAccount } from './focus-columns.ts';

interface FocusRequest {
  readonly account: FocusAccount;
  /** The prices that a record names; null: they are gone. Asked again where the next call names other ones. */
  readonly pricesOf: (priceList: string) => Promise<PriceBook | null>;
  /** The upstream of this name, or the one without, as it is declared now. */
  readonly upstreamNamed: (name: string | null) => FocusUpstream;
  /** The exported period: charge periods stay within it. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** `provider`: its name, as FOCUS shows it; null: it is not known. */
export interface FocusUpstream extends DeclaredSeller {
  readonly provider: string | null;
}

const noUpstream: FocusUpstream = Object.freeze({ upstreamUrl: null, listedAs: null, provider: null });

interface KeptLine {
  readonly group: ChargeGroup;
  readonly sums: ChargeSums;
}

interface Charge {
  readonly kind: ChargeKind;
  readonly quantity: number;
  readonly cost: bigint;
}

/** The most lines held at a time. */
const linesMax = 20_000;

/** An export in the FOCUS format. Equal charges of a day are summed. At `linesMax` held lines they are written early, so memory has a bound. */
export function focusLines({ account, pricesOf, upstreamNamed, fromMs, toMs }: FocusRequest): ExportForm {
  let day: number | null = null;
  const kept = new Map<string, KeptLine>();
  // Of the call that was added last: a page may name a hundred lists, of megabytes each.
  let priced: { readonly by: string | null; readonly book: PriceBook | null } = { by: null, book: null };
  const price = async (by: string): Promise<void> => {
    priced = { by, book: await pricesOf(by) };
  };
  const valuesOf = ({ group, sums }: KeptLine) => {
    const upstreamProvider = group.wire === 'upstream' ? upstreamNamed(group.upstream).provider : null;
    return focusValues({ account, upstreamProvider, group, sums });
  };
  const flush = (): string => {
    const text = [...kept].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => csvLine(valuesOf(line))).join('');
    kept.clear();
    return text;
  };
  const keep = (group: ChargeGroup, { quantity, cost }: Charge): ChargeSums => {
    const name = JSON.stringify([
      group.key, group.project, group.wire, group.model, group.costSource, group.pricedBy, group.kind, group.labels, group.upstream,
    ]);
    let line = kept.get(name);
    if (line === undefined) {
      line = { group, sums: { quantity: 0n, cost: nanoDollars(0n), calls: 0, ...noLackingCalls } };
      kept.set(name, line);
    }
    line.sums.quantity += BigInt(quantity);
    line.sums.cost = nanoDollars(line.sums.cost + cost);
    return line.sums;
  };
  return {
    head: csvLine(focusNames),
    ahead: ({ priceList }) => (priceList === null || priceList === priced.by ? null : price(priceList)),
    add({ record, keyName }) {
      const today = dayOf(record.startedAtMs);
      const before = day !== null && (day !== today || kept.size >= linesMax) ? flush() : '';
      day = today;
      const { key, project, wire, costSource, pricedBy, priceList } = record;
      const upstream = upstreamNameOf(record.path);
      const book = priceList === priced.by ? priced.book : null;
      const parts = recordedParts(record, { ...(wire === 'upstream' ? upstreamNamed(upstream) : noUpstream), book });
      const model = recordedPricedModel(record);
      const labels = [...new Set(record.labels)].sort();
      const period = { fromMs: Math.max(today, fromMs), toMs: Math.min(dayAfter(today), toMs) };
      for (const [index, charge] of chargesOf(record, parts).entries()) {
        const sums = keep({ ...period, key, keyName, labels, project, wire, upstream, model, costSource, pricedBy, kind: charge.kind }, charge);
        if (index > 0) continue;
        sums.calls += 1;
        for (const name of lackingCountNames) if (lackingCounts[name](record)) sums[name] += 1;
      }
      return before === '' ? null : { content: before, holds: 'before' };
    },
    state: () => null,
    end: flush,
  };
}

/** The charges of one call: at least one, so that no call is left out. */
function chargesOf({ usage, cost, costSource, settledBy }: CallRecord, parts: RecordedParts | null): readonly Charge[] {
  if (usage === 'none' || usage === 'unknown' || parts === null) {
    // What a settled call used is in its settlement.
    const kind = usage === 'none' || settledBy !== null ? 'none' : 'unknown';
    return cost === null ? [{ kind, quantity: 1, cost: 0n }] : [{ kind: 'all', quantity: 0, cost }];
  }
  const used = paidKinds.filter((kind) => parts.tokens[kind] > 0);
  if (parts.costs === null && cost !== null && costSource !== 'unpriced') {
    return [{ kind: 'all', quantity: paidKinds.reduce((sum, kind) => sum + parts.tokens[kind], 0), cost }];
  }
  const charges = used.map((kind): Charge => ({ kind, quantity: parts.tokens[kind], cost: parts.costs?.[kind] ?? 0n }));
  return charges.length > 0 ? charges : [{ kind: 'input', quantity: 0, cost: 0n }];
}
