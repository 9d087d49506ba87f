/**
 * Caps of people and of labels from outside: they refuse as other caps do, before anything leaves, and count all that their calls cost, whichever
 * key sends them, whatever was spent before the cap, settled or corrected later, and through a kill of the process. Decision 161.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rotateServiceKey, createServiceKey } from '@metergate/platform/use-cases/service-keys.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { assertRefusal, bearer } from '../running-product.ts';
import { limitHeaders, sharedProduct, type Tenant } from './tenant.ts';

const product = sharedProduct();
const refused = { status: 402, code: 'budget_exceeded', type: 'insufficient_quota' };
const labelled = (...labels: string[]) => ({ headers: [['x-svc-tags', labels.join(',')]] as const });
const contacted = (): number => product.system.openai.requests.length;
let members = 0;

async function member(tenant: Tenant): Promise<string> {
  const email = `p${members += 1}@people.example`;
  const made = await product.store.members.create({ organization: tenant.id as never, email, passwordHash: 'none', role: 'member' });
  assert.ok(!('refused' in made));
  return email;
}

async function keyOf(tenant: Tenant, person: string): Promise<{ readonly id: string; readonly key: string }> {
  const made = await createServiceKey(product.context(), { organization: tenant.id, person });
  assert.ok(!isRefusal(made));
  return made;
}

async function spentOf(tenant: Tenant, spent: string): Promise<void> {
  let shown = '';
  await eventually(async () => {
    const caps = await tenant.caps();
    shown = caps.map((cap) => `${cap.scope} ${cap.spent}`).join();
    return caps.every((cap) => cap.spent === spent);
  }, () => `${shown}, awaited ${spent}`);
}

test('a person\'s cap binds all their keys, also a rotated one, and no other; it says what it is, and names nobody', async () => {
  const tenant = await product.tenant();
  const person = await member(tenant);
  const [one, two] = [await keyOf(tenant, person), await keyOf(tenant, person)];
  assert.equal((await tenant.call(2, { key: one.key })).status, 200);
  await tenant.cap({ scope: 'person', person, window: 'month', limit: '5' });
  for (const each of [one, two]) await tenant.until((answer) => limitHeaders(answer).scope === 'person', each);
  assert.equal((await tenant.call(3, { key: two.key })).status, 200);
  // The call before the cap is counted once it is shipped.
  await tenant.until(({ status }) => status === 402, one);
  const before = contacted();
  for (const { key } of [one, two]) {
    const answer = await tenant.call(0, { key });
    assertRefusal(answer, {
      ...refused, message: 'Monthly budget reached for the person of this API key. Traffic resumes at reset, or raise the cap.' });
    assert.deepEqual([limitHeaders(answer).scope, limitHeaders(answer).window], ['person', 'month']);
    assert.ok(!answer.head.toString().includes(person) && !answer.body.toString().includes(person));
  }
  const third = await keyOf(tenant, person);
  await tenant.until(({ status }) => status === 402, third);
  const rotated = await rotateServiceKey(product.context(), { id: one.id as never, within: null }, 0);
  assert.ok(!isRefusal(rotated));
  await tenant.until(({ status }) => status === 402, rotated);
  assert.equal(contacted(), before);
  assert.equal((await tenant.call(1)).status, 200, 'a key of nobody in particular is not bound');
  const own = await rawCall(product.system.platformUrl, { method: 'GET', target: '/platform/v1/self', headers: [bearer(two.key)] });
  const { caps } = JSON.parse(own.body.toString()) as { caps: { scope: string; spent: string; headroom: string }[] };
  assert.deepEqual(caps.map(({ scope, spent, headroom }) => [scope, spent, headroom]), [['person', '5.000000000', '0.000000000']]);
  await spentOf(tenant, '5.000000000');
});

test('a label\'s cap binds the calls that have it, however the label is written, and names it', async () => {
  const tenant = await product.tenant();
  const names = [
    ['team:search', 'label:team:search', 'for the label "team:search"'],
    ['100% équipe 🦊', 'label:100%25 %C3%A9quipe %F0%9F%A6%8A', 'for the label of this request'],
    ['__proto__', 'label:__proto__', 'for the label "__proto__"'],
  ] as const;
  for (const [label, scope, whose] of names) {
    const sent = labelled('other', Buffer.from(label).toString('latin1'), 'more', Buffer.from(label).toString('latin1'));
    assert.equal((await tenant.call(1, sent)).status, 200);
    const id = await tenant.cap({ scope: 'label', label, window: 'lifetime', limit: '3' });
    await tenant.until((answer) => limitHeaders(answer).scope === scope, sent);
    assert.equal((await tenant.call(2, sent)).status, 200);
    // The call before the cap is counted once it is shipped.
    await tenant.until(({ status }) => status === 402, sent);
    const before = contacted();
    const answer = await tenant.call(0, sent);
    assertRefusal(answer, { ...refused, message: `Lifetime budget reached ${whose}. This budget does not reset; raise the cap to continue.` });
    assert.equal(limitHeaders(answer).scope, scope);
    assert.equal(contacted(), before);
    assert.equal((await tenant.call(0)).status, 200);
    assert.equal((await tenant.call(0, labelled('teAm:search', 'team:searc', 'team', 'x'.repeat(4_096)))).status, 200);
    await spentOf(tenant, '3.000000000');
    assert.deepEqual((await tenant.caps()).map((cap) => [cap.id, cap.label, cap.person]), [[id, label, null]]);
    await tenant.removeCap(id);
    await tenant.until(({ status }) => status === 200, sent);
  }
});

test('of several reached caps the organization goes first, then key, person and label; the tightest is named while none is reached', async () => {
  const tenant = await product.tenant({ enforceKeyCaps: true });
  const person = await member(tenant);
  const own = await keyOf(tenant, person);
  const as = { key: own.key, ...labelled('a', 'b') };
  await tenant.call(0, as);
  const ids = new Map<string, string>();
  for (const [scope, subject] of [['label', { label: 'b' }], ['person', { person }], ['key', { key: own.id }], ['organization', {}]] as const) {
    ids.set(scope, await tenant.cap({ scope, ...subject, window: 'year', limit: '0' }));
    await tenant.until((answer) => answer.status === 402 && limitHeaders(answer).scope === (scope === 'label' ? 'label:b' : scope), as);
  }
  for (const scope of ['organization', 'key', 'person']) await tenant.removeCap(ids.get(scope)!);
  await tenant.cap({ scope: 'label', label: 'a', window: 'day', limit: '100' });
  await tenant.cap({ scope: 'label', label: 'b', window: 'year', limit: '200' });
  await tenant.cap({ scope: 'person', person, window: 'day', limit: '300' });
  // The last cap is in force last.
  await tenant.until((answer) => answer.status === 200 && limitHeaders(answer).scope === 'person', { key: own.key });
  assert.equal(limitHeaders(await tenant.call(0, as)).scope, 'label:a');
});

test('what calls in flight cost counts when a cap comes meanwhile, and a killed process loses nothing of it', async () => {
  const tenant = await product.tenant();
  const person = await member(tenant);
  const own = await keyOf(tenant, person);
  const as = { key: own.key, ...labelled('team') };
  assert.equal((await tenant.call(1, as)).status, 200);
  const flood = Promise.all(Array.from({ length: 40 }, async (_, at) => {
    for (let round = 0; round < 5; round += 1) assert.equal((await tenant.call(at % 3, as)).status, 200);
  }));
  await tenant.cap({ scope: 'label', label: 'team', window: 'day', limit: '100000' });
  await tenant.cap({ scope: 'person', person, window: 'lifetime', limit: '100000' });
  await flood;
  const total = 1 + 5 * Array.from({ length: 40 }, (_, at) => at % 3).reduce((sum, cost) => sum + cost, 0);
  await spentOf(tenant, `${total}.000000000`);
  await tenant.cap({ scope: 'label', label: 'team', window: 'day', limit: String(total + 2) });
  await tenant.cap({ scope: 'person', person, window: 'lifetime', limit: String(total + 4) });
  await tenant.until((answer) => limitHeaders(answer).scope === 'label:team', as);
  await product.system.kill9();
  product.system = await product.system.restart();
  assert.equal((await tenant.call(1, as)).status, 200);
  assert.equal((await tenant.call(1, as)).status, 200, 'one dollar is left');
  assert.equal((await tenant.call(0, as)).status, 402, 'none is left of the label');
  assert.equal((await tenant.call(2, { key: own.key })).status, 200, 'two are left of the person');
  assert.equal((await tenant.call(0, { key: own.key })).status, 402);
});

test('corrected costs count for the person and the labels of the calls, in the running node', async () => {
  const tenant = await product.tenant();
  const person = await member(tenant);
  const own = await keyOf(tenant, person);
  const as = { key: own.key, ...labelled('a', 'b') };
  await tenant.cap({ scope: 'person', person, window: 'lifetime', limit: '10' });
  await tenant.cap({ scope: 'label', label: 'b', window: 'lifetime', limit: '10' });
  assert.equal((await tenant.call(4, as)).status, 200);
  await spentOf(tenant, '4.000000000');
  const reprice = async (dollars: number): Promise<void> => {
    const file = join(product.system.dataDirectory, `prices-${dollars}.json`);
    writeFileSync(file, JSON.stringify({ prices: [{ provider: 'openai', model: 'metered', input: `${dollars}000000`, output: '0' }] }));
    const month = new Date().toISOString().slice(0, 7);
    const ran = await product.system.cli(['reprice', '--month', month, '--org', tenant.id, '--prices', file, '--caps', '--json']);
    assert.equal(ran.code, 0, ran.stderr);
  };
  await reprice(3);
  await spentOf(tenant, '12.000000000');
  await tenant.until(({ status }) => status === 402, { key: own.key });
  await tenant.until(({ status }) => status === 402, labelled('b'));
  await reprice(2);
  await tenant.until(({ status }) => status === 200, as);
  assert.equal((await tenant.call(2, as)).status, 200);
  assert.equal((await tenant.call(0, { key: own.key })).status, 402);
  assert.equal((await tenant.call(0, labelled('b'))).status, 402);
  assert.equal((await tenant.call(0, labelled('a'))).status, 200);
});
