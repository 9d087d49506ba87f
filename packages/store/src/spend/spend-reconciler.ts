/**
 * Recomputes the sums of spend from the records and compares them with the stored ones: design 2 (Spend), reliability 4.6. Caps refuse calls
 * by these sums, so somebody has to check them. Nothing is repaired here: a difference means a defect or damage, and the operator must see
 * both figures.
 * One organization at a time, in slices along its index, so that neither memory nor a wait grows with the records. Records that
 * arrive meanwhile are left out by their number; on PostgreSQL a transaction may commit behind that number, so a difference
 * counts only when a second walk finds the very same one. What a sum keeps of records that are gone for their age is taken from it; a walk
 * during which some went tells nothing.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CapScope } from '@metergate/core/spend/cap.ts';
import type { CalendarWindow } from '@metergate/core/spend/window.ts';
import type { UsageState } from '@metergate/core/usage/reading.ts';
import { sql } from 'kysely';
import { additionsOf, type SpendRecord } from './apply-spend.ts';
import { costGapsOf } from '../schema/cost-gaps-column.ts';
import type { StoreContext } from '../context.ts';
import type { Engine } from '../engine/engine.ts';

/** What a sum says. */
export interface SpendFigures {
  readonly spent: NanoDollars;
  readonly calls: number;
  readonly unknownCalls: number;
  readonly gapCalls: number;
}

/** A sum that is not that of its records. */
export interface SpendDifference {
  readonly organization: OrganizationId;
  readonly scope: CapScope;
  /** Empty for an organization. */
  readonly subject: string;
  readonly window: CalendarWindow;
  readonly startMs: number;
  readonly kept: SpendFigures;
  readonly derived: SpendFigures;
}

export interface SpendReconciliation {
  readonly organizations: number;
  readonly records: number;
  readonly differences: readonly SpendDifference[];
}

export interface SpendReconciler {
  /**
   * Walks every organization. `between` runs after each slice; its promise is awaited, and false from it ends the walk: null then.
   * @throws StoreFault
   */
  reconcile(between: () => Promise<boolean>): Promise<SpendReconciliation | null>;
}

/** Records of one slice: a few milliseconds of the engine's time. */
const recordsAtOnce = 400;

/** What one walk over an organization found. */
interface Walked {
  readonly records: number;
  readonly differences: readonly SpendDifference[];
}

type Place = Pick<SpendDifference, 'scope' | 'subject' | 'window' | 'startMs'>;
type Sums = Map<string, Place & { figures: SpendFigures }>;

export function spendReconcilerIn({ background: engine }: StoreContext): SpendReconciler {
  /** Null: the walk was ended. */
  async function walk(organization: OrganizationId, between: () => Promise<boolean>): Promise<Walked | null> {
    const { kept, through, erased, removed } = await snapshot(organization);
    const derived: Sums = new Map();
    let records = 0;
    let before: { startedAtMs: bigint; sequence: bigint } | null = null;
    for (;;) {
      const slice = await recordsBefore(organization, before);
      const counted = slice.filter(({ sequence }) => sequence <= through);
      addTo(derived, counted.map((row) => ({
        organization, key: row.key as SpendRecord['key'], project: row.project, startedAtMs: Number(row.started_at_ms),
        cost: row.cost_nano === null ? null : nanoDollars(row.cost_nano), costGaps: costGapsOf(row.cost_gaps), usage: row.usage as UsageState,
      })));
      records += counted.length;
      if (!await between()) return null;
      const last = slice.at(-1);
      if (last === undefined || slice.length < recordsAtOnce) break;
      before = { startedAtMs: last.started_at_ms, sequence: last.sequence };
    }
    if (await removedOf(engine, organization) !== removed) return { records, differences: [] };
    // Of an erased organization no project is kept, while its records lose theirs slice by slice.
    const differences = differencesOf(kept, derived).filter(({ scope }) => !erased || scope !== 'project');
    return { records, differences: differences.map((difference) => ({ organization, ...difference })) };
  }

  /** The sums and the number of the newest record, of one moment. */
  async function snapshot(organization: OrganizationId): Promise<{ kept: Sums; through: bigint; erased: boolean; removed: bigint }> {
    const { rows } = await engine.read((db) => sql<SnapshotRow>`
      select newest.through, newest.erased, newest.removed, s.scope, s.subject, s."window", s.start_ms, s.spent_nano - s.gone_nano as spent_nano,
        s.calls - s.gone_calls as calls, s.unknown_calls - s.gone_unknown_calls as unknown_calls, s.gap_calls - s.gone_gap_calls as gap_calls
      from (select coalesce(max(sequence), 0) as through,
        (select coalesce(max(removed_records), 0) from retention where organization = ${organization}) as removed,
        (select count(*) from erased_organization where organization = ${organization}) as erased from call_record) as newest
      left join spend_sum as s on s.organization = ${organization}`.execute(db));
    const kept: Sums = new Map();
    for (const row of rows) {
      if (row.scope === null) continue;
      const place = { scope: row.scope, subject: row.subject, window: row.window, startMs: Number(row.start_ms) };
      kept.set(nameOf(place), {
        ...place, figures: {
          spent: nanoDollars(row.spent_nano), calls: Number(row.calls), unknownCalls: Number(row.unknown_calls), gapCalls: Number(row.gap_calls),
        },
      });
    }
    return { kept, through: BigInt(rows[0]?.through ?? 0), erased: BigInt(rows[0]?.erased ?? 0) > 0n, removed: BigInt(rows[0]?.removed ?? 0) };
  }

  /** The next slice, newest first: that is how the index over time runs. */
  const recordsBefore = (organization: OrganizationId, before: { startedAtMs: bigint; sequence: bigint } | null) => engine.read((db) => {
    let query = db.selectFrom('call_record').select(['sequence', 'key', 'project', 'started_at_ms', 'cost_nano', 'cost_gaps', 'usage'])
      .where('organization', '=', organization);
    if (before !== null) query = query.where(sql<boolean>`(started_at_ms, sequence) < (${before.startedAtMs}, ${before.sequence})`);
    return query.orderBy('started_at_ms', 'desc').orderBy('sequence', 'desc').limit(recordsAtOnce).execute();
  });

  return {
    async reconcile(between) {
      const organizations = (await engine.read((db) => db.selectFrom('organization').select('id').orderBy('id').execute()))
        .map(({ id }) => id as OrganizationId);
      let records = 0;
      const differences: SpendDifference[] = [];
      for (const organization of organizations) {
        const first = await walk(organization, between);
        if (first === null) return null;
        records += first.records;
        if (first.differences.length === 0) continue;
        const second = await walk(organization, between);
        if (second === null) return null;
        const same = new Set(second.differences.map(differenceName));
        differences.push(...first.differences.filter((difference) => same.has(differenceName(difference))));
      }
      return { organizations: organizations.length, records, differences };
    },
  };
}

/** Records that ever went for their age. */
async function removedOf(engine: Engine, organization: OrganizationId): Promise<bigint> {
  return engine.read(async (db) => (await db.selectFrom('retention').select('removed_records').where('organization', '=', organization)
    .executeTakeFirst())?.removed_records ?? 0n);
}

type SnapshotRow = { readonly [Name in 'through' | 'erased' | 'removed']: bigint | number } & (
  | { readonly scope: null }
  | {
    readonly scope: CapScope; readonly subject: string; readonly window: CalendarWindow; readonly start_ms: bigint;
    readonly spent_nano: bigint; readonly calls: bigint; readonly unknown_calls: bigint; readonly gap_calls: bigint;
  });

function addTo(sums: Sums, records: readonly SpendRecord[]): void {
  for (const { scope, subject, window, startMs, spent, calls, unknownCalls, gapCalls } of additionsOf(records)) {
    const name = nameOf({ scope, subject, window, startMs });
    const known = sums.get(name)?.figures ?? nothing;
    sums.set(name, {
      scope, subject, window, startMs,
      figures: {
        spent: nanoDollars(known.spent + spent), calls: known.calls + calls,
        unknownCalls: known.unknownCalls + unknownCalls, gapCalls: known.gapCalls + gapCalls,
      },
    });
  }
}

const nothing: SpendFigures = { spent: nanoDollars(0n), calls: 0, unknownCalls: 0, gapCalls: 0 };

function differencesOf(kept: Sums, derived: Sums): Omit<SpendDifference, 'organization'>[] {
  const differences: Omit<SpendDifference, 'organization'>[] = [];
  for (const name of new Set([...kept.keys(), ...derived.keys()])) {
    const { figures: _, ...place } = (kept.get(name) ?? derived.get(name))!;
    const difference = { ...place, kept: kept.get(name)?.figures ?? nothing, derived: derived.get(name)?.figures ?? nothing };
    if (figuresText(difference.kept) !== figuresText(difference.derived)) differences.push(difference);
  }
  return differences;
}

/** Which sum is off and by how much: the same at two walks, though calls came in between. */
export function differenceName(difference: SpendDifference): string {
  const { organization, kept, derived } = difference;
  const off = [
    kept.spent - derived.spent, kept.calls - derived.calls, kept.unknownCalls - derived.unknownCalls, kept.gapCalls - derived.gapCalls,
  ].join(' ');
  return `${organization}\0${nameOf(difference)}\0${off}`;
}

function nameOf({ scope, subject, window, startMs }: Place): string {
  return `${scope}\0${window}\0${startMs}\0${subject}`;
}

function figuresText({ spent, calls, unknownCalls, gapCalls }: SpendFigures): string {
  return `${spent} ${calls} ${unknownCalls} ${gapCalls}`;
}
