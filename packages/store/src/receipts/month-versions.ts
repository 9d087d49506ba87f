/** Closings of months as rows, and which of an organization's is the last. See `closed-months.ts`. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { MonthLineType, NameLine } from '@metergate/core/books/month/month-file.ts';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Engine } from '../engine/engine.ts';
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

export type MonthVersion = Pick<ClosedMonth, 'organization' | 'monthMs' | 'version'>;

/** What one transaction reads or writes, so that others wait for some ten milliseconds. */
export const namesAtOnce = 2_000;
export const partsAtOnce = 10;

/** Closings and reopenings of one organization take turns. */
export async function versionsInTurn(
  engine: Engine['kind'], transaction: Transaction<Schema>, organization: OrganizationId,
): Promise<ClosedMonth[]> {
  if (engine === 'postgres') {
    await transaction.selectFrom('organization').select('id').where('id', '=', organization).forUpdate().execute();
  }
  return versionsOf(transaction, organization);
}

/** The latest month that is closed; null: none. */
export function lastClosed(versions: readonly ClosedMonth[]): ClosedMonth | null {
  return versions.findLast(({ reopenedAtMs }) => reopenedAtMs === null) ?? null;
}

/** All closings of an organization, by month and version. */
export async function versionsOf(db: Kysely<Schema>, organization: OrganizationId): Promise<ClosedMonth[]> {
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
