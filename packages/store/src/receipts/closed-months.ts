/**
 * Closed months: what was frozen and signed, version by version. A row is never changed, but that a reopening is noted and that an erasure takes
 * the names. Rule 24b.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { MonthLineType, NameLine } from '@metergate/core/books/month/month-file.ts';
import { monthName } from '@metergate/core/time/utc-month.ts';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { insertRows, type BulkInsert } from '../engine/bulk.ts';
import { sendingIn } from '../engine/send.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { ClosedMonthTable } from '../schema/month-schema.ts';
import type { Schema } from '../schema/schema.ts';

/** A closing of a month, as it was signed. Hashes and digests in hexadecimal. */
export interface ClosedMonth {
  readonly organization: OrganizationId;
  readonly monthMs: number;
  readonly version: number;
  readonly closedAtMs: number;
  /** Null: the month is closed. */
  readonly reopenedAtMs: number | null;
  readonly sequence: number;
  readonly hash: string;
  readonly digest: string;
  readonly key: string;
  /** Base64. */
  readonly signature: string;
}

/** Lines of one type, each with its line feed. */
export interface MonthPart {
  readonly type: MonthLineType;
  readonly content: string;
}

export interface MonthToClose extends Omit<ClosedMonth, 'reopenedAtMs'> {
  /** The last closing when the figures were made; null: none. If another came since, the month is not closed. */
  readonly after: Pick<ClosedMonth, 'monthMs' | 'version'> | null;
  readonly parts: readonly MonthPart[];
  readonly names: readonly NameLine[];
}

type Version = Pick<ClosedMonth, 'organization' | 'monthMs' | 'version'>;

export interface ClosedMonths {
  /** All versions, by month and version. */
  list(organization: OrganizationId): Promise<ClosedMonth[]>;
  names(of: Version): Promise<NameLine[]>;
  /** In their order; only those of these types, if given. */
  parts(of: Version, types?: readonly MonthLineType[]): Promise<MonthPart[]>;
  /** Refuses `month_changed`, `unknown_organization`. */
  close(month: MonthToClose): Promise<ClosedMonth | StoreRefusal>;
  /** Only the last closed month. Refuses `month_not_closed`, `month_order`. */
  reopen(of: Omit<Version, 'version'>): Promise<ClosedMonth | StoreRefusal>;
}

const insertPart: BulkInsert<MonthPart & Version & { readonly number: number }> = {
  table: 'closed_month_part',
  columns: [
    { name: 'organization', kind: 'text', value: (row) => row.organization }, { name: 'month_ms', kind: 'whole', value: (row) => row.monthMs },
    { name: 'version', kind: 'whole', value: (row) => row.version }, { name: 'number', kind: 'whole', value: (row) => row.number },
    { name: 'type', kind: 'text', value: (row) => row.type }, { name: 'content', kind: 'text', value: (row) => row.content },
  ],
  after: '',
};
const insertName: BulkInsert<NameLine & Version> = {
  table: 'closed_month_name',
  columns: [
    { name: 'organization', kind: 'text', value: (row) => row.organization }, { name: 'month_ms', kind: 'whole', value: (row) => row.monthMs },
    { name: 'version', kind: 'whole', value: (row) => row.version }, { name: 'number', kind: 'whole', value: (row) => row.number },
    { name: 'digest', kind: 'text', value: (row) => row.digest }, { name: 'salt', kind: 'text', value: (row) => row.salt },
    { name: 'text', kind: 'text', value: (row) => row.text },
  ],
  after: '',
};

export function closedMonthsIn({ engine, clock }: StoreContext): ClosedMonths {
  /** Closings and reopenings of one organization take turns. */
  const turn = async (transaction: Transaction<Schema>, organization: OrganizationId): Promise<ClosedMonth[]> => {
    if (engine.kind === 'postgres') {
      await transaction.selectFrom('organization').select('id').where('id', '=', organization).forUpdate().execute();
    }
    return versionsOf(transaction, organization);
  };
  return {
    list: (organization) => engine.read((db) => versionsOf(db, organization)),
    names: ({ organization, monthMs, version }) => engine.read(async (db) => (await db.selectFrom('closed_month_name').selectAll()
      .where('organization', '=', organization).where('month_ms', '=', BigInt(monthMs)).where('version', '=', BigInt(version))
      .orderBy('number').execute()).map(({ number, digest, salt, text }) => ({ type: 'name', number: Number(number), digest, salt, text }))),
    parts: ({ organization, monthMs, version }, types) => engine.read(async (db) => (await db.selectFrom('closed_month_part')
      .select(['type', 'content']).where('organization', '=', organization).where('month_ms', '=', BigInt(monthMs))
      .where('version', '=', BigInt(version)).$if(types !== undefined, (query) => query.where('type', 'in', [...types!]))
      .orderBy('number').execute()).map(({ type, content }) => ({ type: type as MonthLineType, content }))),
    close: ({ parts, names, after, ...month }) => engine.write<ClosedMonth | StoreRefusal>(async (transaction) => {
      const { send } = sendingIn(transaction);
      holdOffErasures(engine.kind, send);
      if ((await erasedAmong(engine.kind, send, [month.organization])).size > 0) {
        return refuse('unknown_organization', 'There is no organization with this id or name.');
      }
      const last = lastClosed(await turn(transaction, month.organization));
      if (last?.monthMs !== after?.monthMs || last?.version !== after?.version) {
        return refuse('month_changed', 'Another month was closed or reopened meanwhile. Look at the months, and close this one again.');
      }
      await transaction.insertInto('closed_month').values({
        organization: month.organization, month_ms: month.monthMs, version: month.version, closed_at_ms: month.closedAtMs, reopened_at_ms: null,
        sequence: month.sequence, hash: Buffer.from(month.hash, 'hex'), digest: Buffer.from(month.digest, 'hex'), key: month.key,
        signature: Buffer.from(month.signature, 'base64'),
      }).execute();
      await insertRows(engine.kind, transaction, insertPart, parts.map((part, index) => ({ ...month, ...part, number: index + 1 })));
      await insertRows(engine.kind, transaction, insertName, names.map((name) => ({ ...month, ...name })));
      return { ...month, reopenedAtMs: null };
    }, { action: 'closeMonth', organization: month.organization, subject: monthName(month.monthMs) }),
    reopen: ({ organization, monthMs }) => engine.write<ClosedMonth | StoreRefusal>(async (transaction) => {
      const versions = await turn(transaction, organization);
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

/** The latest month that is closed; null: none. */
export function lastClosed(versions: readonly ClosedMonth[]): ClosedMonth | null {
  return versions.findLast(({ reopenedAtMs }) => reopenedAtMs === null) ?? null;
}

/** For an erased organization: figures, digests and signatures stay. */
export async function eraseMonthNames(transaction: Transaction<Schema>, organization: OrganizationId): Promise<void> {
  await transaction.updateTable('closed_month_name').set({ salt: null, text: null }).where('organization', '=', organization).execute();
}

async function versionsOf(db: Kysely<Schema>, organization: OrganizationId): Promise<ClosedMonth[]> {
  const rows = await db.selectFrom('closed_month').selectAll().where('organization', '=', organization)
    .orderBy('month_ms').orderBy('version').execute();
  return rows.map(closedMonthOf);
}

function closedMonthOf(row: Selectable<ClosedMonthTable>): ClosedMonth {
  return {
    organization: row.organization as OrganizationId, monthMs: Number(row.month_ms), version: Number(row.version),
    closedAtMs: Number(row.closed_at_ms), reopenedAtMs: row.reopened_at_ms === null ? null : Number(row.reopened_at_ms),
    sequence: Number(row.sequence), hash: Buffer.from(row.hash).toString('hex'), digest: Buffer.from(row.digest).toString('hex'), key: row.key,
    signature: Buffer.from(row.signature).toString('base64'),
  };
}
