/**
 * Throughput limits from outside (spec: Limits): the worked arithmetic of the Free tier on the running product, on the real clock, so
 * that refills during the test are included; and the row of the 429 table to the letter.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { gate } from '@metergate/testkit/scripted-provider.ts';
import { assertRefusal } from '../running-product.ts';
import { limitHeaders, metered, meteredAnswer, noLimitHeaders, sharedProduct, type Tenant } from './tenant.ts';

const product = sharedProduct();
const limited = { status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error', message: 'Rate limit reached for this workspace.' };

/** A body of that many bytes that asks for that many tokens. */
function bodyOf(bytes: number, tokens: number): string {
  const body = metered(tokens);
  return body.slice(0, -1) + ' '.repeat(bytes - body.length) + '}';
}

/** Calls until one is refused; gives how many passed, and the refusal. */
async function drained(tenant: Tenant, key?: string): Promise<{ passed: number; refusal: Awaited<ReturnType<Tenant['call']>> }> {
  for (let passed = 0; passed < 10_000; passed += 1) {
    const answer = await tenant.call(0, key === undefined ? {} : { key });
    if (answer.status !== 200) return { passed, refusal: answer };
  }
  return assert.fail('nothing was refused');
}

/** Whole requests that refill at `perMinute` since then, and one for a partly refilled one. */
function refilled(sinceMs: number, perMinute: number): number {
  return Math.ceil(((performance.now() - sinceMs) / 60_000) * perMinute) + 1;
}

test('Free holds 200 requests: starting full, the 201st is refused to the letter, and refilled ones are admitted again', async () => {
  const tenant = await product.tenant({ plan: 'free' });
  const startedMs = performance.now();
  const before = product.system.openai.requests.length;
  const { passed, refusal } = await drained(tenant);
  assert.ok(passed >= 200 && passed <= 200 + refilled(startedMs, 100), `${passed} passed`);
  assertRefusal(refusal, limited);
  const { retryAfter, ...none } = limitHeaders(refusal);
  assert.deepEqual({ ...none, retryAfter: null }, noLimitHeaders);
  assert.equal(retryAfter, '1');
  assert.equal(product.system.openai.requests.length - before, passed, 'a refused call is not forwarded');
  await tenant.until((answer) => answer.status === 200);
  const records = await recordsOf(tenant, passed + 1);
  assert.equal(records, passed + 1, 'a refused call is not recorded');
});

/** How many calls of a tenant the store holds, once it holds at least `count`. */
async function recordsOf(tenant: Tenant, count: number): Promise<number> {
  return eventually(async () => {
    const { length } = await keptCalls(product.store, tenant.id as never);
    return length >= count && length;
  }, () => `not ${count} records`);
}

test('the workspace binds across its keys', async () => {
  const tenant = await product.tenant({ plan: 'free' });
  const other = await tenant.newKey();
  const startedMs = performance.now();
  for (let call = 0; call < 120; call += 1) assert.equal((await tenant.call()).status, 200);
  const { passed } = await drained(tenant, other.key);
  assert.ok(passed >= 80 && passed <= 80 + refilled(startedMs, 100), `${passed} passed on the other key`);
});

test('tokens: an estimate that does not fit is refused, and fits once a smaller figure is reported', async () => {
  const tenant = await product.tenant({ plan: 'free' });
  const answered = gate();
  product.system.openai.respond(async (request) => {
    await answered.opened;
    return meteredAnswer(request);
  });
  const received = product.system.openai.nextRequest();
  const first = tenant.call(bodyOf(1_200_000, 50_000));
  await received;
  const second = await tenant.call(bodyOf(600_000, 0));
  assertRefusal(second, limited);
  const seconds = Number(limitHeaders(second).retryAfter);
  assert.ok(seconds >= 1 && seconds <= 15, `50,000 tokens are missing, 3,333 come back a second: ${seconds}`);
  answered.open();
  assert.equal((await first).status, 200);
  product.system.openai.respond(meteredAnswer);
  assert.equal((await tenant.call(bodyOf(600_000, 0))).status, 200);
});

test('a body larger than the bucket is never admitted, and still gets a wait, before any of it is read', async () => {
  const tenant = await product.tenant({ plan: 'free' });
  const answer = await tenant.call(bodyOf(1_600_004, 0));
  assertRefusal(answer, limited);
  const { retryAfter } = limitHeaders(answer);
  assert.ok(Number(retryAfter) >= 1 && Number(retryAfter) <= 60);
  assert.equal((await tenant.call(bodyOf(1_600_000, 0))).status, 200, 'the largest body of the plan passes from full');
});

test('a failed call is credited in full; a call answered without usage keeps its estimate', async () => {
  const tenant = await product.tenant({ plan: 'free' });
  product.system.openai.respond({ status: 500, body: '{}' });
  for (let call = 0; call < 3; call += 1) assert.equal((await tenant.call(bodyOf(1_200_000, 0))).status, 500);
  product.system.openai.respond({ headers: [['content-type', 'application/json']], body: '{"model":"metered","choices":[]}' });
  assert.equal((await tenant.call(bodyOf(1_200_000, 0))).status, 200);
  assertRefusal(await tenant.call(bodyOf(1_200_000, 0)), limited);
  product.system.openai.respond(meteredAnswer);
});

test('a new plan takes effect within a second and keeps what was consumed', async () => {
  const tenant = await product.tenant({ plan: 'free' });
  await drained(tenant);
  await tenant.set({ plan: 'team' });
  const startedMs = performance.now();
  // Until the plan takes effect, a request sometimes refills on the old one: such a run of calls ends at once and measures nothing.
  let passed = 0;
  while (passed < 900 && performance.now() - startedMs < 60_000) ({ passed } = await drained(tenant));
  assert.ok(passed >= 900 && passed <= 1_000 + refilled(startedMs, 600), `of 1,200 some 200 were consumed: ${passed}`);
});
