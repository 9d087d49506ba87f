/**
 * Every sum of one day of an organization, as it is stored and as the records say it: by what shippers add with (`usage-additions.ts`,
 * `apply-hours.ts`, `apply-spend.ts`), so that a new sum or figure is compared from the day on which it is added there.
 */
import { sql } from 'kysely';
import type { OrganizationId } from '@metergate/core/id.ts';
import { dayAfter } from '@metergate/core/time/utc-day.ts';
import { callRecordOf } from '../../calls/call-row.ts';
import type { Engine } from '../../engine/engine.ts';
import { additionsOf, spendColumns } from '../../spend/apply-spend.ts';
import { spendRecordColumns, spendRecordOf, type SpendRecordRow } from '../../spend/recent-records.ts';
import { hourAdditionsOf } from '../../usage/apply-hours.ts';
import { figureColumnNames } from '../../usage/figure-columns.ts';
import { setDimension } from '../../usage/label-sets.ts';
import { labelMonths, usageAdditionsOf } from '../../usage/usage-additions.ts';

/** Records of one slice, some 5 ms. The thread that compares answers requests too. */
export const comparedAtOnce = 100;

/** The tables of sums by day. */
export type ProvedTable = 'usage_sum' | 'attribution_sum' | 'word_sum' | 'hour_sum' | 'spend_day';

/** One sum. `dimension`: of `attribution_sum` the span, of `hour_sum` the figure, of `spend_day` the scope. */
interface SumPlace {
  readonly kind: ProvedTable;
  readonly dimension: string;
  readonly subject: string;
  /** First instant of its day or hour. */
  readonly atMs: number;
  /** 0 where there is none. */
  readonly attribution: number;
}

export interface ProvedSum extends SumPlace {
  readonly figures: readonly bigint[];
  /** Of `word_sum`; otherwise null. */
  readonly hours: number | null;
}

/** By `provedPlaceName`. */
export type ProvedSums = Map<string, ProvedSum>;

export interface Day {
  readonly organization: OrganizationId;
  readonly dayMs: number;
}

/** Stored sums of one moment, and the records of that moment: those up to the newest number, and up to the latest start. */
interface StoredDay {
  readonly sums: ProvedSums;
  readonly through: bigint;
  /** Within the day or before it; 0: there is no record. */
  readonly latestMs: bigint;
}

export function provedPlaceName({ kind, dimension, subject, atMs, attribution }: SumPlace): string {
  return [kind, dimension, subject, atMs, attribution].join('\0');
}

const figures = figureColumnNames.join(', ');
const newest = figureColumnNames.map((name, index) =>
  `${index === 0 ? '(select coalesce(max(sequence), 0) from call_record)' : '0'} as ${name}`).join(', ');
const zeros = (count: number): string => Array.from({ length: count }, () => '0').join(', ');
const spent = spendColumns.map(({ kept, gone }) => `${kept} - ${gone}`).join(', ');
/** Columns of the other tables that are not figures of usage are filled up. */
const figureCount = figureColumnNames.length;

interface StoredRow extends Readonly<Record<string, string | bigint | number | null>> {
  readonly kind: string;
  readonly dimension: string;
  readonly subject: string;
}

/** One statement, so that no batch comes between its parts. */
export async function storedDay(engine: Engine, { organization, dayMs }: Day): Promise<StoredDay> {
  const [from, to] = [BigInt(dayMs), BigInt(dayAfter(dayMs))];
  const raw = sql.raw;
  const names = raw(figureColumnNames.map((name) => `sums.${name}`).join(', '));
  const { rows } = await engine.read((db) => sql<StoredRow>`
    select 'newest' as kind, '' as dimension, '' as subject, (select coalesce(max(started_at_ms), 0) from call_record
        where organization = ${organization} and started_at_ms < ${to}) as at_ms, 0 as attribution, cast(null as bigint) as hours, ${raw(newest)}
    union all select 'usage_sum', dimension, subject, day_ms, 0, null, ${raw(figures)} from usage_sum
      where organization = ${organization} and day_ms >= ${from} and day_ms < ${to}
    union all select 'attribution_sum', sums.span, '', sums.start_ms, sums.attribution, null, ${names}
      from attribution as a join attribution_sum as sums on sums.attribution = a.id
      where a.organization = ${organization} and sums.span in ('day', 'hour') and sums.start_ms >= ${from} and sums.start_ms < ${to}
    union all select 'word_sum', dimension, subject, day_ms, attribution, hours, ${raw(figures)} from word_sum
      where organization = ${organization} and dimension in ('label', 'run', ${setDimension.day(dayMs)}) and day_ms >= ${from} and day_ms < ${to}
    union all select 'hour_sum', figure, '', hour_ms, 0, null, amount, ${raw(zeros(figureCount - 1))} from hour_sum
      where organization = ${organization} and hour_ms >= ${from} and hour_ms < ${to}
    union all select 'spend_day', scope, subject, day_ms, 0, null, ${raw(`${spent}, ${zeros(figureCount - spendColumns.length)}`)} from spend_day
      where organization = ${organization} and scope in ('organization', 'key', 'project') and day_ms = ${from}`.execute(db));
  const sums: ProvedSums = new Map();
  let [through, latestMs] = [0n, 0n];
  for (const row of rows) {
    const values = figureColumnNames.map((name) => BigInt(row[name] ?? 0));
    if (row.kind === 'newest') {
      [through, latestMs] = [values[0]!, BigInt(row['at_ms'] ?? 0)];
      continue;
    }
    if (values.every((value) => value === 0n)) continue;
    const place: SumPlace = {
      kind: row.kind as ProvedTable, dimension: row.dimension, subject: row.subject, atMs: Number(row['at_ms']),
      attribution: Number(row['attribution']),
    };
    sums.set(provedPlaceName(place), { ...place, figures: values, hours: row['hours'] === null ? null : Number(row['hours']) });
  }
  return { sums, through, latestMs };
}

/**
 * What the records come to that were there with these sums. Of records that arrive meanwhile, those that started after the latest of these are not
 * read, so it ends however fast they arrive; the others are read and left out. `between` is awaited after each slice; if it gives false, so does
 * this, as null.
 */
export async function derivedDay(
  engine: Engine, { organization, dayMs, through, latestMs }: Day & Omit<StoredDay, 'sums'>, between: () => Promise<boolean>,
): Promise<ProvedSums | null> {
  const sums: ProvedSums = new Map();
  let after = { startedAtMs: BigInt(dayMs), sequence: -1n };
  for (;;) {
    const rows = await engine.read((db) => db.selectFrom('call_record').selectAll().select(counted).where('organization', '=', organization)
      .where('started_at_ms', '<=', latestMs)
      .where(sql<boolean>`started_at_ms >= ${after.startedAtMs} and not (started_at_ms = ${after.startedAtMs} and sequence <= ${after.sequence})`)
      .orderBy('started_at_ms').orderBy('sequence').limit(comparedAtOnce).execute());
    const last = rows.at(-1);
    const own = rows.filter(({ sequence }) => sequence <= through);
    const records = own.map(callRecordOf);
    addUsageTo(sums, usageAdditionsOf(records, own.map(({ attribution }) => Number(attribution))));
    for (const { figure, hourMs, amount } of hourAdditionsOf(records)) {
      add(sums, { kind: 'hour_sum', dimension: figure, subject: '', atMs: hourMs, attribution: 0 }, [BigInt(amount)], null);
    }
    for (const { scope, subject, dayMs: day, figures: spend } of additionsOf(own.map((row) => spendRecordOf(row as unknown as SpendRecordRow)))) {
      if (day === dayMs) {
        const place: SumPlace = { kind: 'spend_day', dimension: scope, subject, atMs: day, attribution: 0 };
        add(sums, place, spendColumns.map(({ name }) => BigInt(spend[name])), null);
      }
    }
    if (!await between()) return null;
    if (last === undefined || rows.length < comparedAtOnce) return sums;
    after = { startedAtMs: last.started_at_ms, sequence: last.sequence };
  }
}

/** What is counted of a record's correction. */
const counted = spendRecordColumns.filter((column) => typeof column !== 'string');

function addUsageTo(sums: ProvedSums, { named, attributed, words }: ReturnType<typeof usageAdditionsOf>): void {
  for (const { dimension, subject, dayMs, figures: of } of named) {
    add(sums, { kind: 'usage_sum', dimension, subject, atMs: dayMs, attribution: 0 }, of.map(BigInt), null);
  }
  for (const { attribution, span, startMs, figures: of } of attributed) {
    add(sums, { kind: 'attribution_sum', dimension: span, subject: '', atMs: startMs, attribution }, of.map(BigInt), null);
  }
  for (const { dimension, subject, dayMs, attribution, figures: of, hours } of words) {
    // Months are compared with their days.
    if (dimension === labelMonths || hours === null) continue;
    add(sums, { kind: 'word_sum', dimension, subject, atMs: dayMs, attribution }, of.map(BigInt), hours);
  }
}

const most = 2n ** 63n - 1n;

function add(sums: ProvedSums, place: SumPlace, more: readonly bigint[], hours: number | null): void {
  const name = provedPlaceName(place);
  const known = sums.get(name);
  const values = Array.from({ length: figureCount }, (_, index) => {
    const sum = (known?.figures[index] ?? 0n) + (more[index] ?? 0n);
    return sum > most ? most : sum;
  });
  sums.set(name, { ...place, figures: values, hours: hours === null ? null : (known?.hours ?? 0) | hours });
}
