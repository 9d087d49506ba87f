/** As whom requests have their turns. Decision 278. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asOrganization, createAskers } from './askers.ts';

const token = { authorization: 'Bearer svc_mgmt_1', cookie: 'another' };

test('a request is its address until its credential was found to be of an organization', () => {
  const askers = createAskers();
  assert.equal(askers.of(token, '192.0.2.1'), 'address 192.0.2.1');
  askers.learn(token, asOrganization('org_one'));
  assert.equal(askers.of(token, '192.0.2.1'), asOrganization('org_one'));
  assert.equal(askers.of({ authorization: token.authorization }, '192.0.2.9'), asOrganization('org_one'), 'a cookie beside a token plays no part');
  assert.equal(askers.of({ cookie: 'another' }, '192.0.2.9'), 'address 192.0.2.9');
  assert.equal(askers.of({}, '2001:db8::1'), askers.of({}, '2001:db8::2'), 'one network is one asker');
});

test('the credentials of an organization are one asker, however many it has', () => {
  const askers = createAskers();
  const tokens = Array.from({ length: 50 }, (_, at) => ({ authorization: `Bearer ${at}` }));
  for (const each of tokens) askers.learn(each, asOrganization('org_many'));
  assert.deepEqual([...new Set(tokens.map((each) => askers.of(each, '192.0.2.1')))], [asOrganization('org_many')]);
});

test('so many credentials are remembered; the one found the longest ago is forgotten', () => {
  const askers = createAskers();
  askers.learn({ cookie: 'first' }, asOrganization('org_one'));
  askers.learn({ cookie: 'second' }, asOrganization('org_one'));
  askers.learn({ cookie: 'first' }, asOrganization('org_one'));
  for (let at = 0; at < 4_095; at += 1) askers.learn({ cookie: `c${at}` }, asOrganization('org_one'));
  assert.equal(askers.of({ cookie: 'first' }, '192.0.2.1'), asOrganization('org_one'));
  assert.equal(askers.of({ cookie: 'second' }, '192.0.2.1'), 'address 192.0.2.1');
});
