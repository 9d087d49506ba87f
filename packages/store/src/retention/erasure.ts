/**
 * An organization erased: keys, sessions, secrets and the data key are destroyed, records keep figures only. Rule 23.
 * The first transaction deletes everything that lets anyone in or opens anything. From its commit on the organization looks as if it had
 * never existed, except that its figures can be read by its id. The names in its closed months, which nobody reads any more, and the words in its
 * call records and tap events are then erased in slices. If the process dies in between, erasure continues at the next start at the latest.
 * Records still on their way from a node lose their words when they arrive (`erased.ts`).
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import { eraseAuditWords } from '../operation/audit-trail.ts';
import { dropCorrectedModels } from '../spend/corrections.ts';
import { endChain } from '../sealing/chain/end-chain.ts';
import { eraseMonthNames, type NamePlace } from '../receipts/closed-months.ts';
import { stampOrganization, unknownOrganization } from '../settings/organizations.ts';
import type { StoreRefusal } from '../engine/refusal.ts';
import type { Engine } from '../engine/engine.ts';
import { isBusy } from '../engine/sqlite-file.ts';
import { sendingIn } from '../engine/send.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import { erasedAmong, shippingLock } from '../operation/erased.ts';
import { dropErasedEvents, eraseTap } from '../tap/tap-events.ts';
import { dropWords, keepSumsWithoutWords, reattribute } from '../usage/erase-usage.ts';

export interface Erasure {
  /** Refuses `unknown_organization`. When it returns nobody gets in and nothing opens; the slices are still to come. */
  begin(organization: OrganizationId): Promise<{ readonly organization: OrganizationId } | StoreRefusal>;
  /** Erases one slice of what erased organizations left, in one short transaction. False: nothing is left. */
  eraseSlice(): Promise<boolean>;
  /** Makes the engine drop all copies of what was overwritten. False: somebody still reads one; try again. */
  settle(): Promise<boolean>;
}

const recordsAtOnce = 200;
const eventsAtOnce = 200;

/** How far an erasure is: no word is left within reach of SQL; on SQLite, none in the bytes of its files either. 0 before. */
const wordsGone = 1n;
const bytesGone = 2n;

/** Tables whose rows of the organization go whole. Those that refer to others come first. */
const goneTables = [
  'refusal_hour', 'refusal_entry', 'deferred_work', 'allocation_rules', 'month_budget',
  'webhook_delivery', 'notice', 'webhook', 'cap_told', 'cap_alert',
  'spend_lease',
  'service_key', 'provider_connection', 'declared_upstream', 'named_upstream', 'organization_data_key', 'run', 'run_exposure', 'grant_key',
  'machine_sign_in', 'membership', 'invitation', 'management_token', 'person_session',
  // Whoever saves a view locks the membership.
  'saved_view',
  // What differed is named by the words of its sums.
  'figure_difference',
] as const;

export function erasureIn(context: StoreContext): Erasure {
  const { engine, background, clock } = context;
  // Where this process is among the names of an organization's closed months; null: behind the last. Another process, or this one after a restart,
  // begins with the first: a name that is gone stays as it is.
  const namePlaces = new Map<OrganizationId, NamePlace | null>();
  return {
    begin: (organization) => engine.change(async (transaction, revision) => {
      const isErased = async () => (await erasedAmong(engine.kind, sendingIn(transaction).send, [organization])).size > 0;
      if (!await stampOrganization(transaction, organization, revision) || await isErased()) {
        return unknownOrganization();
      }
      await transaction.insertInto('erased_organization')
        .values({ organization, at_ms: clock(), done_ms: -1, done_sequence: 0, finished: 0 }).execute();
      const members = (await transaction.selectFrom('membership').select('person').where('organization', '=', organization).execute())
        .map(({ person }) => person);
      await endChain(context, transaction, organization);
      await transaction.deleteFrom('service_key_former')
        .where('key', 'in', transaction.selectFrom('service_key').select('id').where('organization', '=', organization)).execute();
      for (const table of goneTables) await transaction.deleteFrom(table).where('organization', '=', organization).execute();
      await transaction.deleteFrom('cap').where('organization', '=', organization).where('scope', 'in', ['project', 'person', 'label']).execute();
      await endPeople(transaction, members);
      await eraseTap(transaction, organization, clock());
      await transaction.deleteFrom('spend_day').where('organization', '=', organization).where('scope', 'in', ['project', 'label']).execute();
      await dropCorrectedModels(transaction, organization);
      await transaction.updateTable('corrected_spend').set({ labels: null }).where('organization', '=', organization).execute();
      await eraseAuditWords(transaction, organization);
      await transaction.updateTable('organization').set({ name: `erased ${organization}` }).where('id', '=', organization).execute();
      return { organization };
    }, ({ organization: erased }) => ({ action: 'eraseOrganization', organization: erased, subject: erased, withoutWords: true }),
    (transaction) => stopShipments(engine.kind, transaction, organization)),
    async eraseSlice() {
      const { names, more } = await background.write(async (transaction): Promise<ErasedSlice> => {
        const begun = await firstBegun(transaction);
        if (begun === undefined) return { more: await dropErasedEvents(transaction, eventsAtOnce) > 0 };
        const organization = begun.organization as OrganizationId;
        const after = namePlaces.get(organization);
        const place = after === null ? null : await eraseMonthNames(transaction, organization, after);
        if (place === null) await eraseRecords(engine.kind, transaction, begun);
        return { more: true, names: { organization, place } };
      });
      // Once it is committed.
      if (names !== undefined) namePlaces.set(names.organization, names.place);
      return more;
    },
    async settle() {
      if (engine.kind !== 'sqlite') return true;
      const due = await background.read((db) =>
        db.selectFrom('erased_organization').select('organization').where('finished', '=', wordsGone).execute());
      if (due.length === 0) return true;
      if (!await background.read(async (db) => await rewritten(db) && emptyLog(db))) return false;
      await background.write((transaction) => transaction.updateTable('erased_organization').set({ finished: bytesGone })
        .where('organization', 'in', due.map(({ organization }) => organization)).execute());
      return true;
    },
  };
}

/**
 * No shipment is under way, and none begins, until the transaction ends. SQLite lets in one writer anyway. The chain is locked as well: a first cap
 * holds it while it waits for the revision's row, and the erasure changes it under that row.
 */
async function stopShipments(kind: Engine['kind'], transaction: Transaction<Schema>, organization: OrganizationId): Promise<void> {
  if (kind === 'sqlite') return;
  await sql`select pg_advisory_xact_lock(${shippingLock}::bigint)`.execute(transaction);
  await transaction.selectFrom('receipt_chain').select('organization').where('organization', '=', organization).forUpdate().execute();
}

/** A larger file would keep writers waiting for more than about a second. Bytes. */
const rewrittenBytesMax = 64n * 1024n * 1024n;

/**
 * SQLite overwrites what is deleted, but where it parted a page in two it may leave what it moved in the unused part of the first. A small file
 * is written again without that. False: somebody writes. Of a large one a word may stay so, out of reach of SQL, until its page is written over.
 */
async function rewritten(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ bytes: bigint }>`select page_count * page_size as bytes from pragma_page_count, pragma_page_size`.execute(db);
  if (rows[0]!.bytes > rewrittenBytesMax) return true;
  return withoutPatience(db, async () => {
    await sql`vacuum`.execute(db);
    return true;
  });
}

/** Returns false instead of waiting for somebody else's lock, since that would block this thread. */
async function withoutPatience(db: Kysely<Schema>, work: () => Promise<boolean>): Promise<boolean> {
  const { rows } = await sql<{ timeout: bigint }>`pragma busy_timeout`.execute(db);
  await sql`pragma busy_timeout = 0`.execute(db);
  try {
    return await work();
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    await sql`pragma busy_timeout = ${sql.lit(Number(rows[0]!.timeout))}`.execute(db);
  }
}

/** Most is written beside writers, who are held up only for the rest, and not while somebody still reads from the log: false. */
async function emptyLog(db: Kysely<Schema>): Promise<boolean> {
  await sql`pragma wal_checkpoint(passive)`.execute(db);
  return withoutPatience(db, async () => {
    const emptied = await sql<{ busy: bigint }>`pragma wal_checkpoint(truncate)`.execute(db);
    return Number(emptied.rows[0]!.busy) === 0;
  });
}

/** Ends every session of the former members; whoever belongs to no other organization is removed as a user. */
async function endPeople(transaction: Transaction<Schema>, people: readonly string[]): Promise<void> {
  for (const person of people) {
    await transaction.deleteFrom('person_session').where('person', '=', person).execute();
    const elsewhere = await transaction.selectFrom('membership').select('person').where('person', '=', person).limit(1).executeTakeFirst();
    if (elsewhere === undefined) await transaction.deleteFrom('person').where('id', '=', person).execute();
  }
}

interface ErasedSlice {
  readonly more: boolean;
  /** Where the names of closed months are erased up to; null: all are. Absent: no organization was left. */
  readonly names?: { readonly organization: OrganizationId; readonly place: NamePlace | null };
}

type BegunErasure = Selectable<Schema['erased_organization']>;

/** Undefined: no word is left of any. */
function firstBegun(transaction: Transaction<Schema>): Promise<BegunErasure | undefined> {
  return transaction.selectFrom('erased_organization').selectAll().where('finished', '=', 0n).limit(1).executeTakeFirst();
}

/**
 * Words of the next records of an erased organization, along its index by start; after the last those of its sums.
 * What comes from now on is without words as it arrives.
 */
async function eraseRecords(engine: Engine['kind'], transaction: Transaction<Schema>, begun: BegunErasure): Promise<void> {
  const { organization, done_ms: doneMs, done_sequence: doneSequence } = begun;
  const rows = await transaction.selectFrom('call_record').select(['started_at_ms', 'sequence']).where('organization', '=', organization)
    .where(sql<boolean>`(started_at_ms, sequence) > (${doneMs}, ${doneSequence})`)
    .orderBy('started_at_ms').orderBy('sequence').limit(recordsAtOnce).execute();
  const last = rows.at(-1);
  if (last !== undefined) {
    const sequences = rows.map(({ sequence }) => sequence);
    await transaction.updateTable('call_record').set(noWords).where('sequence', 'in', sequences).execute();
    await reattribute(transaction, sequences);
  } else {
    if (await dropWords(engine, transaction, organization)) return;
    await keepSumsWithoutWords(engine, transaction, organization);
    // What was being raised while the erasure began, by somebody who had read the webhooks before.
    await transaction.deleteFrom('webhook_delivery').where('organization', '=', organization).execute();
    await transaction.deleteFrom('notice').where('organization', '=', organization).execute();
  }
  await transaction.updateTable('erased_organization')
    .set(last === undefined ? { finished: wordsGone } : { done_ms: last.started_at_ms, done_sequence: last.sequence })
    .where('organization', '=', organization).execute();
}

const noWords = {
  project: null, labels: null, run: null, path: '', model: null, requested_model: null, finish_reason: null, service_tier: null,
  provider_request_id: null, session: null, works: null,
} as const;
