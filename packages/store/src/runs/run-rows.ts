/**
 * Runs ⇄ their rows, many at a time, with fixed statements: read by key, written whole. On SQLite a batch travels as one JSON
 * text, on PostgreSQL as one array per column, so neither engine parses a new statement for each size of batch.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { loweringsIn, loweringsText, type Lowering } from '@metergate/core/run/lowering.ts';
import type { ClampReason, Run, RunState } from '@metergate/core/run/run.ts';
import { noLackingCalls, type LackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import type { Selectable } from 'kysely';
import { arraysFrom, arraysTable, sendRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import type { RunTable } from '../schema/run-schema.ts';
import { numberOrNull } from '../schema/schema.ts';

/** Names one run. */
export type RunName = Pick<Run, 'organization' | 'id'>;

/** A run with what only the store knows of it. */
export interface StoredRun extends Run {
  /** True once a call of the run is known to have been opened; it cannot vanish then. */
  readonly confirmed: boolean;
  readonly lastCallAtMs: number;
  /** Number of its latest change in the feed; 0: no change that nodes must learn of. */
  readonly change: bigint;
  /** The key of its first call; null: its records may say. */
  readonly beganBy: ServiceKeyId | null;
  /** When its budget fell, in the order of time. */
  readonly lowerings: readonly Lowering[];
}

type Value = string | number | bigint | null;
interface RunColumn extends BulkColumn<StoredRun> { readonly name: keyof RunTable; readonly value: (run: StoredRun) => Value }

const columns: readonly RunColumn[] = [
  { name: 'organization', kind: 'text', value: (run) => run.organization },
  { name: 'id', kind: 'text', value: (run) => run.id },
  { name: 'state', kind: 'text', value: (run) => run.state },
  { name: 'declared_nano', kind: 'whole', value: (run) => run.declared },
  { name: 'effective_nano', kind: 'whole', value: (run) => run.effective },
  { name: 'clamp_reason', kind: 'text', value: (run) => run.clampReason },
  { name: 'spent_nano', kind: 'whole', value: (run) => run.spent },
  { name: 'unknown_calls', kind: 'whole', value: (run) => run.unknownCalls },
  { name: 'unpriced_calls', kind: 'whole', value: (run) => run.unpricedCalls },
  { name: 'gap_calls', kind: 'whole', value: (run) => run.gapCalls },
  { name: 'started_at_ms', kind: 'whole', value: (run) => Math.floor(run.startedAtMs) },
  { name: 'expires_at_ms', kind: 'whole', value: (run) => run.expiresAtMs === null ? null : Math.floor(run.expiresAtMs) },
  { name: 'ended_at_ms', kind: 'whole', value: (run) => run.endedAtMs === null ? null : Math.floor(run.endedAtMs) },
  { name: 'confirmed', kind: 'whole', value: (run) => run.confirmed ? 1 : 0 },
  { name: 'last_call_at_ms', kind: 'whole', value: (run) => Math.floor(run.lastCallAtMs) },
  { name: 'change', kind: 'whole', value: (run) => run.change },
  { name: 'began_by', kind: 'text', value: (run) => run.beganBy },
  { name: 'lowered', kind: 'text', value: (run) => loweringsText(run.lowerings) },
];
const nameColumns = columns.slice(0, 2);
const spent = ['organization', 'id', 'spent_nano', 'unknown_calls', 'unpriced_calls', 'gap_calls'];
const spentColumns = columns.filter(({ name }) => spent.includes(name));
/** Fixed at creation, so never written again. */
const fixed = new Set<string>(['organization', 'id', 'started_at_ms', 'expires_at_ms', 'began_by']);

/** A row as a run. */
export function storedRunOf(row: Selectable<RunTable>): StoredRun {
  return {
    organization: row.organization as OrganizationId,
    id: row.id,
    state: row.state as RunState,
    declared: row.declared_nano as NanoDollars | null,
    effective: row.effective_nano as NanoDollars | null,
    clampReason: row.clamp_reason as ClampReason | null,
    spent: row.spent_nano as NanoDollars,
    unknownCalls: Number(row.unknown_calls),
    unpricedCalls: Number(row.unpriced_calls),
    gapCalls: Number(row.gap_calls),
    startedAtMs: Number(row.started_at_ms),
    expiresAtMs: numberOrNull(row.expires_at_ms),
    endedAtMs: numberOrNull(row.ended_at_ms),
    confirmed: row.confirmed === 1n,
    lastCallAtMs: Number(row.last_call_at_ms),
    change: row.change,
    beganBy: row.began_by as ServiceKeyId | null,
    lowerings: loweringsIn(row.lowered),
  };
}

/** The run as others see it. */
export function runOf({
  confirmed: _confirmed, lastCallAtMs: _lastCallAtMs, change: _change, beganBy: _beganBy, lowerings: _lowerings, ...run
}: StoredRun): Run {
  return run;
}

/** One text per run; no id holds a space. */
export function runNameText({ organization, id }: { readonly organization: string; readonly id: string }): string {
  return `${organization} ${id}`;
}

/** Those of the named runs that exist, by `runNameText`. */
export async function selectRuns(kind: Engine['kind'], send: Send, names: readonly RunName[]): Promise<Map<string, StoredRun>> {
  if (names.length === 0) return new Map();
  const rows = await send<Selectable<RunTable>>(statements[kind].select, batch(kind, names as readonly StoredRun[], nameColumns));
  return new Map(rows.map((row) => [runNameText(row), storedRunOf(row)]));
}

const insert: BulkInsert<StoredRun> = { table: 'run', columns, after: '' };

/** A run that already exists is a fault. */
export function insertRuns(kind: Engine['kind'], send: Send, runs: readonly StoredRun[]): void {
  sendRows(kind, send, insert, runs);
}

const insertMissing: BulkInsert<StoredRun> = { ...insert, after: 'on conflict (organization, id) do nothing' };

/** A run that already exists stays as it is. */
export function insertMissingRuns(kind: Engine['kind'], send: Send, runs: readonly StoredRun[]): void {
  sendRows(kind, send, insertMissing, runs);
}

/** Writes all but what is fixed at creation. */
export function updateRuns(kind: Engine['kind'], send: Send, runs: readonly StoredRun[]): void {
  if (runs.length > 0) void send(statements[kind].update, batch(kind, runs, columns));
}

/** Writes only what was spent. Most batches change nothing else, and no index holds it. */
export function updateSpent(kind: Engine['kind'], send: Send, runs: readonly StoredRun[]): void {
  if (runs.length > 0) void send(statements[kind].updateSpent, batch(kind, runs, spentColumns));
}

/** The sum of a run's records. */
export interface SpentBefore extends LackingCalls {
  readonly spent: NanoDollars;
}

/** Of a run without records. */
export const nothingBefore: SpentBefore = Object.freeze({ spent: nanoDollars(0n), ...noLackingCalls });

/** What stored records already say about runs that begin now, for an id that was used before and vanished. */
export async function spentBefore(
  kind: Engine['kind'], send: Send, names: readonly RunName[],
): Promise<Map<string, SpentBefore>> {
  if (names.length === 0) return new Map();
  const rows = await send<{ organization: string; id: string; spent: bigint; unknown_calls: bigint; unpriced_calls: bigint; gap_calls: bigint }>(
    statements[kind].spent, batch(kind, names as readonly StoredRun[], nameColumns));
  return new Map(rows.map((row) => [runNameText(row), {
    spent: nanoDollars(row.spent), unknownCalls: Number(row.unknown_calls), unpricedCalls: Number(row.unpriced_calls),
    gapCalls: Number(row.gap_calls),
  }]));
}

/** The parameters of a statement over these runs. */
function batch(kind: Engine['kind'], runs: readonly StoredRun[], of: readonly RunColumn[]): readonly unknown[] {
  if (kind === 'postgres') return arraysFrom(of, runs);
  return [JSON.stringify(runs.map((run) => of.map(({ value }) => value(run)?.toString() ?? null)))];
}

/** SQL that reads a batch as a table `v` with these columns. */
function given(kind: Engine['kind'], of: readonly RunColumn[]): string {
  if (kind === 'postgres') return arraysTable(of);
  const values = of.map(({ name, kind: type }, index) =>
    `${type === 'text' ? `value ->> ${index}` : `cast(value ->> ${index} as integer)`} as ${name}`);
  return `(select ${values.join(', ')} from json_each(?)) as v`;
}

function update(kind: Engine['kind'], of: readonly RunColumn[]): string {
  const set = of.filter(({ name }) => !fixed.has(name)).map(({ name }) => `${name} = v.${name}`).join(', ');
  return `update run set ${set} from ${given(kind, of)} where run.organization = v.organization and run.id = v.id`;
}

function statementsOf(kind: Engine['kind']): Readonly<Record<'select' | 'update' | 'updateSpent' | 'spent', string>> {
  const least = kind === 'postgres' ? 'least' : 'min';
  return {
    select: `select run.* from ${given(kind, nameColumns)} join run on run.organization = v.organization and run.id = v.id`,
    update: update(kind, columns),
    updateSpent: update(kind, spentColumns),
    spent: `select v.organization, v.id, cast(${least}(coalesce(sum(c.cost_nano), 0), 9223372036854775807) as bigint) as spent,
      count(case when c.usage in ('unknown', 'partial') and c.settled_by is null then 1 end) as unknown_calls,
      count(case when c.cost_source = 'unpriced' then 1 end) as unpriced_calls, count(c.cost_gaps) as gap_calls
      from ${given(kind, nameColumns)} join call_record as c on c.organization = v.organization and c.run = v.id group by v.organization, v.id`,
  };
}

const statements = { sqlite: statementsOf('sqlite'), postgres: statementsOf('postgres') } as const;
