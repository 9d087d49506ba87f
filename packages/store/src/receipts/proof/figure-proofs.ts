/**
 * The comparison of every figure of an organization with its records (decision 207): the chain of receipts first, because what it does not vouch for
 * is no proof; then the days, the newest first; then months, all days, and the runs of those days. Sums of usage that differ are mended where the
 * chain is whole. All else is only reported. What was found stays until it is found to agree.
 */
import { dayOf } from '@metergate/core/time/utc-day.ts';
import { monthOf } from '@metergate/core/time/utc-month.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { numberOrNull } from '../../schema/schema.ts';
import type { Engine } from '../../engine/engine.ts';
import { sendingIn } from '../../engine/send.ts';
import { erasedAmong, holdOffErasures } from '../../operation/erased.ts';
import type { StoreContext } from '../../sealing/context.ts';
import { mayMend, mendUsage, type Lack } from './mend-usage.ts';
import { comparedAtOnce, type ProvedSum } from './day-sums.ts';
import { firstRuns, proveRuns, type RunsPlace, type RunsLook } from './prove-runs.ts';
import { proveAllDays, proveMonth, type TotalDifference } from './prove-totals.ts';
import { proveChain } from './prove-chain.ts';
import { proveDay, type Looking, type SumDifference } from './prove-day.ts';

export interface FigureDifference {
  readonly organization: OrganizationId;
  readonly kind: string;
  readonly place: string;
  readonly kept: string;
  readonly derived: string;
  readonly foundMs: number;
  readonly mendedMs: number | null;
}

interface FigureProof {
  readonly organization: OrganizationId;
  /** All figures agreed with the records that the store held at this instant; null: never yet. */
  readonly provedMs: number | null;
  readonly lookedMs: number;
}

/** Up to which instant all of these are proved; null: not all were ever compared, or there are none. */
export function provedUpTo(all: readonly Pick<FigureProof, 'provedMs'>[]): number | null {
  const proved = all.map(({ provedMs }) => provedMs);
  return all.length === 0 || proved.includes(null) ? null : Math.min(...proved.map((ms) => ms!));
}

/** What one comparison of an organization found. */
interface ProofOutcome {
  /** Those that were found now, the mended ones among them. */
  readonly found: readonly FigureDifference[];
  readonly days: number;
}

export interface FigureProofs {
  /** One comparison. Null: it was ended. @throws StoreFault */
  prove(organization: OrganizationId, looking: Looking & { readonly nowMs: number }): Promise<ProofOutcome | null>;
  /** How far each organization with records is proved. */
  all(): Promise<readonly FigureProof[]>;
  /** What differs, and what was mended, the newest first; at most `limit`. */
  differences(limit: number): Promise<readonly FigureDifference[]>;
}

/** All days are compared once in this time; between, those that may have changed. */
const wholeEveryMs = 24 * 3_600_000;
/** Records arrive this late at most, as a rule. */
const lateMs = 2 * 86_400_000;
/** Of one organization. */
const keptMax = 200;

export function figureProofsIn({ background: engine }: StoreContext): FigureProofs {
  return {
    prove: (organization, looking) => new Comparison(engine, organization, looking).run(),
    all: () => engine.read(async (db) => (await db.selectFrom('organization').leftJoin('figure_proof', 'figure_proof.organization', 'organization.id')
      .select(['organization.id', 'proved_ms', 'looked_ms']).orderBy('organization.id').execute())
      .map(({ id, proved_ms: proved, looked_ms: looked }) =>
        ({ organization: id as OrganizationId, provedMs: numberOrNull(proved), lookedMs: Number(looked ?? 0n) }))),
    differences: (limit) => engine.read(async (db) => (await db.selectFrom('figure_difference').selectAll().orderBy('found_ms', 'desc')
      .orderBy('organization').orderBy('kind').orderBy('place').limit(limit).execute()).map((row) => ({
      organization: row.organization as OrganizationId, kind: row.kind, place: row.place, kept: row.kept, derived: row.derived,
      foundMs: Number(row.found_ms), mendedMs: numberOrNull(row.mended_ms),
    }))),
  };
}

class Comparison {
  readonly #engine: Engine;
  readonly #organization: OrganizationId;
  readonly #looking: Looking & { readonly nowMs: number };
  readonly #found: FigureDifference[] = [];
  /** Runs whose sums by day differed in this comparison. */
  readonly #runsOfWrongDays = new Set<string>();
  #days = 0;

  constructor(engine: Engine, organization: OrganizationId, looking: Looking & { readonly nowMs: number }) {
    this.#engine = engine;
    this.#organization = organization;
    this.#looking = looking;
  }

  async run(): Promise<ProofOutcome | null> {
    const { nowMs } = this.#looking;
    const before = await this.#before();
    const isWhole = before.wholeMs === null || before.wholeMs <= nowMs - wholeEveryMs;
    const chain = await this.#chain(isWhole ? 0 : before.through);
    if (chain === null) return null;
    const sinceMs = isWhole || before.provedMs === null ? -Infinity : dayOf(before.provedMs - lateMs);
    if (!await this.#daysFrom(sinceMs, chain.isSound) || !await this.#totals(sinceMs, chain.isSound)) return null;
    await this.#note({ through: chain.through, isWhole });
    return { found: this.#found, days: this.#days };
  }

  async #before(): Promise<{ readonly through: number; readonly provedMs: number | null; readonly wholeMs: number | null }> {
    return this.#engine.read(async (db) => {
      const row = await db.selectFrom('figure_proof').selectAll().where('organization', '=', this.#organization).executeTakeFirst();
      const differs = await db.selectFrom('figure_difference').select('kind').where('organization', '=', this.#organization)
        .where('mended_ms', 'is', null).limit(1).executeTakeFirst();
      return {
        through: Number(row?.chain_through ?? 0n), provedMs: numberOrNull(row?.proved_ms ?? null),
        // While something differs, all of it is compared each time.
        wholeMs: differs === undefined ? numberOrNull(row?.whole_ms ?? null) : null,
      };
    });
  }

  /** To where the chain ends now: calls may be recorded faster than they are compared. */
  async #chain(from: number): Promise<{ readonly through: number; readonly isSound: boolean } | null> {
    let [after, upTo]: [number, number | null] = [from, null];
    for (;;) {
      const { through, broken, isWhole, end } = await proveChain(this.#engine, this.#organization, { after, upTo, limit: comparedAtOnce });
      upTo = end;
      if (broken !== null && !await this.#isErased()) {
        this.#tell({ kind: 'receipts', place: String(broken), kept: 'the chain goes on', derived: 'the record is missing or another' });
        return { through, isSound: false };
      }
      if (!await this.#looking.between()) return null;
      if (isWhole || broken !== null) return { through, isSound: true };
      after = through;
    }
  }

  /** An erased organization's words are gone, and so are its sums by them. */
  async #isErased(): Promise<boolean> {
    return await this.#engine.read((db) => db.selectFrom('erased_organization').select('organization').where('organization', '=', this.#organization)
      .executeTakeFirst()) !== undefined;
  }

  /** The newest first. False: it was ended. */
  async #daysFrom(sinceMs: number, mends: boolean): Promise<boolean> {
    const months = new Set<number>();
    for (let dayMs = await this.#dayBefore(Infinity); dayMs !== null && dayMs >= sinceMs; dayMs = await this.#dayBefore(dayMs)) {
      if (await this.#isErased()) return true;
      const differences = await proveDay(this.#engine, { organization: this.#organization, dayMs }, this.#looking);
      if (differences === null) return false;
      this.#days += 1;
      months.add(monthOf(dayMs));
      await this.#settle(differences, mends);
    }
    for (const monthMs of months) {
      (await this.#twice(() => proveMonth(this.#engine, this.#organization, monthMs))).forEach((each) => this.#tell(each));
    }
    return true;
  }

  /** The next older day that has records or sums; null: there is none. */
  async #dayBefore(beforeMs: number): Promise<number | null> {
    const before = BigInt(Math.min(beforeMs, Number.MAX_SAFE_INTEGER));
    return this.#engine.read(async (db) => {
      const record = await db.selectFrom('call_record').select(({ fn }) => fn.max('started_at_ms').as('ms'))
        .where('organization', '=', this.#organization).where('started_at_ms', '<', before).executeTakeFirst();
      const sum = await db.selectFrom('usage_sum').select(({ fn }) => fn.max('day_ms').as('ms'))
        .where('organization', '=', this.#organization).where('dimension', '=', 'day').where('day_ms', '<', before).executeTakeFirst();
      const found = [record?.ms, sum?.ms].filter((ms) => ms !== null && ms !== undefined).map((ms) => dayOf(Number(ms)));
      return found.length === 0 ? null : Math.max(...found);
    });
  }

  async #settle(differences: readonly SumDifference[], mends: boolean): Promise<void> {
    const mendable = mends ? differences.filter(({ kept }) => mayMend(kept.kind)) : [];
    if (mendable.length > 0) await mendUsage(this.#engine, mendable.map((each) => lackOf(this.#organization, each)));
    for (const difference of differences) {
      const { kind, dimension, subject } = difference.kept;
      if (kind === 'word_sum' && dimension === 'run') this.#runsOfWrongDays.add(subject);
      this.#tell({
        kind: difference.kept.kind, place: placeInWords(difference.kept), kept: figuresInWords(difference.kept),
        derived: figuresInWords(difference.derived),
      }, mendable.includes(difference));
    }
  }

  /** False: it was ended. Without a sound chain sums are not mended, and then none of them vouches for a run. */
  async #totals(sinceMs: number, isSound: boolean): Promise<boolean> {
    if (await this.#isErased()) return true;
    (await this.#twice(() => proveAllDays(this.#engine, this.#organization))).forEach((each) => this.#tell(each));
    const told = new Set<string>();
    const trusted = (run: string): boolean => isSound && !this.#runsOfWrongDays.has(run);
    for (let place: RunsPlace | null = firstRuns(sinceMs === -Infinity ? null : sinceMs); place !== null;) {
      const { differences, next }: RunsLook = await proveRuns(this.#engine, this.#organization, { place, trusted });
      // A run of several days comes with each of them.
      differences.filter((each) => !told.has(each.place)).forEach((each) => {
        told.add(each.place);
        this.#tell(each);
      });
      if (!await this.#looking.between()) return false;
      place = next;
    }
    return true;
  }

  /** What is found again some time later. */
  async #twice(look: () => Promise<readonly TotalDifference[]>): Promise<readonly TotalDifference[]> {
    const first = await look();
    if (first.length === 0) return first;
    await this.#looking.later();
    const same = new Set(first.map((each) => JSON.stringify(each)));
    return (await look()).filter((each) => same.has(JSON.stringify(each)));
  }

  #tell(difference: Pick<FigureDifference, 'kind' | 'place' | 'kept' | 'derived'>, isMended = false): void {
    const { nowMs } = this.#looking;
    this.#found.push({ organization: this.#organization, ...difference, foundMs: nowMs, mendedMs: isMended ? nowMs : null });
  }

  /** What differs no more goes; what was mended stays for a while, for people to see. */
  async #note({ through, isWhole }: { readonly through: number; readonly isWhole: boolean }): Promise<void> {
    const { nowMs } = this.#looking;
    const now = Math.floor(nowMs);
    const isSound = this.#found.every(({ mendedMs }) => mendedMs !== null);
    await this.#engine.write(async (transaction) => {
      const { send } = sendingIn(transaction);
      holdOffErasures(this.#engine.kind, send);
      // Erased while it was compared: the places of what was found have its words.
      if ((await erasedAmong(this.#engine.kind, send, [this.#organization])).size > 0) this.#found.length = 0;
      const proof = { chain_through: through, looked_ms: now, ...(isSound ? { proved_ms: now, ...(isWhole ? { whole_ms: now } : {}) } : {}) };
      await transaction.insertInto('figure_proof').values({ organization: this.#organization, proved_ms: null, whole_ms: null, ...proof })
        .onConflict((conflict) => conflict.column('organization').doUpdateSet(proof)).execute();
      if (isWhole) {
        await transaction.deleteFrom('figure_difference').where('organization', '=', this.#organization).where('mended_ms', 'is', null).execute();
      }
      await transaction.deleteFrom('figure_difference').where('organization', '=', this.#organization)
        .where('mended_ms', '<', BigInt(now - 30 * wholeEveryMs)).execute();
      for (const { organization, kind, place, kept, derived, mendedMs } of this.#found.slice(0, keptMax)) {
        const row = { kept, derived, found_ms: now, mended_ms: mendedMs === null ? null : Math.floor(mendedMs) };
        await transaction.insertInto('figure_difference').values({ organization, kind, place, ...row })
          .onConflict((conflict) => conflict.columns(['organization', 'kind', 'place']).doUpdateSet(row)).execute();
      }
    });
  }
}

function lackOf(organization: OrganizationId, { kept, derived }: SumDifference): Lack {
  return { ...kept, organization, hours: derived.hours, figures: derived.figures.map((figure, index) => figure - kept.figures[index]!) };
}

function placeInWords({ dimension, subject, atMs, attribution }: ProvedSum): string {
  const hour = new Date(atMs).toISOString().slice(0, 13);
  return [hour, dimension, ...(attribution === 0 ? [] : [`#${attribution}`]), ...(subject === '' ? [] : [subject])].join(' ');
}

function figuresInWords({ figures }: ProvedSum): string {
  return figures.join(' ');
}
