/**
 * Compares all figures with the records, in the background (decision 207): one platform at a time, one organization after another, each once an
 * hour, a tenth of the time. What was found is reported once; what was mended too.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { OrganizationId } from '@metergate/core/id.ts';
import { provedUpTo, type FigureDifference } from '@metergate/store/receipts/proof/figure-proofs.ts';
import type { Store } from '@metergate/store/store.ts';
import { createWorkLease } from '../work/work-lease.ts';

interface ProveWorkOptions {
  readonly store: Pick<Store, 'figureProofs' | 'workLeases'>;
  readonly clock: () => number;
  /** Milliseconds on a clock that never steps. */
  readonly steadyClock: () => number;
  /** This platform, among those that share the store. */
  readonly holder: string;
  /** A line that an operator should see. */
  readonly warn: (line: string) => void;
  readonly failed: (fault: unknown) => void;
  readonly pauseFor?: (ms: number) => Promise<unknown>;
}

/** For `/metrics`. */
export interface ProofFigures {
  /** Figures that differ from their records and were not mended. */
  readonly differences: number;
  /** Figures that were mended since this platform began. */
  readonly mended: number;
  /** All figures of all organizations agreed with the records of this moment; null: not all were ever compared. */
  readonly provedMs: number | null;
}

export interface ProveWork {
  /** Compares what is due. Never twice at once: a second caller gets the same pass. */
  pass(): Promise<void>;
  figures(): Promise<ProofFigures>;
  end(): Promise<void>;
}

const againMs = 3_600_000;
/** What takes a thread this share of its time: pauses are nine times as long as the slices before them. */
const pauseShare = 9;
const pauseMsMax = 2_000;
/** What is under way on another node has committed by then: no statement may last longer. */
const laterMs = 15_000;
const saidMax = 10;
const shownMax = 1_000;

export function createProveWork({ store, clock, steadyClock, holder, warn, failed, pauseFor = pause }: ProveWorkOptions): ProveWork {
  const lease = createWorkLease(store.workLeases, 'figures', holder);
  const triedMs = new Map<OrganizationId, number>();
  const said = new Set<string>();
  let ending = false;
  let mended = 0;
  let passing: Promise<void> | null = null;

  async function look(): Promise<void> {
    if (ending || await lease.hold(clock()) === null) return;
    const all = await store.figureProofs.all();
    const due = all.filter(({ organization, lookedMs }) => Math.max(lookedMs, triedMs.get(organization) ?? 0) <= clock() - againMs);
    for (const { organization } of due.sort((one, other) => one.lookedMs - other.lookedMs)) {
      if (ending) return;
      // One that cannot be compared holds up no other.
      triedMs.set(organization, clock());
      await compare(organization).catch(failed);
    }
  }

  async function compare(organization: OrganizationId): Promise<void> {
    let sinceMs = steadyClock();
    const outcome = await store.figureProofs.prove(organization, {
      nowMs: clock(),
      async between() {
        await pauseFor(Math.min(pauseMsMax, (steadyClock() - sinceMs) * pauseShare));
        const goesOn = !ending && await lease.hold(clock()) !== null;
        sinceMs = steadyClock();
        return goesOn;
      },
      later: () => pauseFor(laterMs),
    });
    if (outcome !== null) tell(outcome.found);
  }

  function tell(found: readonly FigureDifference[]): void {
    mended += found.filter(({ mendedMs }) => mendedMs !== null).length;
    const news = found.filter((each) => each.mendedMs !== null || !said.has(nameOf(each)));
    for (const each of news) if (each.mendedMs === null) said.add(nameOf(each));
    for (const each of news.slice(0, saidMax)) warn(inWords(each));
    if (news.length > saidMax) warn(`${news.length - saidMax} more figures of ${news[0]!.organization} differed from their records.`);
  }

  return {
    pass() {
      passing ??= look().finally(() => { passing = null; });
      return passing;
    },
    async figures() {
      const all = await store.figureProofs.all();
      const differences = await store.figureProofs.differences(shownMax);
      return {
        differences: differences.filter(({ mendedMs }) => mendedMs === null).length, mended,
        provedMs: provedUpTo(all),
      };
    },
    async end() {
      ending = true;
      await passing?.catch(() => {});
      await lease.release();
    },
  };
}

function nameOf({ organization, kind, place, kept, derived }: FigureDifference): string {
  return JSON.stringify([organization, kind, place, kept, derived]);
}

/** Names in a place may be text of callers; everything else is ours. */
function inWords({ organization, kind, place, kept, derived, mendedMs }: FigureDifference): string {
  const what = `A figure of ${organization} was not that of its records: ${kind} ${JSON.stringify(place)} had ${kept}, and the records say ${
    derived}.`;
  return mendedMs === null ? `${what} It was left as it is; metergate doctor lists what differs.` : `${what} It was mended.`;
}
