/**
 * Single refused calls, as nodes send them: kept for fourteen days, and of each key and each organization the newest ones, so that whoever floods
 * pushes out only its own. Best effort, as counts are. Decision 159.
 */
import type { OrganizationId, RequestId, ServiceKeyId } from '@metergate/core/id.ts';
import type { RefusalReason } from '@metergate/core/report/refusal-count.ts';
import type { RefusalEntry } from '@metergate/core/report/refusal-entries.ts';
import { sql, type RawBuilder, type Selectable, type Transaction } from 'kysely';
import { insertRows, type BulkInsert } from '../engine/bulk.ts';
import { limitOfPage, type ListPage } from '../engine/list-page.ts';
import { sendingIn } from '../engine/send.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

/** What must be equal; absent: whatever it is. */
export interface RefusalFilter {
  /** Either id of the answer. */
  readonly request?: string | undefined;
  readonly key?: string | undefined;
  readonly run?: string | undefined;
  readonly code?: string | undefined;
}

interface RefusalLogQuery extends ListPage {
  readonly organization: OrganizationId;
  /** From this instant on. */
  readonly fromMs: number;
  /** Before this instant. */
  readonly toMs: number;
  readonly filter: RefusalFilter;
}

export interface RefusalLog {
  /** Keeps what is not kept yet. Entries of erased organizations are dropped. */
  add(entries: readonly RefusalEntry[]): Promise<void>;
  /** Newest first. */
  page(query: RefusalLogQuery): Promise<RefusalEntry[]>;
}

/** How long entries are shown. Older ones are deleted with the next refusal of anybody. */
export const refusalEntriesKeptMs = 14 * 24 * 3_600_000;

/** The newest that stay. Between two looks there may be `keptLookEvery` more for each node. */
const keptMax = { ofKey: 1_000, ofOrganization: 20_000 } as const;
/** After so many new entries of an organization, what is too much is deleted. */
const keptLookEvery = 500;
/** How many organizations are counted for that at once; past it all of them are looked at again. */
const countedMax = 10_000;

const insert: BulkInsert<RefusalEntry> = {
  table: 'refusal_entry',
  columns: [
    { name: 'organization', kind: 'text', value: ({ organization }) => organization },
    { name: 'id', kind: 'text', value: ({ id }) => id },
    { name: 'answer_id', kind: 'text', value: ({ answerId }) => answerId },
    { name: 'at_ms', kind: 'whole', value: ({ refusedAtMs }) => Math.floor(refusedAtMs) },
    { name: 'key', kind: 'text', value: ({ key }) => key },
    { name: 'run', kind: 'text', value: ({ run }) => run ?? '' },
    { name: 'code', kind: 'text', value: ({ code }) => code },
    { name: 'scope', kind: 'text', value: ({ scope }) => scope ?? '' },
    { name: 'window', kind: 'text', value: ({ window }) => window ?? '' },
  ],
  after: 'on conflict (organization, id) do nothing',
};

export function refusalLogIn({ background: engine }: StoreContext): RefusalLog {
  let droppedBeforeMs = -Infinity;
  let sinceLook = new Map<OrganizationId, number>();
  /** Which organizations are to be looked at after these. */
  const dueAfter = (entries: readonly RefusalEntry[]): ReadonlySet<OrganizationId> => {
    const due = new Set<OrganizationId>();
    if (sinceLook.size > countedMax) sinceLook = new Map();
    for (const { organization } of entries) {
      // The first look comes at once: what a process before this one left is not known.
      const count = (sinceLook.get(organization) ?? keptLookEvery) + 1;
      if (count > keptLookEvery) due.add(organization);
      sinceLook.set(organization, count > keptLookEvery ? 0 : count);
    }
    return due;
  };
  return {
    add: (entries) => engine.write(async (transaction) => {
      const { send } = sendingIn(transaction);
      holdOffErasures(engine.kind, send);
      const erased = await erasedAmong(engine.kind, send, entries.map(({ organization }) => organization));
      // Every node uses the same order, so that no two wait for each other.
      const added = entries.filter(({ organization }) => !erased.has(organization))
        .toSorted((one, other) => (`${one.organization} ${one.id}` < `${other.organization} ${other.id}` ? -1 : 1));
      if (added.length === 0) return;
      await insertRows(engine.kind, transaction, insert, added);
      for (const organization of dueAfter(added)) await dropSurplus(transaction, organization);
      const oldestMs = Math.floor(Math.max(...added.map(({ refusedAtMs }) => refusedAtMs)) - refusalEntriesKeptMs);
      // Once an hour is enough: reading leaves them out anyway.
      if (oldestMs < droppedBeforeMs + 3_600_000) return;
      await transaction.deleteFrom('refusal_entry').where('at_ms', '<', BigInt(oldestMs)).execute();
      droppedBeforeMs = oldestMs;
    }),
    page: ({ organization, fromMs, toMs, filter: { request, key, run, code }, ...page }) => engine.read(async (db) => {
      const asked: RawBuilder<boolean>[] = [];
      if (request !== undefined) asked.push(sql`(id = ${withoutNul(request)} or answer_id = ${withoutNul(request)})`);
      if (key !== undefined) asked.push(sql`key = ${withoutNul(key)}`);
      if (run !== undefined) asked.push(sql`run = ${withoutNul(run)}`);
      if (code !== undefined) asked.push(sql`code = ${withoutNul(code)}`);
      if (page.after !== undefined) asked.push(sql`(at_ms, id) < (${BigInt(Math.floor(page.after.at))}, ${withoutNul(page.after.id)})`);
      let rows = db.selectFrom('refusal_entry').selectAll()
        .where('organization', '=', organization).where('at_ms', '>=', BigInt(Math.ceil(fromMs))).where('at_ms', '<', BigInt(Math.ceil(toMs)));
      for (const condition of asked) rows = rows.where(condition);
      return (await rows.orderBy('at_ms', 'desc').orderBy('id', 'desc').limit(limitOfPage(page)).execute()).map(entryOf);
    }),
  };
}

/** Deletes what is more than the newest of each key that just had any, and more than the newest of all. */
async function dropSurplus(transaction: Transaction<Schema>, organization: OrganizationId): Promise<void> {
  const crowded = await transaction.selectFrom('refusal_entry').select('key').where('organization', '=', organization)
    .groupBy('key').having(sql<boolean>`count(*) > ${sql.lit(keptMax.ofKey)}`).orderBy('key').execute();
  for (const { key } of crowded) {
    await sql`delete from refusal_entry where organization = ${organization} and key = ${key} and (at_ms, id) <= (
      select at_ms, id from refusal_entry where organization = ${organization} and key = ${key}
      order by at_ms desc, id desc limit 1 offset ${sql.lit(keptMax.ofKey)})`.execute(transaction);
  }
  await sql`delete from refusal_entry where organization = ${organization} and (at_ms, id) <= (
    select at_ms, id from refusal_entry where organization = ${organization}
    order by at_ms desc, id desc limit 1 offset ${sql.lit(keptMax.ofOrganization)})`.execute(transaction);
}

function entryOf(row: Selectable<Schema['refusal_entry']>): RefusalEntry {
  const { organization, id, answer_id: answerId, at_ms: atMs, key, run, code, scope, window } = row;
  return {
    organization: organization as OrganizationId, id: id as RequestId, answerId: answerId as RequestId, key: key as ServiceKeyId,
    run: run === '' ? null : run, code, scope: scope === '' ? null : scope as RefusalReason['scope'],
    window: window === '' ? null : window as RefusalReason['window'], refusedAtMs: Number(atMs),
  };
}

/** No stored text contains it, and PostgreSQL accepts it in none. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}
