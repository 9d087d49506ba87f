/**
 * A closing is written in slices, so that nobody waits long for the lock of the file or for the thread: a month may have a hundred thousand names and
 * as many lines. Its row comes with the last slice, and until then nobody sees the rest. Decision 332.
 */
import type { NameLine } from '@metergate/core/books/month/month-file.ts';
import { monthName } from '@metergate/core/time/utc-month.ts';
import type { Insertable, Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { insertRows, type BulkInsert } from '../engine/bulk.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { sendingIn } from '../engine/send.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';
import type { ClosedMonthPartTable, ClosedMonthTable } from '../schema/month-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { othersFirst } from '../threads/others-first.ts';
import {
  lastClosed, namesAtOnce, partsAtOnce, versionsInTurn, type ClosedMonth, type MonthPart, type MonthToClose, type MonthVersion,
} from './month-versions.ts';

const insertName: BulkInsert<NameLine & MonthVersion> = {
  table: 'closed_month_name',
  columns: [
    { name: 'organization', kind: 'text', value: (row) => row.organization }, { name: 'month_ms', kind: 'whole', value: (row) => row.monthMs },
    { name: 'version', kind: 'whole', value: (row) => row.version }, { name: 'number', kind: 'whole', value: (row) => row.number },
    { name: 'digest', kind: 'text', value: (row) => row.digest }, { name: 'salt', kind: 'text', value: (row) => row.salt },
    { name: 'text', kind: 'text', value: (row) => row.text },
  ],
  after: '',
};

/** Refuses `month_changed`, `unknown_organization`. */
export async function writeClosing(
  { engine }: StoreContext, { parts, names, after, ...month }: MonthToClose,
): Promise<ClosedMonth | StoreRefusal> {
  /**
   * Refuses where the organization was erased, or another closing or reopening came since. The first name has a digest that no other closing has: it
   * says whose the rest is.
   */
  const inTurn = async (transaction: Transaction<Schema>, mayFind: (first: string | undefined) => boolean): Promise<StoreRefusal | null> => {
    const { send } = sendingIn(transaction);
    holdOffErasures(engine.kind, send);
    if ((await erasedAmong(engine.kind, send, [month.organization])).size > 0) {
      return refuse('unknown_organization', 'There is no organization with this id or name.');
    }
    const versions = await versionsInTurn(engine.kind, transaction, month.organization);
    const last = lastClosed(versions);
    const isNew = !versions.some(({ monthMs, version }) => monthMs === month.monthMs && version === month.version);
    return isNew && mayFind(await firstDigest(transaction, month)) && last?.monthMs === after?.monthMs && last?.version === after?.version ? null
      : refuse('month_changed', 'A month was closed or reopened meanwhile, perhaps this one. Look at the months, and close this one if it is open.');
  };
  // What a closing left that was cut short.
  for (let left = true; left;) {
    const done = await engine.write(async (transaction) => await inTurn(transaction, () => true) ?? await removeSome(transaction, month));
    if (typeof done !== 'boolean') return done;
    left = done;
    await othersFirst();
  }
  const slices = slicesOf(names, parts);
  for (const [index, slice] of slices.entries()) {
    const isLast = index === slices.length - 1;
    const write = async (transaction: Transaction<Schema>): Promise<ClosedMonth | StoreRefusal | null> => {
      const refused = await inTurn(transaction, (first) => first === (index === 0 ? undefined : names[0]?.digest));
      if (refused !== null) return refused;
      await insertRows(engine.kind, transaction, insertName, slice.names.map((name) => ({ ...month, ...name })));
      // A part is a large text: as a member of an array, as PostgreSQL takes many rows, each of its quotes would be escaped here.
      if (slice.parts.length > 0) await transaction.insertInto('closed_month_part').values(slice.parts.map((part) => partRow(month, part))).execute();
      if (!isLast) return null;
      await transaction.insertInto('closed_month').values(rowOf(month)).execute();
      return { ...month, reopenedAtMs: null };
    };
    const name = { action: 'closeMonth', organization: month.organization, subject: monthName(month.monthMs) } as const;
    const done = isLast ? await engine.write(write, name) : await engine.write(write);
    if (done !== null) return done;
    await othersFirst();
  }
  throw new Error('a closing ends with its last slice');
}

interface Slice {
  readonly names: readonly NameLine[];
  readonly parts: readonly (MonthPart & { readonly number: number })[];
}

/** There is at least one. Names come first. */
function slicesOf(names: readonly NameLine[], parts: readonly MonthPart[]): Slice[] {
  const slices: Slice[] = [];
  for (let at = 0; at < names.length; at += namesAtOnce) slices.push({ names: names.slice(at, at + namesAtOnce), parts: [] });
  for (let at = 0; at < parts.length; at += partsAtOnce) {
    slices.push({ names: [], parts: parts.slice(at, at + partsAtOnce).map((part, index) => ({ ...part, number: at + index + 1 })) });
  }
  // A small month is written at once.
  const [first, second, ...rest] = slices;
  return first === undefined ? [{ names: [], parts: [] }]
    : second === undefined || rest.length > 0 ? slices : [{ names: [...first.names, ...second.names], parts: [...first.parts, ...second.parts] }];
}

async function firstDigest(transaction: Transaction<Schema>, { organization, monthMs, version }: MonthVersion): Promise<string | undefined> {
  return (await transaction.selectFrom('closed_month_name').select('digest').where('organization', '=', organization)
    .where('month_ms', '=', BigInt(monthMs)).where('version', '=', BigInt(version)).where('number', '=', 1n).executeTakeFirst())?.digest;
}

/** Whether there may be more. The first name goes first: whoever wrote it goes on no more. */
async function removeSome(transaction: Transaction<Schema>, { organization, monthMs, version }: MonthVersion): Promise<boolean> {
  let removed = 0;
  for (const [table, most] of [['closed_month_name', namesAtOnce], ['closed_month_part', partsAtOnce]] as const) {
    const rows = await transaction.selectFrom(table).select('number').where('organization', '=', organization)
      .where('month_ms', '=', BigInt(monthMs)).where('version', '=', BigInt(version)).orderBy('number').limit(most).execute();
    const last = rows.at(-1);
    if (last === undefined) continue;
    removed += rows.length;
    await transaction.deleteFrom(table).where('organization', '=', organization).where('month_ms', '=', BigInt(monthMs))
      .where('version', '=', BigInt(version)).where('number', '<=', last.number).execute();
  }
  return removed > 0;
}

function partRow(
  { organization, monthMs, version }: MonthVersion, { number, type, content }: Slice['parts'][number],
): Insertable<ClosedMonthPartTable> {
  return { organization, month_ms: monthMs, version, number, type, content };
}

function rowOf(month: Omit<ClosedMonth, 'reopenedAtMs'>): Insertable<ClosedMonthTable> {
  return {
    organization: month.organization, month_ms: month.monthMs, version: month.version, closed_at_ms: month.closedAtMs, reopened_at_ms: null,
    sequence: month.sequence, hash: Buffer.from(month.hash, 'hex'), digest: Buffer.from(month.digest, 'hex'), key: month.key,
    signature: Buffer.from(month.signature, 'base64'),
  };
}
