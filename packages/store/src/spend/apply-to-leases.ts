/**
 * Adds call records to what their nodes have shipped of each leased sum, inside the transaction that stores the records and adds them to
 * spend. So a record counts as leased until it counts as spent, and never as both (rules: Spend across nodes). When a sum reaches the
 * limit of its cap or run, all nodes must confirm what they hold, whether or not the one that spent has ever asked for a lease of it.
 * Call it after the sums are written: it relies on their locks. On the embedded store there is nothing to do.
 */
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { calendarWindows, windowAt } from '@metergate/core/spend/window.ts';
import { CompiledQuery, type Transaction } from 'kysely';
import { arraysFrom, arraysTable, namesOf, type BulkColumn } from '../engine/bulk.ts';
import type { Send } from '../engine/send.ts';
import type { Schema } from '../schema/schema.ts';

type LeasedRecord = Pick<CallRecord, 'organization' | 'key' | 'run' | 'startedAtMs' | 'cost' | 'node'>;

/** What one row of `spend_lease` gains. */
interface Part {
  readonly organization: string;
  readonly scope: string;
  readonly subject: string;
  readonly window: string;
  readonly startMs: number;
  readonly node: string;
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

/** Nodes that the store does not know hold no leases: their process is dead, or they were forgotten. */
const known = 'exists (select 1 from gateway_node where id = v.node)';
const addStatement = `insert into spend_lease (${keyNames}, granted_nano, shipped_nano, claim, short_at_ms)
  select ${keyNames.split(', ').map((name) => `v.${name}`).join(', ')}, 0, v.cost, 0, 0 from ${given}
  where ${known} order by 1, 2, 3, 4, 5, 6
  on conflict (${keyNames}) do update
  set shipped_nano = least(spend_lease.shipped_nano, 9223372036854775807 - excluded.shipped_nano) + excluded.shipped_nano`;

export const bumpFeedStatement = 'update lease_feed set value = value + 1';

const bumpFeedWhereReached = `${bumpFeedStatement} where exists (
  select 1 from ${given}
  left join spend_sum as s on s.organization = v.organization and s.scope = v.scope and s.subject = v.subject
    and s."window" = v."window" and s.start_ms = v.start_ms
  left join cap as c on c.organization = v.organization and c.scope = v.scope and c.subject = v.subject and c."window" = v."window"
  left join run as r on v.scope = 'run' and r.organization = v.organization and r.id = v.subject
  cross join lateral (values (coalesce(s.spent_nano, r.spent_nano), coalesce(c.limit_nano, r.effective_nano))) as now (spent, most)
  where now.spent >= now.most and now.spent - v.cost < now.most and ${known})`;

/** Sends one statement for a batch; nothing on SQLite, where the one node needs no leases. */
export function applyToLeases(engine: 'sqlite' | 'postgres', send: Send, records: readonly LeasedRecord[]): void {
  if (engine === 'sqlite') return;
  const parts = [...partsOf(records).values()];
  if (parts.length === 0) return;
  const values = arraysFrom(columns, parts);
  void send(addStatement, values);
  void send(bumpFeedWhereReached, values);
}

/** Makes all nodes confirm what they hold. The row's lock is the last that a transaction takes. */
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
  for (const { organization, key, run, startedAtMs, cost, node } of records) {
    if (cost === null || cost === 0n) continue;
    for (const window of calendarWindows) {
      const { startMs } = windowAt(window, startedAtMs);
      add(cost, { organization, scope: 'organization', subject: '', window, startMs, node });
      add(cost, { organization, scope: 'key', subject: key, window, startMs, node });
    }
    if (run !== null) add(cost, { organization, scope: 'run', subject: run, window: 'run', startMs: 0, node });
  }
  return parts;
}
