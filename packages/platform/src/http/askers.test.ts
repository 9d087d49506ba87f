/** As whom requests have their turns. Decision 278. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asOrganization, createAskers as createAskersAt } from './askers.ts';

const createAskers = () => createAskersAt('https://platform.test');
const token = { authorization: 'Bearer svc_mgmt_1', cookie: 'another' };
const session = (value: string, more = '') => ({ cookie: `__Host-metergate_session=${value}${more}` });
const stranger = (address: string) => ({ group: 'strangers', name: `address ${address}` });

test('a request is a stranger from its address until its credential was found to be of an organization', () => {
  const askers = createAskers();
  assert.deepEqual(askers.of(token, '192.0.2.1'), stranger('192.0.2.1'));
  askers.learn(token, asOrganization('org_one'));
  assert.equal(askers.of(token, '192.0.2.1'), asOrganization('org_one'));
  assert.equal(askers.of({ authorization: token.authorization }, '192.0.2.9'), asOrganization('org_one'), 'a cookie beside a token plays no part');
  assert.deepEqual(askers.of({ cookie: 'another' }, '192.0.2.9'), stranger('192.0.2.9'));
  assert.deepEqual(askers.of({}, '2001:db8::1'), askers.of({}, '2001:db8::2'), 'one network is one asker');
});

test('the credentials of an organization are one asker, however many it has', () => {
  const askers = createAskers();
  const tokens = Array.from({ length: 50 }, (_, at) => ({ authorization: `Bearer ${at}` }));
  for (const each of tokens) askers.learn(each, asOrganization('org_many'));
  assert.deepEqual([...new Set(tokens.map((each) => askers.of(each, '192.0.2.1')))], [asOrganization('org_many')]);
});

test('what stands beside a credential plays no part, nor how it is written', () => {
  const askers = createAskers();
  askers.learn(session('a.b%3D', '; seen=1'), asOrganization('org_one'));
  askers.learn(token, asOrganization('org_one'));
  for (const each of [
    session('a.b%3D'), session('a.b%3D', '; seen=2'), { cookie: 'seen=3; __Host-metergate_session=a.b%3D' }, session('%61.b='),
    { authorization: 'bearer   svc_mgmt_1' },
  ]) assert.equal(askers.of(each, '192.0.2.1'), asOrganization('org_one'), JSON.stringify(each));
  for (const each of [{ cookie: 'seen=1' }, session('a.c'), { authorization: 'Basic svc_mgmt_1' }, { authorization: 'Bearer ' }]) {
    askers.learn({ cookie: 'seen=1' }, asOrganization('org_one'));
    assert.deepEqual(askers.of(each, '192.0.2.1'), stranger('192.0.2.1'), JSON.stringify(each));
  }
});

test('so many credentials are remembered; the one found the longest ago is forgotten', () => {
  const askers = createAskers();
  askers.learn(session('first'), asOrganization('org_one'));
  askers.learn(session('second'), asOrganization('org_one'));
  askers.learn(session('first'), asOrganization('org_one'));
  for (let at = 0; at < 4_095; at += 1) askers.learn(session(`c${at}`), asOrganization('org_one'));
  assert.equal(askers.of(session('first'), '192.0.2.1'), asOrganization('org_one'));
  assert.deepEqual(askers.of(session('second'), '192.0.2.1'), stranger('192.0.2.1'));
});

test('an organization with ever more credentials has its own forgotten, not those of others', () => {
  const askers = createAskers();
  const others = Array.from({ length: 500 }, (_, at) => session(`other${at}`));
  for (const [at, each] of others.entries()) askers.learn(each, asOrganization(`org_${at % 100}`));
  for (let at = 0; at < 10_000; at += 1) askers.learn(session(`many${at}`), asOrganization('org_many'));
  for (const [at, each] of others.entries()) assert.equal(askers.of(each, '192.0.2.1'), asOrganization(`org_${at % 100}`));
  assert.deepEqual(askers.of(session('many0'), '192.0.2.1'), stranger('192.0.2.1'));
  assert.equal(askers.of(session('many9999'), '192.0.2.1'), asOrganization('org_many'));
});

test('a credential that is refused is a stranger\'s again', () => {
  const askers = createAskers();
  askers.learn(token, asOrganization('org_one'));
  askers.unlearn(token);
  askers.unlearn({});
  assert.deepEqual(askers.of(token, '192.0.2.1'), stranger('192.0.2.1'));
});

test('a session that is of another organization now counts as that', () => {
  const askers = createAskers();
  askers.learn(session('one'), asOrganization('org_one'));
  askers.learn(session('one'), asOrganization('org_two'));
  assert.equal(askers.of(session('one'), '192.0.2.1'), asOrganization('org_two'));
});
