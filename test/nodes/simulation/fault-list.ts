/**
 * The faults that the simulation is known to find, each in a world where it matters, for caps and for runs. What it does not see, because it
 * is of the database, or of a rule that only prepares for the worst, the tests beside that code find.
 */
import { noLease } from '@metergate/core/spend/lease/answer.ts';
import { leaseNodeState } from '@metergate/core/spend/lease/node-state.ts';
import type { Faults } from './faults.ts';
import {
  AdmitsOnAnOldAnswer, ForgetsWhatItHeard, FreshFromArrival, GoesByNoLimit, GoesByNoLimitAhead, GoesByOneClock, HearsLateAnswers, KeepsLateRuns,
  NeverExpires, NeverStale, NeverTurns, RaisesBudgets, SettlesStale, storeFaults, TakesLeaseAlong, ReportsNoMoreThanGranted, type Whose,
} from './put-back.ts';
import {
  away, awayUncapped, changing, changingCutOff, clocksApart, clocksApartUncapped, cutOff, frantic, rough, type Roughness,
} from './roughness.ts';

/** A world that shows a fault, by its seed. */
export type Shown = readonly [kind: Roughness, seed: number];

export interface PutBack {
  readonly name: string;
  readonly shown: Shown;
  readonly faults: Faults;
}

/** Caps have it alone, then runs have. */
interface OfEach {
  readonly name: string;
  readonly caps: Shown;
  readonly runs: Shown;
  readonly faultsOf: (whose: Whose) => Faults;
}

const ofEach: readonly OfEach[] = [
  {
    name: 'a call is admitted on an old answer', caps: [cutOff, 3], runs: [cutOff, 24],
    faultsOf: (whose) => ({ bookOf: (spread) => new AdmitsOnAnOldAnswer(spread, whose) }),
  },
  {
    name: 'a lease counts as fresh for ever', caps: [away, 22], runs: [awayUncapped, 17],
    faultsOf: (whose) => ({ bookOf: (spread) => new NeverStale(spread, whose) }),
  },
  {
    name: 'freshness counts from the arrival of the answer', caps: [away, 22], runs: [awayUncapped, 16],
    faultsOf: (whose) => ({ bookOf: (spread, moment) => new FreshFromArrival(spread, whose, moment) }),
  },
  {
    name: 'an answer is taken in after a later one', caps: [cutOff, 6], runs: [{ ...rough, capped: false }, 7],
    faultsOf: (whose) => ({ bookOf: (spread) => new HearsLateAnswers(spread, whose), lateFor: HearsLateAnswers.lateFor }),
  },
  {
    name: 'the store heeds a claim that a later one has overtaken', caps: [cutOff, 19], runs: [rough, 15],
    faultsOf: (whose) => ({ answer: storeFaults.heedsOvertaken(whose) }),
  },
  {
    name: 'what a node has reported as spent is granted to others', caps: [changing, 22], runs: [changing, 20],
    faultsOf: (whose) => ({ answer: storeFaults.forgetsReports(whose) }),
  },
  {
    name: 'what a node has spent and not shipped is granted to it again', caps: [away, 9], runs: [away, 9],
    faultsOf: (whose) => ({ answer: storeFaults.grantsUnshippedAgain(whose) }),
  },
  {
    name: 'a node does not report what it spent past its grant', caps: [away, 17], runs: [awayUncapped, 7],
    faultsOf: (whose) => ({ bookOf: (spread) => new ReportsNoMoreThanGranted(spread, whose) }),
  },
  {
    name: 'only the monotonic clock counts', caps: [frantic, 17], runs: [{ ...rough, capped: false }, 23],
    faultsOf: (whose) => ({ bookOf: (spread) => new GoesByOneClock(spread, whose, 'monotonicMs') }),
  },
  {
    name: 'only the wall clock counts', caps: [away, 1], runs: [awayUncapped, 20],
    faultsOf: (whose) => ({ bookOf: (spread) => new GoesByOneClock(spread, whose, 'wallMs') }),
  },
  {
    name: 'a call that ends when its lease has run out is not charged', caps: [away, 23], runs: [awayUncapped, 6],
    faultsOf: (whose) => ({ leasesOf: (options) => new SettlesStale(options, whose, 0) }),
  },
  {
    name: 'a call that ends when its lease has run out is charged twice', caps: [away, 6], runs: [awayUncapped, 6],
    faultsOf: (whose) => ({ leasesOf: (options) => new SettlesStale(options, whose, 2) }),
  },
  {
    name: 'leases are freed as soon as their node is silent', caps: [clocksApart, 11], runs: [clocksApartUncapped, 17],
    faultsOf: () => ({ nodeState: (heardAtMs, nowMs) => leaseNodeState(heardAtMs, nowMs) === 'live' ? 'live' : 'free' }),
  },
  {
    name: 'of a lease that is freed it is forgotten what was shipped', caps: [away, 21], runs: [awayUncapped, 9],
    faultsOf: () => ({ freed: ({ node }) => noLease(node) }),
  },
];

const ofCaps: readonly PutBack[] = [
  {
    name: 'an answer of when there was no cap is gone by', shown: [changing, 2],
    faults: { bookOf: (spread) => new GoesByNoLimit(spread, 'caps') },
  },
  {
    name: 'such an answer was under way when the cap was set', shown: [changingCutOff, 8],
    faults: { bookOf: (spread) => new ForgetsWhatItHeard(spread, 'caps') },
  },
  {
    name: 'such an answer is of the next window', shown: [changingCutOff, 9],
    faults: { bookOf: (spread) => new GoesByNoLimitAhead(spread, 'caps') },
  },
  { name: 'a window never turns', shown: [away, 7], faults: { bookOf: (spread) => new NeverTurns(spread) } },
  { name: 'a window begins with the lease of the one before', shown: [away, 14], faults: { bookOf: (spread) => new TakesLeaseAlong(spread) } },
];

const ofRuns: readonly PutBack[] = [
  {
    name: 'an older budget is taken in after a smaller one', shown: [changingCutOff, 18],
    faults: { runsOf: (options) => new RaisesBudgets(options) },
  },
  {
    name: 'a late answer is gone by though the run has ended since', shown: [changing, 2],
    faults: { runsOf: (options) => new KeepsLateRuns(options) },
  },
  { name: 'its time limit is not looked at', shown: [awayUncapped, 5], faults: { runsOf: (options) => new NeverExpires(options) } },
  { name: 'what is over is confirmed', shown: [rough, 11], faults: { answer: storeFaults.confirmsWhatIsOver } },
];

const ofRestarts: readonly PutBack[] = [
  { name: 'the calls in the journal are forgotten', shown: [rough, 1], faults: { recovered: ({ kind }) => kind !== 'closed' } },
  { name: 'the ends of runs in the journal are forgotten', shown: [frantic, 23], faults: { recovered: ({ kind }) => kind !== 'ended' } },
  { name: 'the budgets in the journal are forgotten', shown: [frantic, 1], faults: { recovered: ({ kind }) => kind !== 'tightened' } },
  { name: 'leases come back before the journal was shipped', shown: [frantic, 23], faults: { shipsAfterMs: 3_000 } },
];

/** With what each concerns. */
export const faultList: readonly (PutBack & { readonly of: string })[] = [
  ...ofEach.flatMap(({ name, caps, runs, faultsOf }) => [
    { of: 'of a cap', name, shown: caps, faults: faultsOf('caps') }, { of: 'of a run', name, shown: runs, faults: faultsOf('runs') },
  ]),
  ...ofCaps.map((each) => ({ of: 'of a cap', ...each })),
  ...ofRuns.map((each) => ({ of: 'of a run', ...each })),
  ...ofRestarts.map((each) => ({ of: 'at a restart', ...each })),
];
