/**
 * Leased subjects and their leases ⇄ rows, many at a time: claims of a subject take turns, read its limit, its spend and all nodes' leases at one
 * moment, and write one node's leases.
 */
import { leaseName, type LeaseSubject } from '@metergate/core/spend/lease/subject.ts';
import type { LeasedSum, NodeLease } from '@metergate/core/spend/lease/answer.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { daysOf, daysSpent, leasedDays, spentOf } from './spend-days.ts';
import { arraysFrom, arraysTable, namesOf, type BulkColumn } from '../engine/bulk.ts';
import type { Send, SentRow as Row } from '../engine/send.ts';

/** A lease as stored. */
export interface KeptLease extends NodeLease {
  readonly subject: LeaseSubject;
  readonly limit: NanoDollars | null;
}

type Names = 'organization' | 'scope' | 'subject' | 'window' | 'start_ms';

const subjectColumns: readonly BulkColumn<LeaseSubject>[] = [
  { name: 'organization', kind: 'text', value: ({ organization }) => organization },
  { name: 'scope', kind: 'text', value: ({ scope }) => scope },
  { name: 'subject', kind: 'text', value: ({ subject }) => subject },
  { name: 'window', kind: 'text', value: ({ window }) => window },
  { name: 'start_ms', kind: 'whole', value: ({ startMs }) => startMs },
];
const names = namesOf(subjectColumns);
/** With the days of its window; null for a run. */
const askedColumns: readonly BulkColumn<LeaseSubject>[] = [
  ...subjectColumns,
  { name: 'from_ms', kind: 'whole', value: (subject) => (subject.window === 'run' ? 0 : daysOf(subject).fromMs) },
  { name: 'to_ms', kind: 'whole', value: (subject) => (subject.window === 'run' ? 0 : daysOf(subject).toMs) },
];

/**
 * Claims of one subject take turns by locks that nobody else takes: shipping records never waits for a claim, nor the other way round. A
 * claim that does not see a batch being stored acts as if it came before it: what the batch adds to the spend, it subtracts from what is
 * leased. There are few locks, so that a batch of claims of many subjects does not fill the server's lock table.
 */
const lockTurns = 'select pg_advisory_xact_lock($1::integer, turn) from unnest($2::integer[]) as turn';
const turnsLock = 7_215_003;
const turnsMax = 256;

/** One statement, so that everything is read at one moment: spend and leases change together. */
const readStatement = `select ${names.split(', ').map((name) => `v.${name}`).join(', ')}, s.spent_nano as sum_spent_nano, c.limit_nano as cap_nano,
    r.spent_nano as run_spent_nano, r.effective_nano, r.state, l.node, l.granted_nano, l.shipped_nano, l.settled_nano, l.under_way_nano,
    l.doubtful_at_ms, l.claim, l.short_at_ms
  from ${arraysTable(askedColumns)}
  cross join lateral (select ${spentOf('postgres')} as spent_nano from (${daysSpent(['spent_nano'], leasedDays)}) as s) as s
  left join cap as c on c.organization = v.organization and c.scope = v.scope and c.subject = v.subject and c."window" = v."window"
  left join run as r on v.scope = 'run' and r.organization = v.organization and r.id = v.subject
  left join spend_lease as l on l.organization = v.organization and l.scope = v.scope and l.subject = v.subject
    and l."window" = v."window" and l.start_ms = v.start_ms`;

/** By `leaseName`. Until the transaction ends, no other claim of these subjects is answered. Both statements are sent at once. */
export async function lockLeased(send: Send, subjects: readonly LeaseSubject[]): Promise<Map<string, LeasedSum>> {
  if (subjects.length === 0) return new Map();
  const turns = [...new Set(subjects.map((subject) => turnOf(leaseName(subject))))].sort((one, other) => one - other);
  void send(lockTurns, [turnsLock, turns]);
  const found = new Map<string, LeasedSum & { readonly leases: NodeLease[] }>();
  for (const row of await send(readStatement, arraysFrom(askedColumns, subjects))) {
    const name = nameOf(row);
    let sum = found.get(name);
    if (sum === undefined) found.set(name, sum = { ...sumOf(row), leases: [] });
    if (row['node'] !== null) sum.leases.push(leaseOf(row));
  }
  return found;
}

/** A missing run is over. */
function sumOf(row: Row): Omit<LeasedSum, 'leases'> {
  const nothing = nanoDollars(0n);
  return row['scope'] === 'run'
    ? { limit: moneyOf(row['effective_nano']), spent: moneyOf(row['run_spent_nano']) ?? nothing, over: row['state'] !== 'live' }
    : { limit: moneyOf(row['cap_nano']), spent: moneyOf(row['sum_spent_nano'])!, over: false };
}

function leaseOf(row: Row): NodeLease {
  return {
    node: row['node'] as string, granted: moneyOf(row['granted_nano'])!, shipped: moneyOf(row['shipped_nano'])!,
    settled: moneyOf(row['settled_nano'])!, underWay: moneyOf(row['under_way_nano'])!, doubtfulAtMs: Number(row['doubtful_at_ms']),
    claim: Number(row['claim']), shortAtMs: Number(row['short_at_ms']),
  };
}

/** FNV-1a, which spreads names evenly enough. */
function turnOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % turnsMax;
}

const leaseColumns: readonly BulkColumn<KeptLease>[] = [
  ...subjectColumns.map(({ name, kind, value }) => ({ name, kind, value: ({ subject }: KeptLease) => value(subject) })),
  { name: 'node', kind: 'text', value: ({ node }) => node },
  { name: 'granted_nano', kind: 'whole', value: ({ granted }) => granted },
  { name: 'limit_nano', kind: 'whole', value: ({ limit }) => limit },
  { name: 'claim', kind: 'whole', value: ({ claim }) => claim },
  { name: 'short_at_ms', kind: 'whole', value: ({ shortAtMs }) => shortAtMs },
  { name: 'settled_nano', kind: 'whole', value: ({ settled }) => settled },
  { name: 'under_way_nano', kind: 'whole', value: ({ underWay }) => underWay },
  { name: 'doubtful_at_ms', kind: 'whole', value: ({ doubtfulAtMs }) => doubtfulAtMs },
];
const changed = leaseColumns.slice(subjectColumns.length + 1).map(({ name }) => `${name} = excluded.${name}`).join(', ');
/** `shipped_nano` is left alone: only shipping may write it. */
const writeStatement = `insert into spend_lease (${namesOf(leaseColumns)}, shipped_nano) select v.*, 0 from ${arraysTable(leaseColumns)}
  on conflict (${names}, node) do update set ${changed}`;

/** Sends the statement, in an order of rows that is the same for everyone, so that two transactions cannot wait for each other. */
export function writeLeases(send: Send, leases: readonly KeptLease[]): void {
  if (leases.length === 0) return;
  const sorted = [...leases].sort((one, other) => inOrder(one.subject, other.subject));
  void send(writeStatement, arraysFrom(leaseColumns, sorted));
}

function inOrder(one: LeaseSubject, other: LeaseSubject): number {
  for (const field of ['organization', 'scope', 'subject', 'window', 'startMs'] as const) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  }
  return 0;
}

function nameOf(row: Row): string {
  const { organization, scope, subject, window, start_ms: startMs } = row as Record<Names, string>;
  return leaseName({ organization, scope, subject, window, startMs: Number(startMs) } as unknown as LeaseSubject);
}

/** Null only if the column is null: one that is missing, or not a number, must never read as "nothing limits it". */
function moneyOf(value: Row[string] | undefined): NanoDollars | null {
  if (value === null) return null;
  if (typeof value !== 'bigint') throw new TypeError('a column of money holds no number');
  return nanoDollars(value);
}
