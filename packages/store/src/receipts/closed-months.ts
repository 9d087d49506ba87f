/**
 * Closed months: what was frozen and signed, version by version. A row is never changed, but that a reopening is noted and that an erasure takes
 * the names. Rule 24b.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { MonthLineType, NameLine } from '@metergate/core/books/month/month-file.ts';
import { monthName } from '@metergate/core/time/utc-month.ts';
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { Schema } from '../schema/schema.ts';
import { othersFirst } from '../threads/others-first.ts';
import {
  lastClosed, namesAtOnce, partsAtOnce, versionsInTurn, versionsOf, type ClosedMonth, type MonthPart, type MonthToClose, type MonthVersion,
} from './month-versions.ts';
import { writeClosing } from './write-closing.ts';

export interface ClosedMonths {
  /** All versions, by month and version. */
  list(organization: OrganizationId): Promise<ClosedMonth[]>;
  /** In their order, in slices: a month may have a hundred thousand. `among`: only those with these numbers, which ascend. */
  names(of: MonthVersion, among?: readonly number[]): Promise<NameLine[]>;
  /** In their order, in slices; only those of these types, if given. */
  parts(of: MonthVersion, types?: readonly MonthLineType[]): Promise<MonthPart[]>;
  /**
   * In slices, of which the last one closes the month: until then nobody sees what is written, and a closing that began later takes its place.
   * Refuses `month_changed`, `unknown_organization`.
   */
  close(month: MonthToClose): Promise<ClosedMonth | StoreRefusal>;
  /** Only the last closed month. Refuses `month_not_closed`, `month_order`. */
  reopen(of: Omit<MonthVersion, 'version'>): Promise<ClosedMonth | StoreRefusal>;
}

export function closedMonthsIn(context: StoreContext): ClosedMonths {
  const { engine, clock } = context;
  return {
    list: (organization) => engine.read((db) => versionsOf(db, organization)),
    async names(of, among) {
      if (among === undefined) return inPages(namesAtOnce, (after) => engine.read((db) => namesIn(db, of, sql`number > ${after}`)));
      const found: NameLine[] = [];
      for (let at = 0; at < among.length; at += namesAtOnce) {
        if (at > 0) await othersFirst();
        const some = among.slice(at, at + namesAtOnce);
        found.push(...await engine.read((db) => namesIn(db, of, sql`number in (${sql.join(some)})`)));
      }
      return found;
    },
    parts: async (of, types) => (await inPages(partsAtOnce, (after) => engine.read((db) => partsIn(db, of, { after, types }))))
      .map(({ type, content }) => ({ type, content })),
    close: (month) => writeClosing(context, month),
    reopen: ({ organization, monthMs }) => engine.write<ClosedMonth | StoreRefusal>(async (transaction) => {
      const versions = await versionsInTurn(engine.kind, transaction, organization);
      const found = versions.findLast((each) => each.monthMs === monthMs);
      if (found === undefined || found.reopenedAtMs !== null) return refuse('month_not_closed', 'This month is not closed.');
      const last = lastClosed(versions)!;
      if (last.monthMs !== monthMs) {
        const name = monthName(last.monthMs);
        return refuse('month_order', `${name} was closed after this month and goes by it. Reopen ${name} first.`);
      }
      const reopenedAtMs = Math.floor(clock());
      await transaction.updateTable('closed_month').set({ reopened_at_ms: reopenedAtMs }).where('organization', '=', organization)
        .where('month_ms', '=', BigInt(monthMs)).where('version', '=', BigInt(found.version)).execute();
      return { ...found, reopenedAtMs };
    }, { action: 'reopenMonth', organization, subject: monthName(monthMs) }),
  };
}

/** A name among all that an organization has in closed months. */
export interface NamePlace {
  readonly monthMs: number;
  readonly version: number;
  readonly number: number;
}

/**
 * For an erased organization: figures, digests and signatures stay. One slice, of the names behind `after`, of closings that were cut short
 * too. Gives the last name of the slice; null: there was none.
 */
export async function eraseMonthNames(
  transaction: Transaction<Schema>, organization: OrganizationId, after: NamePlace | undefined,
): Promise<NamePlace | null> {
  const { monthMs, version, number } = after ?? { monthMs: -1, version: 0, number: 0 };
  const rows = await transaction.selectFrom('closed_month_name').select(['month_ms', 'version', 'number']).where('organization', '=', organization)
    .where(sql<boolean>`(month_ms, version, number) > (${BigInt(monthMs)}, ${BigInt(version)}, ${BigInt(number)})`)
    .orderBy('month_ms').orderBy('version').orderBy('number').limit(namesAtOnce).execute();
  const last = rows.at(-1);
  if (last === undefined) return null;
  await transaction.updateTable('closed_month_name').set({ salt: null, text: null }).where('organization', '=', organization)
    .where(sql<boolean>`(month_ms, version, number) > (${BigInt(monthMs)}, ${BigInt(version)}, ${BigInt(number)})`)
    .where(sql<boolean>`(month_ms, version, number) <= (${last.month_ms}, ${last.version}, ${last.number})`).execute();
  return { monthMs: Number(last.month_ms), version: Number(last.version), number: Number(last.number) };
}

/** `which`: of a closing. At most `namesAtOnce`. Of an erased organization none has its words, whether erasure has come to it yet or not. */
async function namesIn(db: Kysely<Schema>, of: MonthVersion, which: RawBuilder<unknown>): Promise<NameLine[]> {
  const isErased = sql`exists (select 1 from erased_organization as e where e.organization = closed_month_name.organization)`;
  const unlessErased = (column: 'salt' | 'text') => sql<string | null>`case when ${isErased} then null else ${sql.ref(column)} end`.as(column);
  return (await db.selectFrom('closed_month_name').select(['number', 'digest', unlessErased('salt'), unlessErased('text')])
    .where('organization', '=', of.organization).where('month_ms', '=', BigInt(of.monthMs))
    .where('version', '=', BigInt(of.version)).where(sql<boolean>`${which}`).orderBy('number').limit(namesAtOnce).execute())
    .map(({ number, digest, salt, text }) => ({ type: 'name', number: Number(number), digest, salt, text }));
}

async function partsIn(
  db: Kysely<Schema>, of: MonthVersion, { after, types }: { readonly after: number; readonly types: readonly MonthLineType[] | undefined },
): Promise<(MonthPart & { readonly number: number })[]> {
  return (await db.selectFrom('closed_month_part').select(['number', 'type', 'content']).where('organization', '=', of.organization)
    .where('month_ms', '=', BigInt(of.monthMs)).where('version', '=', BigInt(of.version)).where('number', '>', BigInt(after))
    .$if(types !== undefined, (query) => query.where('type', 'in', [...types!])).orderBy('number').limit(partsAtOnce).execute())
    .map(({ number, type, content }) => ({ number: Number(number), type: type as MonthLineType, content }));
}

/** All pages: the next one is asked for by the number of the last row. */
async function inPages<Row extends { readonly number: number }>(size: number, page: (after: number) => Promise<Row[]>): Promise<Row[]> {
  const all: Row[] = [];
  for (let rows = await page(0); ; rows = await page(all.at(-1)!.number)) {
    for (const row of rows) all.push(row);
    if (rows.length < size) return all;
    await othersFirst();
  }
}
