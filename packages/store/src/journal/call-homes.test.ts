/** Each call is found where it was put, once, also among ids with the same hash. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestIdFrom, type OrganizationId, type RequestId } from '@metergate/core/id.ts';
import { CallHomes } from './call-homes.ts';

/** Same last sixteen characters: the same number. */
const alike = ['a', 'b', 'c'].map((digit) => requestIdFrom(digit.repeat(16) + '0'.repeat(16)));
const [first, second, third] = alike as [RequestId, RequestId, RequestId];
const acme = 'org_acme' as OrganizationId;

test('a call is answered once, and one that was never put is null', () => {
  const homes = new CallHomes<string>();
  assert.equal(homes.take(first), null);
  homes.set(first, acme, 'here');
  homes.set(first, acme, 'there');
  assert.equal(homes.take(first), 'there');
  assert.equal(homes.take(first), null);
});

test('ids of the same number are distinguished, in whatever order they are removed', () => {
  for (const order of [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]) {
    const homes = new CallHomes<number>();
    alike.forEach((id, index) => homes.set(id, acme, index));
    assert.deepEqual(order.map((index) => homes.take(alike[index]!)), order);
    assert.deepEqual(alike.map((id) => homes.take(id)), [null, null, null]);
    homes.set(third, acme, 7);
    assert.equal(homes.take(second), null);
    assert.equal(homes.take(third), 7);
  }
});

test('many calls are each found', () => {
  const homes = new CallHomes<number>();
  const ids = Array.from({ length: 5_000 }, (_, index) => requestIdFrom(index.toString(16).padStart(32, '0')));
  ids.forEach((id, index) => homes.set(id, acme, index));
  assert.ok(ids.every((id, index) => homes.take(id) === index));
});

test('everything that is there is reported with its owner', () => {
  const homes = new CallHomes<number>();
  const zeta = 'org_zeta' as OrganizationId;
  homes.set(first, acme, 1);
  homes.set(second, zeta, 2);
  homes.set(third, acme, 3);
  homes.take(third);
  assert.deepEqual([...homes.calls()].map(({ id, organization }) => [id, organization]).sort(), [[first, acme], [second, zeta]]);
});
