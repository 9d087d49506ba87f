/**
 * Records, tap events and sums that are older than their organization keeps them go, in slices. Decision 0032. Off unless an organization has
 * an age. Each slice is one short transaction, after which sums equal the records that are left.
 *
 * First the chain of receipts is cut, signed; then the records before the cut go, in the chain's order. Records from before there were
 * receipts and what was reported by taps go by their time. What an erased organization left is figures only, and stays: nothing can be signed
 * for it any more.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { dayLengthMs, dayOf } from '@metergate/core/time/utc-day.ts';
import type { Selectable, Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { sendingIn } from '../engine/send.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';
import type { RetentionTable } from '../schema/retention-schema.ts';
import { numberOrNull, type Schema } from '../schema/schema.ts';
import { cutChain } from './cut-chain.ts';
import { chainedRecords, keepBeginnings, removeRecords, unchainedRecords, type OldCall } from './remove-records.ts';
import { removeTap } from './remove-tap.ts';

/** An organization whose records go after this many days. */
interface RetainedOrganization {
  readonly organization: OrganizationId;
  readonly days: number;
}

export interface RetentionSlice {
  readonly records: number;
  readonly events: number;
  /** False: nothing is due any more. */
  readonly more: boolean;
}

interface RetentionProgress {
  /** Of the calls that started before this instant some or all records are gone; every one from it on is there. Null: none are gone. */
  readonly goneBeforeMs: number | null;
  readonly removedRecords: number;
  readonly removedEvents: number;
  /** Of the last slice. */
  readonly atMs: number;
}

interface RetentionDelay {
  /** By how much the oldest record of them is past its organization's age; 0: none is. */
  readonly behindMs: number;
  /** Where to continue; null: there are no more. */
  readonly next: OrganizationId | null;
}

export interface Retention {
  /** Those with an age, in the order of their ids. */
  organizations(): Promise<readonly RetainedOrganization[]>;
  /**
   * One slice, of at most this many rows. What started before `nowMs` less the organization's days goes.
   * @throws StoreFault `receipts_differ` where the chain is not what was signed: nothing of this organization goes then.
   */
  removeSlice(organization: OrganizationId, slice: { readonly nowMs: number; readonly rowsMax: number }): Promise<RetentionSlice>;
  /** Null: nothing was ever removed. */
  progress(organization: string): Promise<RetentionProgress | null>;
  /** Start of the oldest record; null: there is none. */
  oldestMs(organization: OrganizationId): Promise<number | null>;
  /** How far removal is behind, over the next `limit` organizations with an age after `page.after`, in the order of their ids; null: the first. */
  behind(nowMs: number, page: { readonly after: OrganizationId | null; readonly limit: number }): Promise<RetentionDelay>;
}

const done: RetentionSlice = { records: 0, events: 0, more: false };
type Row = Selectable<RetentionTable>;

export function retentionIn(context: StoreContext): Retention {
  const { engine, background } = context;
  return {
    organizations: () => engine.read(async (db) => (await db.selectFrom('organization').select(['id', 'keep_records_days'])
      .where('keep_records_days', 'is not', null)
      .where(({ not, exists, selectFrom }) => not(exists(selectFrom('erased_organization').select('organization')
        .whereRef('organization', '=', 'organization.id'))))
      .orderBy('id').execute()).map((row) => ({ organization: row.id as OrganizationId, days: Number(row.keep_records_days) }))),
    removeSlice: (organization, { nowMs, rowsMax }) => background.write(async (transaction) => {
      const { send } = sendingIn(transaction);
      holdOffErasures(engine.kind, send);
      const erased = await erasedAmong(engine.kind, send, [organization]);
      const row = await transaction.selectFrom('organization').select('keep_records_days').where('id', '=', organization).executeTakeFirst();
      if (row === undefined || row.keep_records_days === null || erased.size > 0) return done;
      const youngMs = nowMs - Number(row.keep_records_days) * dayLengthMs;
      return new Slice(context, transaction, { organization, youngMs, rowsMax }).run();
    }),
    progress: (organization) => engine.read(async (db) => {
      const row = await db.selectFrom('retention').selectAll().where('organization', '=', organization).executeTakeFirst();
      return row === undefined ? null : {
        goneBeforeMs: numberOrNull(row.gone_before_ms), removedRecords: Number(row.removed_records), removedEvents: Number(row.removed_events),
        atMs: Number(row.at_ms),
      };
    }),
    oldestMs: (organization) => engine.read(async (db) => {
      const row = await db.selectFrom('call_record').select('started_at_ms').where('organization', '=', organization)
        .orderBy('started_at_ms').limit(1).executeTakeFirst();
      return row === undefined ? null : Number(row.started_at_ms);
    }),
    behind: (nowMs, { after, limit }) => background.read(async (db) => {
      const rows = await db.selectFrom('organization as o').select((each) => ['o.id', 'o.keep_records_days',
        each.selectFrom('call_record').select(({ fn }) => fn.min('started_at_ms').as('oldest'))
          .whereRef('call_record.organization', '=', 'o.id').as('oldest_ms')])
        .where('o.keep_records_days', 'is not', null).where('o.id', '>', after ?? '' as OrganizationId)
        .where(({ not, exists, selectFrom }) => not(exists(selectFrom('erased_organization').select('organization')
          .whereRef('organization', '=', 'o.id'))))
        .orderBy('o.id').limit(limit).execute();
      const delays = rows.map(({ keep_records_days: days, oldest_ms: oldestMs }) =>
        (oldestMs === null ? 0 : nowMs - Number(days) * dayLengthMs - Number(oldestMs)));
      return { behindMs: Math.max(0, ...delays), next: rows.length < limit ? null : rows.at(-1)!.id as OrganizationId };
    }),
  };
}

interface Wanted {
  readonly organization: OrganizationId;
  /** What started at or after this instant stays. */
  readonly youngMs: number;
  readonly rowsMax: number;
}

/** What one transaction does: the first of these that finds something. */
class Slice {
  readonly #context: StoreContext;
  readonly #transaction: Transaction<Schema>;
  readonly #wanted: Wanted;

  constructor(context: StoreContext, transaction: Transaction<Schema>, wanted: Wanted) {
    this.#context = context;
    this.#transaction = transaction;
    this.#wanted = wanted;
  }

  async run(): Promise<RetentionSlice> {
    const { organization, youngMs, rowsMax: limit } = this.#wanted;
    const found = await this.#lockedProgress();
    const after = found?.receipt_through ?? 0n;
    const through = await this.#prunedLast();
    if (through > after) {
      const calls = await chainedRecords(this.#transaction, organization, { after, through, limit });
      // Those that are missing were cut off together with the others.
      return this.#remove(found, calls, { receipt_through: calls.length < limit ? through : calls.at(-1)!.receipt_sequence! });
    }
    if (await this.#cut(found)) return { ...done, more: true };
    const unchained = await unchainedRecords(this.#transaction, organization, { youngMs, limit });
    if (unchained.length > 0) return this.#remove(found, unchained, {});
    const { events, more } = await removeTap(this.#transaction, { organization, beforeMs: dayOf(youngMs), limit });
    if (events > 0) await this.#note(found, { removed_events: (found?.removed_events ?? 0n) + BigInt(events) });
    return { records: 0, events, more };
  }

  /** Before any other lock: a platform that stood still, and lost its lease, may work beside the one that has it now. */
  async #lockedProgress(): Promise<Row | undefined> {
    const progress = this.#transaction.selectFrom('retention').selectAll().where('organization', '=', this.#wanted.organization);
    return (this.#context.engine.kind === 'postgres' ? progress.forUpdate() : progress).executeTakeFirst();
  }

  async #prunedLast(): Promise<bigint> {
    const row = await this.#transaction.selectFrom('receipt_chain').select('pruned_last').where('organization', '=', this.#wanted.organization)
      .executeTakeFirst();
    return row?.pruned_last ?? 0n;
  }

  async #lockedChain() {
    const chain = this.#transaction.selectFrom('receipt_chain').selectAll().where('organization', '=', this.#wanted.organization);
    return (this.#context.engine.kind === 'postgres' ? chain.forUpdate() : chain).executeTakeFirst();
  }

  async #cut(found: Row | undefined): Promise<boolean> {
    const chain = await this.#lockedChain();
    const cut = chain === undefined ? null : await cutChain(this.#context, this.#transaction, chain, this.#wanted.youngMs);
    if (cut === null) return false;
    // Noted before the first record goes: no report of such a time is taken for whole.
    await this.#note(found, { gone_before_ms: latest(found, cut.goneBeforeMs) });
    return true;
  }

  /** The chain's lock is the one that shippers of this organization wait at, before any sum. */
  async #remove(found: Row | undefined, calls: readonly OldCall[], noted: Partial<Row>): Promise<RetentionSlice> {
    await keepBeginnings(this.#transaction, this.#wanted.organization, calls);
    await this.#lockedChain();
    const records = await removeRecords(this.#context.engine.kind, this.#transaction, calls, this.#wanted.youngMs);
    const last = calls.reduce((latestMs, { started_at_ms: startedAtMs }) => Math.max(latestMs, Number(startedAtMs)), -1);
    await this.#note(found, {
      ...noted, removed_records: (found?.removed_records ?? 0n) + BigInt(records),
      ...(calls.length === 0 ? {} : { gone_before_ms: latest(found, last + 1) }),
    });
    return { records, events: 0, more: true };
  }

  async #note(found: Row | undefined, changes: Partial<Row>): Promise<void> {
    const atMs = BigInt(Math.floor(this.#context.clock()));
    const none = { gone_before_ms: null, receipt_through: 0n, removed_records: 0n, removed_events: 0n };
    await this.#transaction.insertInto('retention').values({ ...none, ...found, ...changes, organization: this.#wanted.organization, at_ms: atMs })
      .onConflict((conflict) => conflict.column('organization').doUpdateSet({ ...changes, at_ms: atMs })).execute();
  }
}

/** It never goes back. */
function latest(found: Row | undefined, ms: number): bigint {
  const known = found?.gone_before_ms ?? null;
  return known !== null && known > BigInt(ms) ? known : BigInt(ms);
}
