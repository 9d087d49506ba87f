/**
 * A limit that changes while leases of it are out (rules: Spend across nodes; promise 4): the old one determined how much may be held and
 * for how long, so the store is asked soon and not at half of the validity.
 */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import type { CapId } from '@metergate/core/id.ts';
import { LeaseBook, type SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { Run } from '@metergate/core/run/run.ts';
import { bindCap, type BindingCap } from '@metergate/core/spend/cap-decision.ts';
import { emptySums } from '@metergate/core/spend/spend-sum.ts';
import { RunRegistry } from './run-registry.ts';
import { SpendLeases, type CapLease } from './spend-leases.ts';
import { dollars, testOrganization } from './test-support/run-fixture.ts';

const nothing = nanoDollars(0n);

/** A node that has used its first leases and requests more as time passes; the limit is 10 dollars in every answer, or there is none. */
function context({ beginsMs = 0, limit = dollars(10) as NanoDollars | null } = {}) {
  const clock = { ms: beginsMs, wallMs: () => clock.ms, monotonicMs: () => clock.ms };
  const asked: string[] = [];
  const timers: { readonly atMs: number; readonly task: () => void }[] = [];
  const registry = new RunRegistry(10);
  const claimLeases = async (_batch: number, claims: readonly SubjectClaim[]) => {
    asked.push(...claims.map(({ subject }) => `${subject.scope} ${clock.ms}`));
    return claims.map(() => ({
      granted: dollars(2), spent: nothing, shipped: nothing, limit, validMs: 5_000, confirmMs: 2_500, contested: false,
    }));
  };
  const leases = new SpendLeases({
    book: new LeaseBook(0), registry, clock, systemWallMs: () => clock.ms, client: { claimLeases, shipNow: () => {}, runsCurrentAt: () => null },
    after: (delayMs, task) => void timers.push({ atMs: clock.ms + delayMs, task }),
  });
  const pass = async (ms: number): Promise<void> => {
    for (const untilMs = clock.ms + ms; clock.ms < untilMs;) {
      clock.ms += 100;
      for (const timer of timers.splice(0)) {
        if (timer.atMs <= clock.ms) timer.task();
        else timers.push(timer);
      }
      await turn();
    }
  };
  return { leases, registry, asked, pass };
}

/** The node learns of a monthly cap of an organization. */
function capsOf(leases: SpendLeases, nowMs: number) {
  const { id: organization } = testOrganization({});
  const sums = emptySums(nowMs);
  const subject = leases.subject({ organization, scope: 'organization', subject: '' }, sums);
  const capAt = (limit: number): CapLease => {
    const cap: BindingCap = { id: 'cap' as CapId, scope: 'organization', subject: null, window: 'month', limit: dollars(limit), mode: 'refuse' };
    return leases.ofCap(bindCap(cap, sums), subject);
  };
  return { subject, capAt };
}

test('a changed cap is confirmed soon', async () => {
  const { leases, asked, pass } = context();
  const { subject, capAt } = capsOf(leases, 0);
  leases.ask([capAt(10)], null, { withinMs: 250, answered: () => {} });
  await turn();
  leases.taken({ subjects: [subject], leases: [capAt(10)], held: null });
  await pass(1_000);
  capAt(3);
  await pass(300);
  assert.deepEqual(asked, ['organization 0', 'organization 1100']);
});

test('an answer from before a month says nothing about a cap that is set before the month begins', async () => {
  const monthMs = Date.UTC(1970, 1, 1);
  const { leases, asked, pass } = context({ beginsMs: monthMs - 4_000, limit: null });
  const { subject, capAt } = capsOf(leases, monthMs - 4_000);
  leases.ask([capAt(10)], null, { withinMs: 250, answered: () => {} });
  await turn();
  leases.taken({ subjects: [subject], leases: [capAt(10)], held: null });
  await pass(2_000);
  assert.ok(asked.filter((each) => each.startsWith('organization')).length > 1, 'the next month was asked for');
  const cap = capAt(10);
  await pass(2_000);
  leases.confirm([cap]);
  assert.deepEqual([cap.line.current.subject.startMs, cap.bound.confirmed], [monthMs, false]);
});

test('a run whose budget fell is confirmed soon, until the store knows of it', async () => {
  const { leases, registry, asked, pass } = context();
  const run: Run = {
    organization: testOrganization({}).id, id: 'r', state: 'live', declared: dollars(10), effective: dollars(10), clampReason: null, spent: nothing,
    unknownCalls: 0, unpricedCalls: 0, gapCalls: 0, startedAtMs: 0, expiresAtMs: null, endedAtMs: null,
  };
  const held = registry.hold(run, true);
  leases.ask([], held, { withinMs: 250, answered: () => {} });
  await turn();
  leases.taken({ subjects: [], leases: [], held });
  await pass(1_000);
  assert.equal(leases.confirmsRun(held), true);
  held.run = { ...run, effective: dollars(3) };
  for (let turns = 0; turns < 5; turns += 1) {
    assert.equal(leases.confirmsRun(held), true);
    await pass(100);
  }
  assert.deepEqual(asked, ['run 0', 'run 1100', 'run 1400']);
});
