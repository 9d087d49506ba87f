/**
 * Corrections that count as spent: what they add to the sums of spend by day, so that caps go by them (decision 0132). A correction counts in the
 * windows that hold its call's start. Each sum is then that of its records and of what is counted of their corrections.
 */
import type { PersonId } from '@metergate/core/id.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import { sql, type Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { insertRows, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import { whileUnchanged } from '../engine/while-unchanged.ts';
import type { Schema } from '../schema/schema.ts';
import { addSpend, noSpend, orderedAdditionsOf, spendKey, type Addition, type SpendRecord } from './apply-spend.ts';
import { bumpFeedStatement } from './apply-to-leases.ts';
import { cappedLabels } from './capped-labels.ts';
import { addToLabels, labelAdditionsOf, moneyAlone } from './label-spend.ts';
import type { SpentAfter, SpentBeside, SpentBesideNews } from './spent-beside.ts';

/** A call, and by how much more it counts as spent than before; negative: less. */
export interface CountedChange {
  readonly call: Pick<CallRecord, 'organization' | 'key' | 'project' | 'labels' | 'startedAtMs'>;
  readonly amount: bigint;
}

/** What was sent is kept for this long: a node looks every second. */
const keptMs = 7 * 86_400_000;

/** Call this in the transaction that writes what is counted of the corrections. */
export async function applyCorrections(
  engine: Engine['kind'], transaction: Transaction<Schema>, changes: readonly CountedChange[], nowMs: number,
): Promise<void> {
  if (changes.length === 0) return;
  // One sum gains and another loses: each is added up by itself, since money that is added never is negative.
  const [more, less] = [1n, -1n].map((sign) => orderedAdditionsOf(changes.filter(({ amount }) => amount * sign > 0n).map(recordOf)));
  const all = new Map<string, Addition>();
  for (const [additions, sign] of [[more!, 1], [less!, -1]] as const) {
    for (const addition of additions) {
      const { organization, scope, subject, dayMs } = addition;
      const name = JSON.stringify([organization, scope, subject, dayMs]);
      const known = all.get(name) ?? { ...addition, figures: { ...noSpend } };
      addSpend(known.figures, { ...noSpend, spent: addition.figures.spent }, sign);
      all.set(name, known);
    }
  }
  const names = [...all.keys()].sort();
  await insertRows(engine, transaction, inserts[engine], names.map((name) => all.get(name)!).filter(({ figures }) => figures.spent !== 0n));
  await addToLabels(engine, transaction, labelAdditionsOf(changes.map(({ call, amount }) => ({ call, kept: moneyAlone(amount), gone: noSpend }))));
  if (engine === 'postgres') await sql.raw(bumpFeedStatement).execute(transaction);
  else await tell(transaction, changes, nowMs);
}

function recordOf({ call, amount }: CountedChange): SpendRecord {
  return { ...call, cost: nanoDollars(amount < 0n ? -amount : amount), costGaps: [], costSource: 'priced', usage: 'reported' };
}

/** Sums saturate upwards as those of records do, and never fall below nothing. Their rows are there: their records are. */
function adding(engine: Engine['kind']): BulkInsert<Addition> {
  const [least, most] = engine === 'sqlite' ? ['min', 'max'] : ['least', 'greatest'];
  return {
    table: 'spend_day',
    columns: [...spendKey, { name: 'spent_nano', kind: 'whole', value: ({ figures }) => figures.spent },
      ...['calls', 'unknown_calls', 'unpriced_calls', 'gap_calls'].map((name) => ({ name, kind: 'whole' as const, value: () => 0 }))],
    after: `on conflict (organization, scope, subject, day_ms) do update set
      spent_nano = ${most}(0, ${least}(spend_day.spent_nano, 9223372036854775807 - ${most}(excluded.spent_nano, 0)) + excluded.spent_nano)`,
  };
}

const inserts = { sqlite: adding('sqlite'), postgres: adding('postgres') } as const;

/** By key, labels with caps and day, for a node that holds their sums in memory. */
async function tell(transaction: Transaction<Schema>, changes: readonly CountedChange[], nowMs: number): Promise<void> {
  const sums = new Map<string, { readonly call: CountedChange['call']; readonly labels: string | null; readonly dayMs: number; amount: bigint }>();
  const capped = await cappedLabels(transaction, [...new Set(changes.map(({ call }) => call.organization))]);
  for (const { call, amount } of changes) {
    const dayMs = dayOf(call.startedAtMs);
    const own = call.labels.filter((label) => capped.get(call.organization)?.has(label) === true);
    const labels = own.length === 0 ? null : JSON.stringify([...new Set(own)].sort());
    const name = JSON.stringify([call.key, dayMs, labels]);
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, { call, labels, dayMs, amount });
    else sum.amount += amount;
  }
  await sql`delete from corrected_spend where at_ms < ${BigInt(nowMs - keptMs)}
    and number < (select max(number) from corrected_spend)`.execute(transaction);
  let number = await latestNumber(transaction);
  for (const { call: { organization, key }, labels, dayMs, amount } of sums.values()) {
    if (amount === 0n) continue;
    await transaction.insertInto('corrected_spend')
      .values({ number: BigInt(number += 1), organization, key, labels, day_ms: BigInt(dayMs), amount_nano: amount, at_ms: BigInt(nowMs) }).execute();
  }
}

async function latestNumber(db: Pick<Transaction<Schema>, 'selectFrom'>): Promise<number> {
  const row = await db.selectFrom('corrected_spend').select(sql<bigint | number>`coalesce(max(number), 0)`.as('latest')).executeTakeFirst();
  return Number(row?.latest ?? 0);
}

/** Read at once. */
const atOnce = 500;

export function correctedSpendIn({ engine }: Pick<StoreContext, 'engine'>): SpentBesideNews {
  const again = whileUnchanged<SpentAfter>(engine);
  return {
    latest: () => engine.read(latestNumber),
    after: (number) => again(number, () => engine.read(async (db) => {
      const rows = await db.selectFrom('corrected_spend').selectAll()
        .select((of) => of.selectFrom('service_key').select('person').whereRef('service_key.id', '=', 'corrected_spend.key').as('person'))
        .where('number', '>', BigInt(number)).orderBy('number').limit(atOnce).execute();
      return {
        spent: rows.map((row): SpentBeside => ({
          organization: row.organization as CallRecord['organization'], key: row.key as CallRecord['key'], run: null,
          labels: row.labels === null ? [] : JSON.parse(row.labels) as string[], person: row.person as PersonId | null,
          startedAtMs: Number(row.day_ms), cost: row.amount_nano as NanoDollars,
        })),
        through: rows.length === 0 ? number : Number(rows.at(-1)!.number),
      };
    })),
  };
}
