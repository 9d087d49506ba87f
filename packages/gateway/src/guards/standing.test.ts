/** A key has one standing on a node, whatever it is presented as: its caps and its rate limit hold for all its calls together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untoldCallsMax } from '@metergate/core/record/untold-calls.ts';
import type { CapId, PersonId, ServiceKeyId } from '@metergate/core/id.ts';
import type { Cap } from '@metergate/core/spend/cap.ts';
import type { GuardedCall } from './guards.ts';
import { dollars, endedRecord, testKey, testOrganization } from './test-support/run-fixture.ts';
import { testGuards, testStandings, unspentAnswer } from './test-support/standing-fixture.ts';

const key = testKey({});
const cap: Cap = { id: 'cap' as CapId, scope: 'key', subject: key.id, window: 'lifetime', limit: dollars(1), mode: 'refuse' };
const organization = testOrganization({ caps: [cap], enforceKeyCaps: true });

function context() {
  const clock = { wallMs: () => 1_000, monotonicMs: () => 0 };
  const standings = testStandings();
  const guards = testGuards({ clock });
  const callOf = (of = key): GuardedCall =>
    ({ held: { key: of, organization, standing: standings.of(unspentAnswer(of, organization, 1_000)) }, estimate: 1, runCall: null,
      unmetered: null, taken: null, labels: [] });
  return { guards, callOf };
}

test('a rotated key\'s former and present form spend from one cap and one rate limit', () => {
  const { guards, callOf } = context();
  const [former, present] = [callOf(), callOf()];
  assert.equal(guards.decide(former), null);
  guards.take(former);
  guards.settle(former, endedRecord({ cost: dollars(1), startedAtMs: 1_000 }));
  assert.equal(guards.decide(present)?.kind, 'cap_reached');
  assert.equal(present.held.standing.rate, former.held.standing.rate);
});

test('a key that comes back while a call of it is under way knows what that call spends', () => {
  const { guards, callOf } = context();
  const underWay = callOf();
  guards.take(underWay);
  const back = callOf();
  guards.settle(underWay, endedRecord({ cost: dollars(1), startedAtMs: 1_000 }));
  assert.equal(guards.decide(back)?.kind, 'cap_reached');
});

test('answers without usage stay counted for a person whose key is revoked and replaced (rule 6c)', () => {
  const { guards, callOf } = context();
  const untold = endedRecord({ usage: 'unknown', usageReason: 'absent', outcome: 'completed', startedAtMs: 1_000 });
  const person = 'per_a' as PersonId;
  for (let made = 0; made < untoldCallsMax; made += 1) {
    const call = callOf({ ...key, id: `key_${made}` as ServiceKeyId, person });
    assert.ok(!guards.isUntold(call.held));
    guards.take(call);
    guards.settle(call, untold);
  }
  assert.ok(guards.isUntold(callOf({ ...key, id: 'key_new' as ServiceKeyId, person }).held));
  assert.ok(!guards.isUntold(callOf().held), 'a key of nobody has a count of its own');
});

test('another key of the organization has a separate standing', () => {
  const { callOf } = context();
  const [one, other] = [callOf(), callOf({ ...key, id: 'key_other' as ServiceKeyId })];
  assert.notEqual(one.held.standing, other.held.standing);
  assert.equal(one.held.standing.organization, other.held.standing.organization);
});
