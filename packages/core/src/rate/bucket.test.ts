/** One bucket: tables by hand, then random walks against an exact model that is built differently. Spec: Limits 2, 4, 5 and 7. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import {
  adjust, advance, capacityOf, changeFigure, covers, fullBucket, retryAfterSeconds, take, type Bucket,
} from './bucket.ts';
import { perMinuteMax } from './tier.ts';

const unit = 60_000;

function bucketAt(perMinute: number, holds: number, atMs: number = 0): Bucket {
  return { perMinute, level: holds * unit, atMs };
}

describe('capacity and refill (Limits 2)', () => {
  it('holds twice the figure, at once', () => {
    const bucket = fullBucket(100, 0);
    assert.equal(capacityOf(bucket), 200);
    assert.ok(covers(bucket, 200));
    assert.ok(!covers(bucket, 201));
  });

  const rows: readonly [why: string, perMinute: number, holds: number, passedMs: number, level: number][] = [
    ['nothing in no time', 100, 0, 0, 0],
    ['one millisecond is the figure in units', 100, 0, 1, 100],
    ['one short of a request', 100, 0, 599, 59_900],
    ['a request at 600 ms', 100, 0, 600, unit],
    ['a minute is the figure', 100, 0, 60_000, 100 * unit],
    ['two minutes fill it', 100, 0, 120_000, 200 * unit],
    ['one millisecond less does not', 100, 0, 119_999, 200 * unit - 100],
    ['never above full', 100, 199, 60_000, 200 * unit],
    ['long idle is exactly full', 7, 3, 40 * 86_400_000, 14 * unit],
    ['a debt is refilled through', 100, -100, 120_000, 100 * unit],
    ['long idle with a debt is exactly full too', 100, -400, 86_400_000, 200 * unit],
    ['the largest figure', perMinuteMax, 0, 119_999, perMinuteMax * 119_999],
    ['a century at the largest figure', perMinuteMax, 0, 3_155_760_000_000, perMinuteMax * 120_000],
  ];
  for (const [why, perMinute, holds, passedMs, level] of rows) {
    it(why, () => {
      const bucket = bucketAt(perMinute, holds, 1_000);
      advance(bucket, 1_000 + passedMs);
      assert.deepEqual(bucket, { perMinute, level, atMs: 1_000 + passedMs });
    });
  }

  it('a fraction of a millisecond waits for its whole', () => {
    const bucket = bucketAt(100, 0);
    advance(bucket, 1.75);
    assert.equal(bucket.level, 100);
    advance(bucket, 2);
    assert.equal(bucket.level, 200);
  });

  it('a clock that steps back refills nothing, and refill continues from there', () => {
    const bucket = bucketAt(100, 0, 3_600_000);
    advance(bucket, 0);
    assert.equal(bucket.level, 0);
    advance(bucket, 600);
    assert.ok(covers(bucket, 1));
    assert.ok(!covers(bucket, 2));
  });

  it('brought to the present often or once: the same', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 50_000 }), { maxLength: 20 });
    fc.assert(fc.property(fc.integer({ min: 1, max: perMinuteMax }), fc.integer({ min: -5, max: 2 }), steps, (perMinute, part, passed) => {
      const often = bucketAt(perMinute, part * perMinute);
      const once = bucketAt(perMinute, part * perMinute);
      let nowMs = 0;
      for (const ms of passed) advance(often, nowMs += ms);
      advance(once, nowMs);
      assert.deepEqual(often, once);
    }));
  });
});

describe('Retry-After (Limits 5 and 7)', () => {
  const rows: readonly [why: string, perMinute: number, holds: number, amount: number, seconds: number][] = [
    ['one request of 100 a minute takes 0.6 s: 1', 100, 0, 1, 1],
    ['exactly one second', 60, 0, 1, 1],
    ['one and two thirds rounds up', 36, 0, 1, 2],
    ['50,000 tokens short at 200,000 a minute: 15 s', 200_000, 100_000, 150_000, 15],
    ['50,001 tokens short: 16 s', 200_000, 99_999, 150_000, 16],
    ['sixty at most', 1, 0, 2, 60],
    ['above the capacity: from the deficit', 200_000, 400_000, 400_001, 1],
    ['far above the capacity', 200_000, 400_000, 4_000_000, 60],
    ['a length without end', 200_000, 400_000, Infinity, 60],
    ['a debt', 200_000, -800_000, 1, 60],
  ];
  for (const [why, perMinute, holds, amount, seconds] of rows) {
    it(why, () => assert.equal(retryAfterSeconds(bucketAt(perMinute, holds), amount), seconds));
  }

  it('is the first whole second at which the call fits, if that is within the minute', () => {
    const figure = fc.integer({ min: 1, max: perMinuteMax });
    const parts = fc.integer({ min: -1_000_000, max: 1_000_000 });
    fc.assert(fc.property(figure, parts, fc.double({ min: 0, max: 1, noNaN: true }), (perMinute, part, wanted) => {
      const level = Math.floor((part / 1_000_000) * perMinute * 120_000);
      const amount = Math.max(1, Math.floor(wanted * 2 * perMinute));
      const bucket = { perMinute, level, atMs: 0 };
      if (covers(bucket, amount)) return;
      const seconds = retryAfterSeconds(bucket, amount);
      const early = { ...bucket };
      advance(early, (seconds - 1) * 1000);
      if (seconds > 1) assert.ok(!covers(early, amount));
      advance(bucket, seconds * 1000);
      if (seconds < 60) assert.ok(covers(bucket, amount));
    }));
  });
});

describe('a plan change keeps what was consumed (rule 22)', () => {
  const rows: readonly [why: string, from: number, holds: number, to: number, after: number][] = [
    ['full stays full upward', 100, 200, 600, 1_200],
    ['full stays full downward', 600, 1_200, 100, 200],
    ['150 consumed stay consumed upward', 100, 50, 600, 1_050],
    ['150 consumed stay consumed downward', 600, 1_050, 100, 50],
    ['more consumed than the lower plan holds: owed', 600, 0, 100, -1_000],
    ['a debt stays', 100, -100, 600, 900],
  ];
  for (const [why, from, holds, to, after] of rows) {
    it(why, () => {
      const bucket = bucketAt(from, holds);
      changeFigure(bucket, to, 0);
      assert.deepEqual(bucket, bucketAt(to, after));
    });
  }

  it('refills at the old figure up to the change', () => {
    const bucket = bucketAt(100, 0);
    changeFigure(bucket, 600, 60_000);
    assert.deepEqual(bucket, bucketAt(600, 1_100, 60_000));
  });
});

describe('a broken bucket or clock is a fault, never a quiet admission (Limits 10)', () => {
  const broken: readonly [why: string, bucket: Bucket, nowMs: number][] = [
    ['level NaN', { perMinute: 1, level: Number.NaN, atMs: 0 }, 0],
    ['level with a fraction', { perMinute: 1, level: 0.5, atMs: 0 }, 0],
    ['instant lost', { perMinute: 1, level: 0, atMs: undefined as unknown as number }, 0],
    ['figure zero', { perMinute: 0, level: 0, atMs: 0 }, 0],
    ['clock NaN', { perMinute: 1, level: 0, atMs: 0 }, Number.NaN],
    ['clock without end', { perMinute: 1, level: 0, atMs: 0 }, Infinity],
  ];
  for (const [why, bucket, nowMs] of broken) it(why, () => assert.throws(() => advance(bucket, nowMs), RangeError));
  it('there is no full bucket for an invalid figure', () => assert.throws(() => fullBucket(Number.NaN, 0), RangeError));
});

/**
 * The model: not a level but the instant at which the bucket would be full, in exact units of time times figure. Where the
 * bucket adds refill, the model does nothing; where the bucket takes, the model moves that instant away.
 */
class Model {
  perMinute: bigint;
  nowMs: bigint;
  fullAt: bigint;

  constructor(perMinute: number, nowMs: number) {
    this.perMinute = BigInt(perMinute);
    this.nowMs = BigInt(nowMs);
    this.fullAt = this.nowMs * this.perMinute;
  }

  missing(): bigint {
    const away = this.fullAt - this.nowMs * this.perMinute;
    return away > 0n ? away : 0n;
  }

  moveTo(nowMs: number): void {
    const missing = this.missing();
    const before = this.nowMs;
    this.nowMs = BigInt(nowMs);
    if (this.nowMs < before) this.miss(missing);
  }

  miss(units: bigint): void {
    this.fullAt = this.nowMs * this.perMinute + units;
  }

  change(perMinute: number): void {
    const missing = this.missing();
    this.perMinute = BigInt(perMinute);
    this.miss(missing);
  }

  add(units: bigint): void {
    const missing = this.missing() - units;
    this.miss(missing > 0n ? missing : 0n);
  }

  level(): bigint {
    return this.perMinute * 120_000n - this.missing();
  }
}

interface Step {
  readonly passedMs: number;
  readonly act: 'request' | 'adjust' | 'change';
  readonly amount: number;
}

function play(bucket: Bucket, model: Model, step: Step): void {
  const nowMs = bucket.atMs + step.passedMs;
  model.moveTo(nowMs);
  advance(bucket, nowMs);
  if (step.act === 'change') {
    const perMinute = 1 + step.amount % perMinuteMax;
    model.change(perMinute);
    changeFigure(bucket, perMinute, nowMs);
  } else if (step.act === 'adjust') {
    const amount = Math.min(step.amount, 2 * capacityOf(bucket)) * (step.amount % 2 === 0 ? 1 : -1);
    model.add(BigInt(amount) * 60_000n);
    adjust(bucket, amount);
  } else {
    const admitted = covers(bucket, step.amount);
    if (admitted !== model.level() >= BigInt(step.amount) * 60_000n) assert.fail(`admission differs: ${JSON.stringify({ bucket, step })}`);
    if (admitted) {
      model.add(BigInt(-step.amount) * 60_000n);
      take(bucket, step.amount);
    }
  }
  if (BigInt(bucket.level) !== model.level()) assert.fail(`level differs from ${model.level()}: ${JSON.stringify({ bucket, step })}`);
}

describe('against the model (Limits 2 and 4; rule 22)', () => {
  const step: fc.Arbitrary<Step> = fc.record({
    passedMs: fc.oneof(
      fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: -5_000, max: 200_000 }), fc.constantFrom(-172_800_000, 3_456_000_000),
    ),
    act: fc.constantFrom('request', 'request', 'request', 'adjust', 'change'),
    amount: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 500_000 })),
  });

  it('no difference under any order of requests, answers, clock steps and plan changes', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.array(step, { maxLength: 60 }), (perMinute, steps) => {
      const bucket = fullBucket(perMinute, 1_790_000_000_000);
      const model = new Model(perMinute, 1_790_000_000_000);
      for (const each of steps) play(bucket, model, each);
    }), { numRuns: draws(300) });
  });

  it('no difference in a million steps', () => {
    let state = 0x2545_f491;
    const draw = (below: number): number => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) % below;
    };
    const bucket = fullBucket(100, 0);
    const model = new Model(100, 0);
    const seen = { request: 0, adjust: 0, change: 0 };
    for (let at = 0; at < 1_000_000; at += 1) {
      const act = draw(1_000) === 0 ? 'change' : draw(10) === 0 ? 'adjust' : 'request';
      const passedMs = draw(500) === 0 ? draw(200_000) - 100_000 : draw(40);
      seen[act] += 1;
      play(bucket, model, { passedMs, act, amount: 1 + draw(act === 'change' ? 200_000 : 2_000) });
    }
    assert.ok(seen.request > 800_000 && seen.adjust > 50_000 && seen.change > 500);
  });

  it('debt without end stops at a safe integer and is still refilled exactly', () => {
    const bucket = fullBucket(perMinuteMax, 0);
    for (let call = 0; call < 20; call += 1) adjust(bucket, -2 * capacityOf(bucket));
    assert.equal(bucket.level, perMinuteMax * 120_000 - Number.MAX_SAFE_INTEGER);
    advance(bucket, 1);
    assert.equal(bucket.level, perMinuteMax * 120_001 - Number.MAX_SAFE_INTEGER);
  });
});
