/**
 * The newest records of all organizations in the order of their numbers: what each adds to its organization's sums. They are read once, as
 * far as needed, in slices.
 */
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord, CostSource } from '@metergate/core/record/call-record.ts';
import type { UsageState } from '@metergate/core/usage/reading.ts';
import { sql, type Selectable } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { costGapsOf } from '../schema/cost-gaps-column.ts';
import type { CallRecordTable } from '../schema/schema.ts';
import type { SpendRecord } from './apply-spend.ts';
import { addRecords, type Sums } from './derived-sums.ts';

/** Records of one slice: a few milliseconds of the engine's time. */
export const recordsAtOnce = 400;

/** The columns of a record that sums need, and what is counted of its correction. */
export const spendRecordColumns = [
  'sequence', 'organization', 'key', 'project', 'started_at_ms', 'cost_nano', 'cost_gaps', 'cost_source', 'usage', 'settled_by',
  sql<bigint | number | null>`(select c.counted_nano from call_correction as c where c.sequence = call_record.sequence)`.as('counted_nano'),
  sql<string | null>`(select call_record.labels from call_correction as c where c.sequence = call_record.sequence and c.counted_nano <> 0)`
    .as('counted_labels'),
] as const;

export type SpendRecordRow = { readonly counted_nano: bigint | number | null; readonly counted_labels: string | null } & Pick<
  Selectable<CallRecordTable>,
  'organization' | 'key' | 'project' | 'started_at_ms' | 'cost_nano' | 'cost_gaps' | 'cost_source' | 'usage' | 'settled_by'
>;

/** A call record with the columns that sums need; its cost is what counts as spent. */
export function spendRecordOf(row: SpendRecordRow): SpendRecord {
  return {
    organization: row.organization as SpendRecord['organization'], key: row.key as SpendRecord['key'], project: row.project,
    startedAtMs: Number(row.started_at_ms), cost: spentBy(row),
    costGaps: costGapsOf(row.cost_gaps), costSource: row.cost_source as CostSource, usage: row.usage as UsageState,
    settledBy: row.settled_by as CallRecord['settledBy'],
    ...(row.counted_labels === null ? {} : {
      correction: { amount: BigInt(row.counted_nano ?? 0), labels: JSON.parse(row.counted_labels) as string[] },
    }),
  };
}

function spentBy({ cost_nano: cost, counted_nano: counted }: SpendRecordRow): SpendRecord['cost'] {
  return counted === null ? cost as SpendRecord['cost'] : nanoDollars((cost ?? 0n) + BigInt(counted));
}

/** What an organization's newest records add: those up to a given number, and those after it. */
interface RecentSums {
  readonly older: Sums;
  readonly newer: Sums;
}

const none: RecentSums = Object.freeze({ older: new Map(), newer: new Map() });

/** Reads records whose number is above `after`; those above `split` count as newer. */
export class RecentRecords {
  readonly #engine: Engine;
  readonly #split: bigint;
  readonly #byOrganization = new Map<string, RecentSums>();
  #through: bigint;
  /** How many records were read. */
  read = 0;

  constructor(engine: Engine, { after, split }: { readonly after: bigint; readonly split: bigint }) {
    this.#engine = engine;
    this.#split = split;
    this.#through = after;
  }

  /** Reads on up to the record with that number. `between` runs after each slice; if it returns false, reading stops and returns false. */
  async readThrough(through: bigint, between: () => Promise<boolean>): Promise<boolean> {
    while (this.#through < through) {
      const slice = await this.#engine.read((db) => db.selectFrom('call_record').select(spendRecordColumns)
        .where('sequence', '>', this.#through).where('sequence', '<=', through).orderBy('sequence').limit(recordsAtOnce).execute());
      const newerFrom = slice.findIndex(({ sequence }) => sequence > this.#split);
      this.#add(newerFrom === -1 ? slice : slice.slice(0, newerFrom), 'older');
      if (newerFrom !== -1) this.#add(slice.slice(newerFrom), 'newer');
      this.read += slice.length;
      this.#through = slice.length < recordsAtOnce ? through : slice.at(-1)!.sequence;
      if (!await between()) return false;
    }
    return true;
  }

  of(organization: string): RecentSums {
    return this.#byOrganization.get(organization) ?? none;
  }

  #add(rows: readonly SpendRecordRow[], age: keyof RecentSums): void {
    for (const [organization, own] of Map.groupBy(rows, (row) => row.organization)) {
      let sums = this.#byOrganization.get(organization);
      if (sums === undefined) this.#byOrganization.set(organization, sums = { older: new Map(), newer: new Map() });
      addRecords(sums[age], own.map(spendRecordOf));
    }
  }
}
