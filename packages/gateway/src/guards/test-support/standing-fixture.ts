/** Standings and guards on made-up values for tests: nothing spent, no caps, and the test answers for the store. */
import type { Journal } from '@metergate/store/journal/journal.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import { emptySums } from '@metergate/core/spend/spend-sum.ts';
import type { KeyAnswer } from '@metergate/store/desk/protocol.ts';
import type { Clock } from '../../clock/clock.ts';
import { Guards } from '../guards.ts';
import { RunRegistry } from '../run-registry.ts';
import { Runs, type RunsOptions } from '../runs.ts';
import { Standings } from '../standing.ts';

/** What the store answers for a key of an organization that spent nothing. */
export function unspentAnswer(key: ServiceKeySettings, organization: OrganizationSettings, nowMs: number = 0): KeyAnswer {
  return { key, organization, spend: { organization: emptySums(nowMs), key: emptySums(nowMs) }, capped: [] };
}

/** A node's standings on a clock that stays at 0. */
export function testStandings(monotonicMs: () => number = () => 0): Standings {
  return new Standings(monotonicMs, { rateLimitFaults: 0 });
}

/** A journal that takes every row of a run at once. */
export const willingRunJournal: Pick<Journal, 'endRun' | 'tightenRun' | 'settle'> = {
  settle: (_record, done) => done(null),
  endRun: (_row, done) => done(null),
  tightenRun: (_row, done) => done(null),
};

/** A store that knows no run and cannot be asked. */
const awayRunStore: RunsOptions['store'] = {
  askRun: () => Promise.reject(new Error('away')),
  claimRun: () => false,
  isNewRun: () => false,
  confirmRun: () => {},
};

export function testGuards({ clock, capacity = 100, journal = willingRunJournal, store = awayRunStore }: {
  readonly clock: Clock; readonly capacity?: number; readonly journal?: RunsOptions['journal']; readonly store?: RunsOptions['store'];
}): Guards {
  return new Guards(clock, new Runs({ registry: new RunRegistry(capacity), journal, store, clock }));
}
