/**
 * Several nodes on one store, simulated on the product's own guards, runs, leases and lease answer: nothing lost, nothing counted twice, no
 * limit passed by more than its promise says (design 1, promises 2, 4 and 5). A violation names the seed that shows it again:
 * `node test/simulation/simulate.ts --seed N --steps N --worlds 1`. A fixed budget of steps; millions by hand.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaseAccount, LeaseAnswer, LeaseMoment } from '@metergate/core/lease/account.ts';
import { answerClaim } from '@metergate/core/lease/answer.ts';
import { LeaseBook, type LeaseBatch } from '@metergate/core/lease/book.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { kinds, simulate } from './simulate.ts';
import { Violation } from './simulated-store.ts';
import { alone, away, awayUncapped, cutOff, World, type Faults, type Roughness } from './world.ts';

test('the invariants hold after every step, in calm worlds and in rough ones', async () => {
  const seed = 100;
  const outcomes = await simulate({ seed, steps: 15_000, worlds: 14 });
  for (const [at, { calls, records, grants }] of outcomes.entries()) {
    // Where there are only runs, less is asked for.
    const [callsLeast, grantsLeast] = kinds[(seed + at) % kinds.length]!.capped ? [500, 100] : [400, 20];
    assert.ok(calls > callsLeast && records === calls && grants > grantsLeast, `something must have happened in world ${at}: ${calls}, ${grants}`);
  }
  assert.ok(outcomes.some(({ passedBy }) => passedBy > 0n), 'limits must have been reached');
});

test('the same seed is the same world, to the last event', async () => {
  const [first, second, other] = [await simulate({ seed: 78, steps: 5_000, worlds: 1 }), await simulate({ seed: 78, steps: 5_000, worlds: 1 }),
    await simulate({ seed: 79, steps: 5_000, worlds: 1 })].map(([outcome]) => outcome!);
  assert.deepEqual(first, second);
  assert.notEqual(first!.trace, other!.trace);
});

test('a node that has the shared store for itself can always confirm', async () => {
  assert.equal((await new World(5, alone).run(20_000)).unconfirmed, 0);
});

/** What admitted past a limit once: an answer that found room lets calls go by it, however long ago it was asked for. */
class AdmitsOnAnOldAnswer extends LeaseBook {
  override admits(account: LeaseAccount, now: LeaseMoment): boolean {
    const isFresh = now.monotonicMs - account.askedMonotonicMs < account.validMs;
    return super.admits(account, now) || (account.foundRoom && isFresh);
  }
}

/** After one valid answer a lease counts as fresh for ever. */
class NeverStale extends LeaseBook {
  override answered(batch: LeaseBatch, answers: readonly LeaseAnswer[]): void {
    super.answered(batch, answers.map((answer) => ({ ...answer, validMs: Infinity })));
  }
}

/** Freshness counts from the answer's arrival, not from the question's sending. */
class FreshFromArrival extends LeaseBook {
  readonly #moment: () => LeaseMoment;

  constructor(spread: number, moment: () => LeaseMoment) {
    super(spread);
    this.#moment = moment;
  }

  override answered(batch: LeaseBatch, answers: readonly LeaseAnswer[]): void {
    super.answered({ ...batch, asked: this.#moment() }, answers);
  }
}

const faults: readonly (readonly [name: string, faults: Faults, kind?: Roughness])[] = [
  ['a call is admitted on an old answer', { bookOf: (spread) => new AdmitsOnAnOldAnswer(spread) }],
  ['a lease counts as fresh for ever', { bookOf: (spread) => new NeverStale(spread) }, away],
  ['the lease of a run counts as fresh for ever', { bookOf: (spread) => new NeverStale(spread) }, awayUncapped],
  ['freshness counts from the arrival of the answer', { bookOf: (spread, moment) => new FreshFromArrival(spread, moment) }, away],
  ['what a node has spent and not shipped is granted to others', {
    answer(sum, question) {
      const answered = answerClaim(sum, question);
      return { ...answered, kept: answered.kept === null ? null : { ...answered.kept, settled: nanoDollars(0n) } };
    },
  }],
];
for (const [name, fault, kind = cutOff] of faults) {
  test(`put back on purpose, it is found: ${name}`, async () => {
    await assert.rejects(async () => {
      for (let seed = 1; seed <= 20; seed += 1) await new World(seed, kind, fault).run(15_000);
    }, Violation);
  });
}
