/** Entries of refusals on their way: bounded by key, organization and altogether, whoever floods. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestIdFrom, type OrganizationId, type ServiceKeyId } from '../id.ts';
import { RefusalEntries, type RefusalEntry } from './refusal-entries.ts';

let made = 0;
const entry = (organization: string, key: string): RefusalEntry => {
  const id = requestIdFrom((made += 1).toString(16).padStart(32, '0'));
  return {
    organization: organization as OrganizationId, key: key as ServiceKeyId, id, answerId: id, run: null, refusedAtMs: made,
    code: 'budget_exceeded', scope: 'key', window: 'day',
  };
};

test('a flood of one key leaves room for other keys, one of an organization for others, and all together are bounded', () => {
  const entries = new RefusalEntries({ ofKey: 2, ofOrganization: 5, all: 8 });
  const flood = (organization: string, key: string): number => Array.from({ length: 50 }, () => entries.add(entry(organization, key)))
    .filter((kept) => kept).length;
  assert.deepEqual([flood('org_a', 'key_1'), flood('org_a', 'key_2'), flood('org_a', 'key_3'), flood('org_a', 'key_4')], [2, 2, 1, 0]);
  assert.equal(entries.add(entry('org_b', 'key_5')), true, 'another organization');
  assert.deepEqual([flood('org_b', 'key_6'), flood('org_c', 'key_7')], [2, 0]);
  assert.equal(entries.taken().length, 8);
});

test('the first ones stay, in their order; once taken there is room again', () => {
  const entries = new RefusalEntries({ ofKey: 2, ofOrganization: 2, all: 2 });
  const [first, second, third] = [entry('org_a', 'key_1'), entry('org_a', 'key_1'), entry('org_a', 'key_1')];
  assert.deepEqual([entries.add(first!), entries.add(second!), entries.add(third!)], [true, true, false]);
  assert.deepEqual(entries.taken(), [first, second]);
  assert.deepEqual(entries.taken(), []);
  assert.equal(entries.add(third!), true);
  assert.deepEqual(entries.taken(), [third]);
});
