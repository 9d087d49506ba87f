/** Which texts of a claim give a role, for which organization, and which of several counts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roleEntriesMax, roleEntriesOf } from './provided-roles.ts';

test('a role by itself is for the only organization, one behind a colon for the organization before it', () => {
  assert.deepEqual(roleEntriesOf('admin'), [{ organization: null, role: 'admin' }]);
  assert.deepEqual(roleEntriesOf(['staff', 'acme:viewer', 'org_1:owner']), [
    { organization: 'acme', role: 'viewer' }, { organization: 'org_1', role: 'owner' },
  ]);
});

test('the last colon parts, so a name may hold one', () => {
  assert.deepEqual(roleEntriesOf('team: one:member'), [{ organization: 'team: one', role: 'member' }]);
});

test('of several roles for one organization the strongest counts, in any order', () => {
  for (const claim of [['viewer', 'owner', 'member'], ['owner', 'viewer'], ['member', 'owner']]) {
    assert.deepEqual(roleEntriesOf(claim), [{ organization: null, role: 'owner' }]);
  }
  assert.deepEqual(roleEntriesOf(['a:viewer', 'a:member', 'b:viewer']), [
    { organization: 'a', role: 'member' }, { organization: 'b', role: 'viewer' },
  ]);
});

test('anything else gives nothing: another word, another case, no text, an organization without a name', () => {
  for (const claim of [
    undefined, null, 7, {}, [], '', 'Admin', 'admins', ' admin', 'admin ', ':admin', 'acme:', 'acme:root', 'admin,owner',
    [['admin']], { role: 'admin' },
    `${'x'.repeat(400)}:owner`,
  ]) {
    assert.deepEqual(roleEntriesOf(claim), [], JSON.stringify(claim));
  }
});

test('a claim without end is looked at whole and gives a bounded number of organizations', () => {
  const many = Array.from({ length: 5_000 }, (_, index) => `org ${index}:viewer`);
  const found = roleEntriesOf([...many, 'org 0:owner']);
  assert.equal(found.length, roleEntriesMax);
  assert.deepEqual(found[0], { organization: 'org 0', role: 'owner' });
});
