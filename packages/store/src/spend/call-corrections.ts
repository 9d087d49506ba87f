/**
 * Corrections of single calls: what they cost by other prices (decision 0141). A correction changes no record. There is at most one for each call,
 * and none for a call whose cost stays as it was recorded. It goes with its record.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord, CostGap } from '@metergate/core/record/call-record.ts';
import { sql, type Transaction } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import { insertRows, sequenceIn, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import { sendingIn } from '../engine/send.ts';
import { holdOffErasures } from '../operation/erased.ts';
import { leadsTo, upstreamInPath } from '../engine/upstream-in-path.ts';
import { costGapsOf } from '../schema/cost-gaps-column.ts';
import type { Schema } from '../schema/schema.ts';
import { applyCorrections, type CountedChange } from './corrected-spend.ts';

/** What a call costs by the prices of a repricing. */
export interface CallCorrection {
  /** Null: the record has no cost. */
  readonly recorded: NanoDollars | null;
  readonly cost: NanoDollars;
  readonly costGaps: readonly CostGap[];
  /** The list or overlay that it is priced by. */
  readonly priceList: string;
}

/** The corrections of some calls, by the number of their records. */
type CallCorrections = ReadonlyMap<bigint, CallCorrection>;

/** One slice of calls that were priced again. */
export interface RepricedSlice {
  readonly organization: OrganizationId;
  /** The number of every call of the slice, and whose windows of spend hold it. */
  readonly calls: readonly ({ readonly sequence: bigint } & Pick<CallRecord, 'key' | 'project' | 'startedAtMs'>)[];
  /** Those whose cost differs. */
  readonly corrections: CallCorrections;
  /** True: caps count what they cost by these corrections; false: what their records say. */
  readonly counted: boolean;
  /** True: this is noted in the audit trail if it changes something. */
  readonly audited: boolean;
}

/** A part of a record that corrections are added up by. */
const correctedColumns = ['model', 'requestedModel', 'wire', 'key', 'project', 'run', 'endpoint', 'session', 'upstream', 'labels'] as const;
export type CorrectedColumn = (typeof correctedColumns)[number];

interface CorrectionSumsQuery {
  readonly organization: OrganizationId;
  /** Calls that started from this moment on, before that one. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly by: readonly CorrectedColumn[];
  /** Null: not by time. Milliseconds: by hour or day. */
  readonly everyMs: number | null;
  readonly filter: { readonly [Name in Exclude<CorrectedColumn, 'labels' | 'requestedModel'>]?: string | undefined };
}

export interface CorrectionSum {
  readonly parts: { readonly [Name in CorrectedColumn]?: string | null };
  /** The first instant of the hour or day. */
  readonly startMs: number | null;
  /** Corrected less recorded cost. */
  readonly amount: bigint;
  readonly calls: number;
}

export interface StoredCallCorrections {
  /** Makes the corrections of these calls those given; others of the slice go. Resolves with how many rows changed. */
  replace(slice: RepricedSlice): Promise<number>;
  /** The corrections of calls with numbers from `first` to `last` that started in the time. */
  of(query: { readonly organization: OrganizationId; readonly sequences: readonly bigint[] }): Promise<CallCorrections>;
  /** Sums of what corrections add, in no particular order. */
  sums(query: CorrectionSumsQuery): Promise<readonly CorrectionSum[]>;
}

interface NewRow extends KnownCorrection {
  readonly sequence: bigint;
  readonly organization: string;
  readonly startedAtMs: number;
  readonly atMs: number;
}

/** As it is kept. `counted`: what of it caps count. */
interface KnownCorrection extends CallCorrection {
  readonly counted: bigint;
}

const insert: BulkInsert<NewRow> = {
  table: 'call_correction',
  columns: [
    { name: 'sequence', kind: 'whole', value: (row) => row.sequence }, { name: 'organization', kind: 'text', value: (row) => row.organization },
    { name: 'started_at_ms', kind: 'whole', value: (row) => row.startedAtMs }, { name: 'recorded_nano', kind: 'whole', value: (row) => row.recorded },
    { name: 'cost_nano', kind: 'whole', value: (row) => row.cost },
    { name: 'cost_gaps', kind: 'text', value: (row) => (row.costGaps.length === 0 ? null : JSON.stringify(row.costGaps)) },
    { name: 'price_list', kind: 'text', value: (row) => row.priceList }, { name: 'corrected_at_ms', kind: 'whole', value: (row) => row.atMs },
    { name: 'counted_nano', kind: 'whole', value: (row) => row.counted },
  ],
  after: `on conflict (sequence) do update set recorded_nano = excluded.recorded_nano, cost_nano = excluded.cost_nano,
    cost_gaps = excluded.cost_gaps, price_list = excluded.price_list, corrected_at_ms = excluded.corrected_at_ms,
    counted_nano = excluded.counted_nano`,
};

export function callCorrectionsIn({ engine, background, clock }: StoreContext): StoredCallCorrections {
  const read = (sequences: readonly bigint[], organization: string) => engine.read((db) => rowsOf(engine.kind, db, { sequences, organization }));
  return {
    async replace({ organization, calls, corrections, counted, audited }) {
      const work = async (transaction: Transaction<Schema>): Promise<number> => {
        const sending = sendingIn(transaction);
        holdOffErasures(engine.kind, sending.send);
        await sending.all();
        if (engine.kind === 'postgres') await takeTurn(organization).execute(transaction);
        const there = await liveAmong(engine.kind, transaction, calls.map(({ sequence }) => sequence));
        const known = await rowsOf(engine.kind, transaction, { sequences: [...there.keys()], organization });
        const counts = counted && !await isErased(transaction, organization);
        const atMs = Math.floor(clock());
        const fresh: NewRow[] = [];
        const changes: CountedChange[] = [];
        for (const call of calls) {
          const { sequence, startedAtMs } = call;
          const [made, before] = [corrections.get(sequence), known.get(sequence)];
          if (!there.has(sequence)) continue;
          const now = made === undefined || !counts ? 0n : made.cost - (made.recorded ?? 0n);
          if (now !== (before?.counted ?? 0n)) {
            changes.push({ call: { ...call, organization, labels: there.get(sequence)! }, amount: now - (before?.counted ?? 0n) });
          }
          if (made === undefined || isSame(before, { ...made, counted: now })) continue;
          fresh.push({ ...made, counted: now, sequence, organization, startedAtMs, atMs });
        }
        const gone = [...known.keys()].filter((sequence) => !corrections.has(sequence));
        if (gone.length > 0) await transaction.deleteFrom('call_correction').where(sequenceIn(engine.kind, gone)).execute();
        await insertRows(engine.kind, transaction, insert, fresh);
        await applyCorrections(engine.kind, transaction, changes, atMs);
        return fresh.length + gone.length;
      };
      if (!audited) return background.write(work);
      return engine.write(work, (changed) => (changed === 0 ? null : { action: 'repriceCalls', organization, subject: null }));
    },
    of: ({ organization, sequences }) => read(sequences, organization),
    sums: (query) => engine.read(async (db) => (await sumsOf(engine.kind, query).execute(db)).rows.map((row) => sumOf(row, query))),
  };
}

/** Repricings of an organization take turns: each starts from what was counted before. */
const correctingLock = 7_215_004;
const takeTurn = (organization: string) => sql`select pg_advisory_xact_lock(${correctingLock}::integer, hashtext(${organization}))`;

/** Removes the corrections of records that go; gives what caps count of them. Call this in their transaction. */
export async function dropCallCorrections(
  engine: Engine['kind'], transaction: Transaction<Schema>, sequences: readonly bigint[],
): Promise<ReadonlyMap<bigint, bigint>> {
  if (sequences.length === 0) return new Map();
  const rows = await transaction.deleteFrom('call_correction').where(sequenceIn(engine, sequences)).returning(['sequence', 'counted_nano']).execute();
  return new Map(rows.map((row) => [BigInt(row.sequence), BigInt(row.counted_nano)]));
}

/** An erased organization keeps no sums by project, and its caps bind nobody. */
async function isErased(transaction: Transaction<Schema>, organization: string): Promise<boolean> {
  const row = await transaction.selectFrom('erased_organization').select('organization').where('organization', '=', organization).executeTakeFirst();
  return row !== undefined;
}

/** Which of these records are there, and their labels; on PostgreSQL they stay until the transaction ends. */
async function liveAmong(
  engine: Engine['kind'], transaction: Transaction<Schema>, sequences: readonly bigint[],
): Promise<ReadonlyMap<bigint, readonly string[]>> {
  const asked = transaction.selectFrom('call_record').select(['sequence', 'labels']).where(sequenceIn(engine, sequences)).orderBy('sequence');
  const rows = await (engine === 'postgres' ? asked.forKeyShare() : asked).execute();
  return new Map(rows.map(({ sequence, labels }) => [BigInt(sequence), labels === null ? [] : JSON.parse(labels) as string[]]));
}

async function rowsOf(
  engine: Engine['kind'], db: Pick<Transaction<Schema>, 'selectFrom'>,
  { sequences, organization }: { readonly sequences: readonly bigint[]; readonly organization: string },
): Promise<Map<bigint, KnownCorrection>> {
  if (sequences.length === 0) return new Map();
  const rows = await db.selectFrom('call_correction').selectAll().where('organization', '=', organization).where(sequenceIn(engine, sequences))
    .execute();
  return new Map(rows.map((row) => [BigInt(row.sequence), {
    recorded: row.recorded_nano as NanoDollars | null, cost: row.cost_nano as NanoDollars, costGaps: costGapsOf(row.cost_gaps),
    priceList: row.price_list, counted: BigInt(row.counted_nano),
  }]));
}

function isSame(known: KnownCorrection | undefined, made: KnownCorrection): boolean {
  return known !== undefined && known.recorded === made.recorded && known.cost === made.cost && known.priceList === made.priceList
    && known.counted === made.counted && known.costGaps.join() === made.costGaps.join();
}

type SumRow = { readonly [Name in CorrectedColumn]?: string | null } & {
  readonly start_ms: bigint | number | null; readonly amount: bigint | number | string; readonly calls: bigint | number | string;
};

function sumsOf(kind: Engine['kind'], { organization, sinceMs, untilMs, by, everyMs, filter }: CorrectionSumsQuery) {
  const { upstream, ...names } = filter;
  const start = everyMs === null ? sql`null` : sql`c.started_at_ms - c.started_at_ms % ${sql.lit(everyMs)}`;
  const path = sql.ref('r.path');
  const columns = by.map((name) => (name === 'upstream' ? upstreamInPath(kind, path)
    : sql`r.${sql.ref(name === 'requestedModel' ? 'requested_model' : name)}`));
  const wanted = [
    sql`c.organization = ${organization}`,
    ...(sinceMs === undefined ? [] : [sql`c.started_at_ms >= ${BigInt(Math.ceil(sinceMs))}`]),
    ...(untilMs === undefined ? [] : [sql`c.started_at_ms < ${BigInt(Math.ceil(untilMs))}`]),
    ...(upstream === undefined ? [] : [leadsTo(upstream, path)]),
    ...Object.entries(names).filter(([, value]) => value !== undefined).map(([name, value]) => (value === ''
      ? sql`(r.${sql.ref(name)} is null or r.${sql.ref(name)} = '')` : sql`r.${sql.ref(name)} = ${value}`)),
  ];
  const grouped = [...columns, ...(everyMs === null ? [] : [start])];
  const named = columns.map((column, index) => sql`${column} as ${sql.ref(by[index]!)}`);
  return sql<SumRow>`select ${sql.join([...named, sql`${start} as start_ms`,
    sql`sum(c.cost_nano - coalesce(c.recorded_nano, 0)) as amount`, sql`count(*) as calls`])}
    from call_correction as c join call_record as r on r.sequence = c.sequence
    where ${sql.join(wanted, sql` and `)} ${grouped.length === 0 ? sql`` : sql`group by ${sql.join(grouped)}`}`;
}

function sumOf(row: SumRow, { by, everyMs }: CorrectionSumsQuery): CorrectionSum {
  return {
    parts: Object.fromEntries(by.map((name) => [name, row[name] ?? null])), startMs: everyMs === null ? null : Number(row.start_ms),
    amount: BigInt(row.amount ?? 0), calls: Number(row.calls),
  };
}
