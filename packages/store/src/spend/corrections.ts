/**
 * Corrections: the differences between a provider's bill and the records, stored as separate figures (decision 0031). A correction changes no
 * record.
 */
import { idPrefix, newId, type OrganizationId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import type { Provider } from '@metergate/core/wire/wire.ts';
import { sql, type Selectable, type Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { insertRows, type BulkInsert } from '../engine/bulk.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { sendingIn } from '../engine/send.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';
import type { CorrectionTable } from '../schema/correction-schema.ts';
import type { Schema } from '../schema/schema.ts';

/** One day and model of a bill beside the records. Amounts may be negative, since a bill may hold credits. */
export interface CorrectedDay {
  /** 00:00 UTC. */
  readonly dayMs: number;
  /** Null: the bill names none. */
  readonly model: string | null;
  /** The sum of the records. */
  readonly ours: NanoDollars;
  /** What the bill says. */
  readonly theirs: NanoDollars;
}

export interface Correction extends CorrectedDay {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly provider: Provider;
  /** SHA-256 of the bill, hexadecimal. */
  readonly bill: string;
  readonly recordedAtMs: number;
}

export interface RecordedBill {
  readonly organization: OrganizationId;
  readonly provider: Provider;
  /** The days that the bill covers, `toMs` excluded. Corrections recorded for them before are removed. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly bill: string;
  readonly days: readonly CorrectedDay[];
}

export interface Corrections {
  /** Replaces the corrections of the same provider and days. */
  record(bill: RecordedBill): Promise<Correction[] | StoreRefusal>;
  /** Corrections of the days that begin in the period, in order of day. */
  list(query: { readonly organization: OrganizationId; readonly sinceMs?: number; readonly untilMs?: number }): Promise<Correction[]>;
  /** `within`: of this organization only. Refuses `unknown_correction`. */
  remove(id: string, within?: OrganizationId): Promise<Correction | StoreRefusal>;
}

const insert: BulkInsert<Correction> = {
  table: 'correction',
  columns: [
    { name: 'id', kind: 'text', value: (each) => each.id }, { name: 'organization', kind: 'text', value: (each) => each.organization },
    { name: 'provider', kind: 'text', value: (each) => each.provider }, { name: 'day_ms', kind: 'whole', value: (each) => each.dayMs },
    { name: 'model', kind: 'text', value: (each) => each.model ?? '' }, { name: 'ours_nano', kind: 'whole', value: (each) => each.ours },
    { name: 'theirs_nano', kind: 'whole', value: (each) => each.theirs }, { name: 'bill', kind: 'text', value: (each) => each.bill },
    { name: 'recorded_at_ms', kind: 'whole', value: (each) => each.recordedAtMs },
  ],
  after: '',
};

export function correctionsIn(context: StoreContext): Corrections {
  const { engine, clock, randomBytes } = context;
  return {
    record: ({ organization, provider, fromMs, toMs, bill, days }) => engine.write<Correction[] | StoreRefusal>(async (transaction) => {
      const { send } = sendingIn(transaction);
      holdOffErasures(engine.kind, send);
      // Its bill was compared before the organization was erased: names of models and items would stay.
      if ((await erasedAmong(engine.kind, send, [organization])).size > 0) {
        return refuse('unknown_organization', 'There is no such organization.');
      }
      await transaction.deleteFrom('correction').where('organization', '=', organization).where('provider', '=', provider)
        .where('day_ms', '>=', BigInt(fromMs)).where('day_ms', '<', BigInt(toMs)).execute();
      const made = days.map((day): Correction => ({
        ...day, id: newId(idPrefix.correction, randomBytes), organization, provider, bill, recordedAtMs: Math.floor(clock()),
      }));
      await insertRows(engine.kind, transaction, insert, made);
      return made;
    }, () => ({ action: 'recordCorrections', organization, subject: provider })),
    list: ({ organization, sinceMs, untilMs }) => engine.read(async (db) => (await db.selectFrom('correction').selectAll()
      .where('organization', '=', organization)
      .$if(sinceMs !== undefined, (query) => query.where('day_ms', '>=', BigInt(Math.ceil(sinceMs!))))
      .$if(untilMs !== undefined, (query) => query.where('day_ms', '<', BigInt(Math.ceil(untilMs!))))
      .orderBy('day_ms').orderBy('provider').orderBy('model').execute()).map(correctionOf)),
    remove: (id, within) => engine.write<Correction | StoreRefusal>(async (transaction) => {
      const row = id.includes('\0') ? undefined
        : await transaction.selectFrom('correction').selectAll().where('id', '=', id).executeTakeFirst();
      if (row === undefined || (within !== undefined && row.organization !== within)) {
        return refuse('unknown_correction', 'There is no correction with this id.');
      }
      await transaction.deleteFrom('correction').where('id', '=', id).execute();
      return correctionOf(row);
    }, ({ organization }) => ({ action: 'removeCorrection', organization, subject: id })),
  };
}

/** For an erased organization: its corrections stay by provider and day, without the model. */
export async function dropCorrectedModels(transaction: Transaction<Schema>, organization: string): Promise<void> {
  await sql`insert into correction (id, organization, provider, day_ms, model, ours_nano, theirs_nano, bill, recorded_at_ms)
    select min(id) || '-', organization, provider, day_ms, '', cast(sum(ours_nano) as bigint), cast(sum(theirs_nano) as bigint), '',
      max(recorded_at_ms)
    from correction where organization = ${organization} and model <> '' group by organization, provider, day_ms
    on conflict (organization, provider, day_ms, model) do update
      set ours_nano = correction.ours_nano + excluded.ours_nano, theirs_nano = correction.theirs_nano + excluded.theirs_nano`.execute(transaction);
  await transaction.deleteFrom('correction').where('organization', '=', organization).where('model', '<>', '').execute();
}

function correctionOf(row: Selectable<CorrectionTable>): Correction {
  return {
    id: row.id, organization: row.organization as OrganizationId, provider: row.provider as Provider, dayMs: Number(row.day_ms),
    model: row.model === '' ? null : row.model, ours: row.ours_nano as NanoDollars, theirs: row.theirs_nano as NanoDollars, bill: row.bill,
    recordedAtMs: Number(row.recorded_at_ms),
  };
}
