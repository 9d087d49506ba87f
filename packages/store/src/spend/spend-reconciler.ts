/**
 * Derives the sums of spend again from the records and compares them with the stored ones: rules: Spend across nodes. Caps refuse calls
 * by these sums, so somebody has to check them. Nothing is repaired here: a difference means a defect or damage, and the operator must see
 * both figures.
 *
 * All records of an organization are walked the first time, and then at one look in 24. At the looks in between, reading new records is enough:
 * the stored sums less what the newest records added must equal what was found sound before; a digest of it is kept (`derived-sums.ts`). So every
 * stored sum is checked at each look, and every record within 24. If the digest differs, all records are walked to find the sums that differ.
 *
 * A walk takes one organization at a time, in slices along its index, so that neither memory nor a wait grows with the records. Records that
 * arrive meanwhile are left out by their number; on PostgreSQL a transaction may commit behind that number, so a difference
 * counts only when a second walk finds exactly the same one, and what was sound is kept as of the look before. What a sum holds of records
 * removed for their age is subtracted first; a walk during which records were removed proves nothing.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CapScope } from '@metergate/core/spend/cap.ts';
import { sql } from 'kysely';
import type { StoreContext } from '../sealing/context.ts';
import type { Engine } from '../engine/engine.ts';
import { spendColumns, noSpend, type SpendFigures, type SpendPlace } from './apply-spend.ts';
import { addRecords, digestOf, figuresText, placeName, without, type Sums } from './derived-sums.ts';
import { RecentRecords, recordsAtOnce, spendRecordColumns, spendRecordOf } from './recent-records.ts';

/** A sum that differs from its records. */
export interface SpendDifference extends SpendPlace {
  readonly organization: OrganizationId;
  readonly kept: SpendFigures;
  readonly derived: SpendFigures;
}

interface SpendReconciliation {
  readonly organizations: number;
  /** The number of records read. */
  readonly records: number;
  readonly differences: readonly SpendDifference[];
}

export interface SpendReconciler {
  /**
   * One look at every organization. `between` is awaited after each slice; if it returns false, the look ends and returns null.
   * @throws StoreFault
   */
  reconcile(between: () => Promise<boolean>): Promise<SpendReconciliation | null>;
}

/** Every organization's records are all walked once in this many looks, so each look walks an equal share of the organizations. */
export const looksOfWalk = 24;
/** The sound state is remembered for this many organizations with spend, in 20 MB. Any others are walked at each look. */
const rememberedMax = 100_000;
/** How often a look reads the newest records again, since some may commit behind those already read. SQLite commits in order. */
const rereadsMax = { sqlite: 0, postgres: 3 } as const;

/** Sums that were found sound, less what records above `through` added. */
interface Sound {
  readonly through: bigint;
  readonly digests: ReadonlyMap<OrganizationId, bigint>;
}

/** The sums of an organization and the number of the newest record, read at one moment. */
interface Snapshot {
  /** Without the part of removed records. */
  readonly left: Sums;
  /** With it. */
  readonly whole: Sums;
  readonly through: bigint;
  readonly erased: boolean;
  readonly removed: bigint;
}

/** What one walk over an organization found. `snapshot`: what it was compared with; null if records were removed meanwhile. */
interface Walked {
  readonly records: number;
  readonly differences: readonly SpendDifference[];
  readonly snapshot: Snapshot | null;
}

export function spendReconcilerIn({ background: engine }: StoreContext): SpendReconciler {
  let looks = 0;
  let sound: Sound | null = null;
  let newestBefore: bigint | null = null;
  return {
    async reconcile(between) {
      const newest = await newestOf(engine);
      // Once the store was restored to an earlier state, what was found before no longer applies.
      const known = sound !== null && sound.through <= newest ? sound : null;
      const look = new Look({ engine, between, looks, known, soundThrough: newestBefore === null || newestBefore > newest ? newest : newestBefore });
      const found = await look.run();
      if (found === null) return null;
      sound = look.sound;
      newestBefore = newest;
      looks += 1;
      return found;
    },
  };
}

interface LookOptions {
  readonly engine: Engine;
  readonly between: () => Promise<boolean>;
  /** How many looks there were before. */
  readonly looks: number;
  readonly known: Sound | null;
  /** What is found sound now is noted as of this record, because all records up to it committed long ago. */
  readonly soundThrough: bigint;
}

class Look {
  readonly #options: LookOptions;
  readonly #digests = new Map<OrganizationId, bigint>();
  #recent: RecentRecords;
  #rereads = 0;
  #walked = 0;

  constructor(options: LookOptions) {
    this.#options = options;
    this.#recent = this.#newest();
  }

  get sound(): Sound {
    return { through: this.#options.soundThrough, digests: this.#digests };
  }

  /** Null: the look was ended. */
  async run(): Promise<SpendReconciliation | null> {
    const { engine } = this.#options;
    const organizations = (await engine.read((db) => db.selectFrom('organization').select('id').orderBy('id').execute()))
      .map(({ id }) => id as OrganizationId);
    const differences: SpendDifference[] = [];
    for (const organization of organizations) {
      const found = await this.#lookAt(organization);
      if (found === null) return null;
      differences.push(...found);
    }
    return { organizations: organizations.length, records: this.#walked + this.#recent.read, differences };
  }

  async #lookAt(organization: OrganizationId): Promise<readonly SpendDifference[] | null> {
    const { known, looks } = this.#options;
    const digest = known?.digests.get(organization);
    if (known !== null && digest !== undefined && looks % looksOfWalk !== walkOf(organization)) {
      const asBefore = await this.#isAsBefore(organization, digest);
      if (asBefore === null) return null;
      if (asBefore) return [];
    }
    return this.#walkAll(organization);
  }

  /** Whether the stored sums equal the sound ones plus what the newest records added. Null: the look was ended. */
  async #isAsBefore(organization: OrganizationId, digest: bigint): Promise<boolean | null> {
    for (;;) {
      const snapshot = await snapshotOf(this.#options.engine, organization);
      if (!await this.#recent.readThrough(snapshot.through, this.#options.between)) return null;
      const { older, newer } = this.#recent.of(organization);
      if (digestOf(without(snapshot.whole, older, newer)) === digest) {
        this.#remember(organization, snapshot);
        return true;
      }
      if (this.#rereads === rereadsMax[this.#options.engine.kind]) return false;
      this.#rereads += 1;
      this.#walked += this.#recent.read;
      this.#recent = this.#newest();
    }
  }

  /** The differences that two walks over all records of the organization agree on. */
  async #walkAll(organization: OrganizationId): Promise<readonly SpendDifference[] | null> {
    const first = await this.#walk(organization);
    if (first === null) return null;
    if (first.differences.length === 0) return await this.#keep(organization, first) ? [] : null;
    const second = await this.#walk(organization);
    if (second === null) return null;
    const same = new Set(second.differences.map(differenceName));
    return first.differences.filter((difference) => same.has(differenceName(difference)));
  }

  /** False: the look was ended. */
  async #keep(organization: OrganizationId, { snapshot }: Walked): Promise<boolean> {
    if (snapshot === null || snapshot.whole.size === 0) return true;
    if (!await this.#recent.readThrough(snapshot.through, this.#options.between)) return false;
    this.#remember(organization, snapshot);
    return true;
  }

  #remember(organization: OrganizationId, { whole }: Snapshot): void {
    if (this.#digests.size < rememberedMax) this.#digests.set(organization, digestOf(without(whole, this.#recent.of(organization).newer)));
  }

  #newest(): RecentRecords {
    const { engine, known, soundThrough } = this.#options;
    return new RecentRecords(engine, { after: known?.through ?? soundThrough, split: soundThrough });
  }

  /** Null: the walk was ended. */
  async #walk(organization: OrganizationId): Promise<Walked | null> {
    const { engine, between } = this.#options;
    const snapshot = await snapshotOf(engine, organization);
    const derived: Sums = new Map();
    let records = 0;
    let before: { startedAtMs: bigint; sequence: bigint } | null = null;
    for (;;) {
      const slice = await recordsBefore(engine, organization, before);
      const counted = slice.filter(({ sequence }) => sequence <= snapshot.through);
      addRecords(derived, counted.map(spendRecordOf));
      records += counted.length;
      if (!await between()) return null;
      const last = slice.at(-1);
      if (last === undefined || slice.length < recordsAtOnce) break;
      before = { startedAtMs: last.started_at_ms, sequence: last.sequence };
    }
    this.#walked += records;
    if (await removedOf(engine, organization) !== snapshot.removed) return { records, differences: [], snapshot: null };
    // An erased organization keeps no sums by project or label, while its records lose theirs slice by slice.
    const differences = differencesOf(snapshot.left, derived).filter(({ scope }) => !snapshot.erased || (scope !== 'project' && scope !== 'label'));
    return { records, differences: differences.map((difference) => ({ organization, ...difference })), snapshot };
  }
}

/** At which of `looksOfWalk` looks all records are walked. It depends on the id: a position in the list would move as others come and go. */
export function walkOf(organization: OrganizationId): number {
  let turn = 0;
  for (let at = 0; at < organization.length; at += 1) turn = (turn * 31 + organization.charCodeAt(at)) % 1_000_003;
  return turn % looksOfWalk;
}

async function newestOf(engine: Engine): Promise<bigint> {
  return engine.read(async (db) => (await db.selectFrom('call_record').select(sql<bigint | number>`coalesce(max(sequence), 0)`.as('newest'))
    .executeTakeFirst())?.newest ?? 0n).then(BigInt);
}

async function snapshotOf(engine: Engine, organization: OrganizationId): Promise<Snapshot> {
  const { rows } = await engine.read((db) => sql<SnapshotRow>`
    select newest.through, newest.erased, newest.removed, s.* from (select coalesce(max(sequence), 0) as through,
      (select coalesce(max(removed_records), 0) from retention where organization = ${organization}) as removed,
      (select count(*) from erased_organization where organization = ${organization}) as erased from call_record) as newest
    left join spend_day as s on s.organization = ${organization}`.execute(db));
  const whole: Sums = new Map();
  const gone: Sums = new Map();
  for (const row of rows) {
    if (row.scope === null) continue;
    const place = { scope: row.scope, subject: row.subject, dayMs: Number(row.day_ms) };
    const name = placeName(place);
    whole.set(name, { ...place, figures: figuresOf(row, 'kept') });
    const figures = figuresOf(row, 'gone');
    if (figuresText(figures) !== figuresText(noSpend)) gone.set(name, { ...place, figures });
  }
  const { through = 0, erased = 0, removed = 0 } = rows[0] ?? {};
  return { whole, left: gone.size === 0 ? whole : without(whole, gone), through: BigInt(through), erased: erased > 0, removed: BigInt(removed) };
}

function figuresOf(row: Readonly<Record<string, unknown>>, of: 'kept' | 'gone'): SpendFigures {
  const entries = spendColumns.map((column) => {
    const value = BigInt(row[column[of]] as bigint);
    return [column.name, column.name === 'spent' ? nanoDollars(value) : Number(value)];
  });
  return Object.fromEntries(entries) as unknown as SpendFigures;
}

type SnapshotRow = { readonly [Name in 'through' | 'erased' | 'removed']: bigint | number } & (
  | { readonly scope: null }
  | { readonly scope: CapScope; readonly subject: string; readonly day_ms: bigint });

/** The next slice, newest first, as the index over time is ordered. */
function recordsBefore(engine: Engine, organization: OrganizationId, before: { startedAtMs: bigint; sequence: bigint } | null) {
  return engine.read((db) => {
    let query = db.selectFrom('call_record').select(spendRecordColumns).where('organization', '=', organization);
    if (before !== null) query = query.where(sql<boolean>`(started_at_ms, sequence) < (${before.startedAtMs}, ${before.sequence})`);
    return query.orderBy('started_at_ms', 'desc').orderBy('sequence', 'desc').limit(recordsAtOnce).execute();
  });
}

/** How many records were ever removed for their age. */
async function removedOf(engine: Engine, organization: OrganizationId): Promise<bigint> {
  return engine.read(async (db) => (await db.selectFrom('retention').select('removed_records').where('organization', '=', organization)
    .executeTakeFirst())?.removed_records ?? 0n);
}

function differencesOf(kept: Sums, derived: Sums): Omit<SpendDifference, 'organization'>[] {
  const differences: Omit<SpendDifference, 'organization'>[] = [];
  for (const name of new Set([...kept.keys(), ...derived.keys()])) {
    const { figures: _, ...place } = (kept.get(name) ?? derived.get(name))!;
    const difference = { ...place, kept: kept.get(name)?.figures ?? noSpend, derived: derived.get(name)?.figures ?? noSpend };
    if (figuresText(difference.kept) !== figuresText(difference.derived)) differences.push(difference);
  }
  return differences;
}

/** Names a wrong sum and by how much it is off; the same in two walks even if calls arrived in between. */
export function differenceName(difference: SpendDifference): string {
  const { organization, kept, derived } = difference;
  const off = spendColumns.map(({ name }) => BigInt(kept[name]) - BigInt(derived[name]));
  return `${organization}\0${placeName(difference)}\0${off.join(' ')}`;
}
