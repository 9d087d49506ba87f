/**
 * Adds call records to what their nodes have shipped of each leased sum, inside the transaction that stores the records and adds them to
 * spend. So a record counts as leased until it counts as spent, and never as both (rules: Spend across nodes). When a sum reaches the
 * limit of its cap or run, all nodes must confirm what they hold, even if the node that spent never asked for a lease of it.
 * Call it after the sums are written: it relies on the lock of a subject's row of all days. Two batches of one month may write different days,
 * and the later one must see both. Does nothing on the embedded store.
 */
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { calendarWindows, windowAt } from '@metergate/core/spend/window.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import { CompiledQuery, type Transaction } from 'kysely';
import { arraysFrom, arraysTable, namesOf, type BulkColumn } from '../engine/bulk.ts';
import type { Send } from '../engine/send.ts';
import type { Schema } from '../schema/schema.ts';
import { daysOf, daysSpent, leasedDays, spentOf, type DayRange } from './spend-days.ts';

type LeasedRecord = Pick<CallRecord, 'organization' | 'key' | 'run' | 'startedAtMs' | 'cost' | 'node' | 'countedFor'>
  & Partial<Pick<CallRecord, 'kind'>>;

/** What is added to one row of `spend_lease`. */
interface Part {
  readonly organization: string;
  readonly scope: string;
  readonly subject: string;
  readonly window: string;
  readonly startMs: number;
  readonly node: string;
  /** The days of the window; null for a run. */
  readonly days: DayRange | null;
  cost: bigint;
}

const columns: readonly BulkColumn<Part>[] = [
  { name: 'organization', kind: 'text', value: (part) => part.organization },
  { name: 'scope', kind: 'text', value: (part) => part.scope },
  { name: 'subject', kind: 'text', value: (part) => part.subject },
  { name: 'window', kind: 'text', value: (part) => part.window },
  { name: 'start_ms', kind: 'whole', value: (part) => part.startMs },
  { name: 'node', kind: 'text', value: (part) => part.node },
  { name: 'cost', kind: 'whole', value: (part) => part.cost },
];
const keyNames = namesOf(columns.slice(0, 6));
const given = arraysTable(columns);
const withDays: readonly BulkColumn<Part>[] = [
  ...columns,
  { name: 'from_ms', kind: 'whole', value: ({ days }) => days?.fromMs ?? 0 },
  { name: 'to_ms', kind: 'whole', value: ({ days }) => days?.toMs ?? 0 },
];

/** Nodes that the store does not know hold no leases: their process is dead, or they were forgotten. */
const known = 'exists (select 1 from gateway_node where id = v.node)';
const addStatement = `insert into spend_lease (${keyNames}, granted_nano, shipped_nano, claim, short_at_ms)
  select ${keyNames.split(', ').map((name) => `v.${name}`).join(', ')}, 0, v.cost, 0, 0 from ${given}
  where ${known} order by 1, 2, 3, 4, 5, 6
  on conflict (${keyNames}) do update
  set shipped_nano = least(spend_lease.shipped_nano, 9223372036854775807 - excluded.shipped_nano) + excluded.shipped_nano`;

export const bumpFeedStatement = 'update lease_feed set value = value + 1';

/** Only the days of capped windows are added up. */
const bumpFeedWhereReached = `${bumpFeedStatement} where exists (
  select 1 from ${arraysTable(withDays)}
  left join cap as c on c.organization = v.organization and c.scope = v.scope and c.subject = v.subject and c."window" = v."window"
  left join run as r on v.scope = 'run' and r.organization = v.organization and r.id = v.subject
  cross join lateral (values (case when c.id is null then r.spent_nano else (
    select ${spentOf('postgres')} from (${daysSpent(['spent_nano'], leasedDays)}) as s) end,
    coalesce(c.limit_nano, r.effective_nano))) as now (spent, most)
  where now.spent >= now.most and now.spent - v.cost < now.most and ${known})`;

const cappedStatement = 'select distinct organization from cap where organization in (select unnest($1::text[]))';
const noneCapped: ReadonlySet<string> = new Set();

/** Of these organizations, those that have caps; on SQLite nobody asks. */
export async function cappedAmong(engine: 'sqlite' | 'postgres', send: Send, organizations: readonly string[]): Promise<ReadonlySet<string>> {
  if (engine === 'sqlite' || organizations.length === 0) return noneCapped;
  const rows = await send<{ readonly organization: string }>(cappedStatement, [[...new Set(organizations)]]);
  return new Set(rows.map(({ organization }) => organization));
}

/**
 * Sends two statements for a batch; nothing on SQLite, whose one node needs no leases. `capped`: the organizations that had caps when the transaction
 * read. What no cap or run binds reaches no limit, and to plan that question takes a server longer than any other of a batch. An organization gets
 * its first cap between two of its batches (`beforeFirstCap`).
 */
export function applyToLeases(
  engine: 'sqlite' | 'postgres', send: Send, records: readonly LeasedRecord[], capped: ReadonlySet<string>,
): void {
  if (engine === 'sqlite') return;
  // No node spent a settlement from a lease: all of them learn of it from the sums.
  const spent = records.filter(({ kind = 'call' }) => kind === 'call');
  if (spent.length < records.length) void send(bumpFeedStatement);
  const parts = [...partsOf(spent).values()];
  if (parts.length === 0) return;
  void send(addStatement, arraysFrom(columns, parts));
  const bound = parts.filter(({ scope, organization }) => scope === 'run' || capped.has(organization));
  if (bound.length > 0) void send(bumpFeedWhereReached, arraysFrom(withDays, bound));
}

/** Makes all nodes confirm what they hold. A transaction must lock this row last. */
export async function bumpLeaseFeed(transaction: Transaction<Schema>): Promise<void> {
  await transaction.executeQuery(CompiledQuery.raw(bumpFeedStatement));
}

function partsOf(records: readonly LeasedRecord[]): Map<string, Part> {
  const parts = new Map<string, Part>();
  const add = (cost: bigint, part: Omit<Part, 'cost'>): void => {
    const name = [part.organization, part.scope, part.window, part.startMs, part.node, part.subject].join(' ');
    const known = parts.get(name);
    if (known === undefined) parts.set(name, { ...part, cost });
    else known.cost = nanoDollars(known.cost + cost);
  };
  for (const { organization, key, run, dayMs, node, cost, countedFor } of costsOf(records)) {
    for (const window of calendarWindows) {
      const bounds = windowAt(window, dayMs);
      const part = { organization, window, startMs: bounds.startMs, node, days: daysOf(bounds) };
      add(cost, { ...part, scope: 'organization', subject: '' });
      add(cost, { ...part, scope: 'key', subject: key });
      if (countedFor === undefined) continue;
      if (countedFor.person !== null) add(cost, { ...part, scope: 'person', subject: countedFor.person });
      for (const label of countedFor.labels) add(cost, { ...part, scope: 'label', subject: label });
    }
    if (run !== null) add(cost, { organization, scope: 'run', subject: run, window: 'run', startMs: 0, node, days: null });
  }
  return parts;
}

interface DayCost extends Pick<LeasedRecord, 'organization' | 'key' | 'run' | 'node' | 'countedFor'> {
  readonly dayMs: number;
  cost: NanoDollars;
}

/** The cost of the calls of one day, key, run and node. Every window begins and ends with a day, so days are summed first. */
function costsOf(records: readonly LeasedRecord[]): Iterable<DayCost> {
  const costs = new Map<string, DayCost>();
  for (const { organization, key, run, startedAtMs, cost, node, countedFor } of records) {
    if (cost === null || cost === 0n) continue;
    const dayMs = dayOf(startedAtMs);
    const name = `${organization} ${key} ${node} ${dayMs} ${countedFor === undefined ? '' : JSON.stringify(countedFor)} ${run ?? ''}`;
    const known = costs.get(name);
    if (known === undefined) costs.set(name, { organization, key, run, node, dayMs, cost, ...(countedFor === undefined ? {} : { countedFor }) });
    else known.cost = nanoDollars(known.cost + cost);
  }
  return costs.values();
}
