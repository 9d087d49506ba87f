/** The node's throughput limits: shared by the keys of an organization, following its plan, failing open (spec: Limits). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planFigures } from '@metergate/core/rate/tier.ts';
import { OrganizationRate, RateLimit } from './rate-limit.ts';

function context() {
  const counters = { rateLimitFaults: 0 };
  const organization = new OrganizationRate(planFigures.free, 0);
  return { counters, organization, key: () => new RateLimit(organization, counters, 0) };
}

function admitted(limit: RateLimit, calls: number, nowMs: number): number {
  let passed = 0;
  for (let call = 0; call < calls; call += 1) {
    if (limit.decide(1, nowMs) !== null) continue;
    limit.take(1);
    passed += 1;
  }
  return passed;
}

test('the organization binds across its keys', () => {
  const { key } = context();
  assert.equal(admitted(key(), 150, 0), 150);
  assert.equal(admitted(key(), 150, 0), 50);
});

test('a refused call takes nothing, and gets the time to wait', () => {
  const { key } = context();
  const limit = key();
  assert.equal(admitted(limit, 200, 0), 200);
  for (let again = 0; again < 50; again += 1) assert.deepEqual(limit.decide(1, 0), { retryAfterSeconds: 1 });
  assert.equal(admitted(limit, 5, 1_200), 2);
});

test('a new plan takes effect at once and keeps what was consumed', () => {
  const { key, organization } = context();
  const limit = key();
  assert.equal(admitted(limit, 300, 0), 200);
  organization.figures = planFigures.team;
  assert.equal(admitted(limit, 2_000, 0), 1_000);
});

test('a reported figure replaces the estimate on key and organization alike', () => {
  const { key } = context();
  const [one, other] = [key(), key()];
  assert.equal(one.decide(300_000, 0), null);
  one.take(300_000);
  assert.notEqual(other.decide(150_000, 0), null);
  one.reconcile({ estimate: 300_000, reported: 50_000, outcome: 'answered' }, 0);
  assert.equal(other.decide(150_000, 0), null);
});

test('if its own state is broken the call passes, the miss is counted, and the next call is limited again', () => {
  const { key, counters, organization } = context();
  const limit = key();
  (organization.pair.tokens as { level: number }).level = Number.NaN;
  assert.equal(limit.decide(1, 0), null);
  assert.equal(counters.rateLimitFaults, 1);
  assert.equal(admitted(limit, 300, 0), 200);
  (organization.pair.requests as { level: number }).level = 0.5;
  limit.reconcile({ estimate: 1, reported: 5, outcome: 'answered' }, 0);
  assert.equal(limit.decide(1, Number.NaN), null, 'nor does a clock that is no number stop a call');
  assert.ok(counters.rateLimitFaults >= 2);
});
