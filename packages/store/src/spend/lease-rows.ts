/**
 * Leased subjects and their leases ⇄ rows, many at a time: locks sums in the order in which shipping locks them, reads limits, runs and all
 * nodes' leases under those locks, and writes one node's leases.
 */
import { leaseName, type LeaseSubject } from '@metergate/core/lease/subject.ts';
import type { LeasedSum, NodeLease } from '@metergate/core/lease/answer.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { arraysFrom, arraysTable, namesOf, type BulkColumn } from '../engine/bulk.ts';
import type { Send, SentRow as Row } from '../engine/send.ts';

/** A lease as it is kept. */
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
const given = arraysTable(subjectColumns);

/** Rows are made where they are missing, and locked in the order given, by one statement. */
const lockSums = `insert into spend_sum (${names}, spent_nano, calls, unknown_calls, gap_calls) select v.*, 0, 0, 0, 0 from ${given}
  on conflict (${names}) do update set calls = spend_sum.calls returning ${names}, spent_nano`;
const lockExposures = 'select 1 from run_exposure where organization = any($1::text[]) order by organization for update';
const readRuns = `select v.organization, v.scope, v.subject, v."window", v.start_ms, r.spent_nano, r.effective_nano, r.state
  from ${given} left join run as r on r.organization = v.organization and r.id = v.subject`;
const readLimits = `select v.organization, v.scope, v.subject, v."window", v.start_ms, c.limit_nano
  from ${given} join cap as c on c.organization = v.organization and c.scope = v.scope and c.subject = v.subject and c."window" = v."window"`;
const readLeases = `select l.* from ${given} join spend_lease as l using (${names})`;

/** By `leaseName`. All statements are sent at once. */
export async function lockLeased(send: Send, wanted: readonly LeaseSubject[]): Promise<Map<string, LeasedSum>> {
  const subjects = [...wanted].sort(inOrder);
  const runs = subjects.filter(({ scope }) => scope === 'run');
  const sums = subjects.filter(({ scope }) => scope !== 'run');
  const query = (statement: string, of: readonly LeaseSubject[]): readonly Row[] | Promise<readonly Row[]> =>
    of.length === 0 ? [] : send(statement, arraysFrom(subjectColumns, of));
  if (runs.length > 0) void send(lockExposures, [[...new Set(runs.map(({ organization }) => organization))]]);
  const [ofRuns, spent, ofCaps, leases] = await Promise.all([
    query(readRuns, runs), query(lockSums, sums), query(readLimits, sums), query(readLeases, subjects),
  ]);
  const found = new Map<string, LeasedSum & { readonly leases: NodeLease[] }>();
  for (const row of ofRuns) {
    const [limit, spent] = [moneyOf(row['effective_nano']), moneyOf(row['spent_nano']) ?? nanoDollars(0n)];
    found.set(nameOf(row), { limit, spent, over: row['state'] !== 'live', leases: [] });
  }
  const limits = new Map(ofCaps.map((row) => [nameOf(row), moneyOf(row['limit_nano'])]));
  for (const row of spent) {
    const name = nameOf(row);
    found.set(name, { limit: limits.get(name) ?? null, spent: moneyOf(row['spent_nano'])!, over: false, leases: [] });
  }
  for (const row of leases) {
    found.get(nameOf(row))!.leases.push({
      node: row['node'] as string, granted: moneyOf(row['granted_nano'])!, shipped: moneyOf(row['shipped_nano'])!,
      settled: moneyOf(row['settled_nano'])!, underWay: moneyOf(row['under_way_nano'])!, doubtfulAtMs: Number(row['doubtful_at_ms']),
      claim: Number(row['claim']), shortAtMs: Number(row['short_at_ms']),
    });
  }
  return found;
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
/** What was shipped is shipping's alone to write. */
const writeStatement = `insert into spend_lease (${namesOf(leaseColumns)}, shipped_nano) select v.*, 0 from ${arraysTable(leaseColumns)}
  on conflict (${names}, node) do update set ${changed}`;

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

/** Null only where the database says so: a column that is missing, or not a number, must never read as "nothing limits it". */
function moneyOf(value: Row[string] | undefined): NanoDollars | null {
  if (value === null) return null;
  if (typeof value !== 'bigint') throw new TypeError('a column of money holds no number');
  return nanoDollars(value);
}
