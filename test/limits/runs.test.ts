/**
 * Runs from outside (spec: Run, Errors 400 and 402; rules 12 to 15): made by the first admitted request, tightened and
 * never widened, ended for good; every refusal is to the letter and forwards and records nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeRun, mintGrant, showRun } from '@metergate/platform/use-cases/runs.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { assertRefusal } from '../running-product.ts';
import { limitHeaders, noLimitHeaders, sharedProduct, type Tenant } from './tenant.ts';

const product = sharedProduct();
const overBudget = {
  status: 402, code: 'budget_exceeded', type: 'insufficient_quota',
  message: 'Run budget reached. This run is stopped for good; start a new run to continue.',
};
const expired = {
  status: 402, code: 'run_expired', type: 'insufficient_quota', message: "This run's time limit has passed. Start a new run to continue.",
};
const closed = { status: 402, code: 'run_closed', type: 'insufficient_quota', message: 'This run was closed. Start a new run to continue.' };

interface RunHeaders {
  readonly budget?: string;
  readonly ttl?: string;
  readonly grant?: string;
}

function run(id: string, { budget, ttl, grant }: RunHeaders = {}): { headers: HeaderPair[] } {
  const headers: HeaderPair[] = [['x-svc-run-id', id]];
  if (budget !== undefined) headers.push(['x-svc-run-budget', budget]);
  if (ttl !== undefined) headers.push(['x-svc-run-ttl', ttl]);
  if (grant !== undefined) headers.push(['x-svc-run-grant', grant]);
  return { headers };
}

async function show(tenant: Tenant, id: string) {
  const shown = await showRun(product.context(), { organization: tenant.id, run: id });
  assert.ok('state' in shown, JSON.stringify(shown));
  return shown;
}

/** The run as the store shows it, once it is as expected. */
async function shownAs(tenant: Tenant, id: string, wanted: { readonly state?: string; readonly spent?: string }) {
  let last = '';
  return eventually(async () => {
    const shown = await show(tenant, id);
    last = JSON.stringify(shown);
    return Object.entries(wanted).every(([name, value]) => shown[name as 'state'] === value) && shown;
  }, () => last);
}

test('a run is made by its first request, shows its budget on every 200, and stops for good when that is spent', async () => {
  const tenant = await product.tenant();
  const first = await tenant.call(2, run('r', { budget: '5.00' }));
  assert.deepEqual(limitHeaders(first), { ...noLimitHeaders, scope: 'run', window: 'run', effective: '5.000000' });
  assert.equal((await tenant.call(3, run('r'))).status, 200);
  const before = product.system.openai.requests.length;
  for (let again = 0; again < 3; again += 1) {
    const refusal = await tenant.call(1, run('r', { budget: '100' }));
    assertRefusal(refusal, overBudget);
    assert.deepEqual(limitHeaders(refusal), { ...noLimitHeaders, scope: 'run', window: 'run' });
  }
  assert.equal(product.system.openai.requests.length, before);
  const shown = await shownAs(tenant, 'r', { state: 'over_budget', spent: '5.000000000' });
  assert.deepEqual([shown.budget, shown.effective, shown.clampReason, shown.unknownCalls], ['5.000000000', '5.000000000', null, 0]);
});

test('right after its first call a key sees its run, and no other key does; what is left follows', async () => {
  const tenant = await product.tenant();
  assert.equal((await tenant.call(2, run('own', { budget: '5.00' }))).status, 200);
  const asked = async (key: string) => {
    const answer = await fetch(`${product.system.platformUrl}/platform/v1/self/runs/own`, { headers: { authorization: `Bearer ${key}` } });
    return [answer.status, await answer.json() as { readonly headroom?: string }] as const;
  };
  const [status, shown] = await asked(tenant.key);
  assert.equal(status, 200, JSON.stringify(shown));
  assert.equal((await asked((await product.tenant()).key))[0], 404);
  await shownAs(tenant, 'own', { spent: '2.000000000' });
  assert.equal((await asked(tenant.key))[1].headroom, '3.000000000');
});

test('a smaller budget tightens, a larger one and any time limit are ignored, a first one on a later request binds', async () => {
  const tenant = await product.tenant();
  const effective = async (headers: RunHeaders) => limitHeaders(await tenant.call(0, run('r', headers))).effective;
  assert.equal(await effective({}), null);
  assert.equal(await effective({ budget: '9' }), '9.000000');
  assert.equal(await effective({ budget: '10' }), '9.000000');
  assert.equal(await effective({ budget: '0.000001', ttl: '1' }), '0.000001');
  assert.equal((await tenant.call(1, run('r', { budget: '4' }))).status, 200);
  assertRefusal(await tenant.call(1, run('r')), overBudget);
  assert.equal((await show(tenant, 'r')).expiresAt, null);
});

test('a run past its time limit is refused, and the limit is fixed by the first request', async () => {
  const tenant = await product.tenant();
  assert.equal((await tenant.call(0, run('r', { ttl: '1' }))).status, 200);
  const answer = await tenant.until((each) => each.status === 402, run('r', { ttl: '3600' }));
  assertRefusal(answer, expired);
  assert.deepEqual(limitHeaders(answer), noLimitHeaders);
  await shownAs(tenant, 'r', { state: 'expired' });
});

test('a closed run is refused within a second, and its id stays closed for good', async () => {
  const tenant = await product.tenant();
  assert.equal((await tenant.call(0, run('r'))).status, 200);
  await closeRun(product.context(), { organization: tenant.id, run: 'r' });
  const answer = await tenant.until((each) => each.status === 402, run('r'));
  assertRefusal(answer, closed);
  assert.deepEqual(limitHeaders(answer), noLimitHeaders);
  assert.equal((await tenant.call(0, run('r2'))).status, 200);
});

test('policy bounds a budget, names why, and says so on every 200 while the clamp holds', async () => {
  const tenant = await product.tenant({ maxRunBudget: '10', runCeiling: '20' });
  const clamped = limitHeaders(await tenant.call(0, run('a', { budget: '50' })));
  assert.deepEqual([clamped.effective, clamped.clamp], ['10.000000', 'policy_max']);
  assert.equal(limitHeaders(await tenant.call(0, run('a'))).clamp, 'policy_max');
  const tightened = limitHeaders(await tenant.call(0, run('a', { budget: '4' })));
  assert.deepEqual([tightened.effective, tightened.clamp], ['4.000000', null]);
  const undeclared = limitHeaders(await tenant.call(0, run('b')));
  assert.deepEqual([undeclared.effective, undeclared.clamp], ['10.000000', null]);
  const own = await tenant.newKey({ maxRunBudget: '15' });
  const byKey = limitHeaders(await tenant.call(0, { ...run('c', { budget: '50' }), key: own.key }));
  assert.deepEqual([byKey.effective, byKey.clamp], ['15.000000', 'policy_max']);
  const zero = await tenant.newKey({ maxRunBudget: '0' });
  assertRefusal(await tenant.call(0, { ...run('d', { budget: '1' }), key: zero.key }), {
    status: 402, code: 'run_envelope_zero', type: 'insufficient_quota',
    message: 'The run budget resolved to zero. Raise the run budget policy for this key or workspace.',
  });
});

test('a grant raises the budget up to its maximum and the ceiling, only for its organization and run', async () => {
  const tenant = await product.tenant({ maxRunBudget: '10', runCeiling: '100' });
  const mint = async (organization: string, id: string, max: string): Promise<string> => {
    const minted = await mintGrant(product.context(), { organization, run: id, max, lifetimeMs: 3_600_000 });
    assert.ok('grant' in minted, JSON.stringify(minted));
    return minted.grant;
  };
  const grant = await mint(tenant.id, 'g', '50');
  await tenant.until((answer) => answer.status === 200, run('g', { budget: '60', grant }));
  const granted = limitHeaders(await tenant.call(0, run('g', { grant })));
  assert.deepEqual([granted.effective, granted.clamp], ['50.000000', 'grant_max']);
  const above = await mint(tenant.id, 'h', '500');
  const ceiling = limitHeaders(await tenant.call(0, run('h', { budget: '600', grant: above })));
  assert.deepEqual([ceiling.effective, ceiling.clamp], ['100.000000', 'workspace_ceiling']);
  const other = await product.tenant();
  const wrong = [
    run('other', { grant }), run('g', { grant: `${grant}A` }), run('g', { grant: grant.slice(0, -1) }), run('g', { grant: '' }),
    run('g', { grant: grant.replace('rbg1', 'rbg2') }), run('g', { grant: await mint(other.id, 'g', '50') }),
  ];
  for (const each of wrong) {
    assertRefusal(await tenant.call(0, each), {
      status: 400, code: 'invalid_run_grant', type: 'invalid_request_error',
      message: 'x-svc-run-grant did not verify. Mint a new run-budget grant for this workspace and run.',
    });
  }
});

test('live runs share the exposure: what is left clamps a new run, if nothing is left it is refused, and an ended run gives back', async () => {
  const tenant = await product.tenant({ runExposure: '10' });
  assert.equal(limitHeaders(await tenant.call(0, run('a', { budget: '6' }))).effective, '6.000000');
  const rest = limitHeaders(await tenant.call(0, run('b', { budget: '6' })));
  assert.deepEqual([rest.effective, rest.clamp], ['4.000000', 'exposure_headroom']);
  assertRefusal(await tenant.call(0, run('c', { budget: '6' })), {
    status: 402, code: 'run_exposure_exhausted', type: 'insufficient_quota',
    message: 'This workspace has no concurrent run budget left. Close a finished run, or wait for one to end.',
  });
  await closeRun(product.context(), { organization: tenant.id, run: 'a' });
  await tenant.until((answer) => answer.status === 200, run('c', { budget: '6' }));
});

test('what a call spent of the exposure is free for the next run as soon as its answer has ended', async () => {
  const tenant = await product.tenant({ runExposure: '10' });
  for (let at = 0; at < 15; at += 1) {
    const { status, ...answer } = await tenant.call(10, run(`spent ${at}`.replace(' ', '-'), { budget: '10' }));
    assert.deepEqual([status, limitHeaders({ status, ...answer }).clamp], [200, null], `run ${at}`);
  }
});

test('a closed run admits nothing from a second later on, and the calls that it admitted before have records', async () => {
  const tenant = await product.tenant();
  for (let at = 0; at < 5; at += 1) {
    assert.equal((await tenant.call(1, run(`closed-${at}`))).status, 200);
    await closeRun(product.context(), { organization: tenant.id, run: `closed-${at}` });
    const closedMs = performance.now();
    // By when a call was sent: when its answer is seen is up to this process too.
    await tenant.until(({ status }, sentMs) => {
      assert.ok(status === 402 || sentMs - closedMs < 1_000, `${status} for a call sent after ${sentMs - closedMs} ms`);
      return status === 402;
    }, run(`closed-${at}`));
  }
});

test('every malformed run header is refused to the letter, before destination and limits', async () => {
  const tenant = await product.tenant();
  await tenant.cap({ scope: 'organization', window: 'day', limit: '0' });
  await tenant.until((answer) => answer.status === 402);
  const type = 'invalid_request_error';
  const id = {
    status: 400, code: 'invalid_run_id', type,
    message: 'x-svc-run-id must be 1 to 128 visible ASCII characters, and is required whenever any x-svc-run-* header is sent.',
  };
  const budget = {
    status: 400, code: 'invalid_run_budget', type,
    message: 'x-svc-run-budget must be a positive decimal amount of US dollars with at most six decimal places, for example 5.00.',
  };
  const ttl = { status: 400, code: 'invalid_run_ttl', type, message: 'x-svc-run-ttl must be a positive whole number of seconds.' };
  const rows: [HeaderPair[], typeof id][] = [
    ...['', 'a b', 'é', 'x'.repeat(129)].map((value): [HeaderPair[], typeof id] => [[['x-svc-run-id', value]], id]),
    [[['x-svc-run-budget', '1']], id], [[['x-svc-run-anything', '1']], id], [[['X-SVC-RUN-TTL', '1']], id],
    [[['x-svc-run-id', 'a'], ['x-svc-run-id', 'b']], id],
    ...['0', '-1', '1e3', '.5', '5.', '1.0000001', '+1', '0x1', 'NaN', '1,0', Buffer.from('\uff11').toString('latin1'), '0.0000000', '']
      .map((value): [HeaderPair[], typeof id] => [[['x-svc-run-id', 'r'], ['x-svc-run-budget', value]], budget]),
    [[['x-svc-run-id', 'r'], ['x-svc-run-budget', '1'], ['x-svc-run-budget', '1']], budget],
    ...['0', '-1', '1.5', '1e3', '', 'abc', '+5'].map((value): [HeaderPair[], typeof id] => [[['x-svc-run-id', 'r'], ['x-svc-run-ttl', value]], ttl]),
  ];
  for (const [headers, row] of rows) assertRefusal(await tenant.call(0, { headers }), row);
  const beyondAllFigures = run('r', { budget: '9'.repeat(400), ttl: '9'.repeat(400) });
  assert.equal((await tenant.call(0, beyondAllFigures)).status, 402, 'a figure all the same: the cap speaks');
});

test('after a restart runs go on as they began, also where policy would give a new one nothing', async () => {
  const tenant = await product.tenant({ maxRunBudget: '0' });
  const minted = await mintGrant(product.context(), { organization: tenant.id, run: 'granted', max: '50', lifetimeMs: 3_600_000 });
  assert.ok('grant' in minted, JSON.stringify(minted));
  const first = run('granted', { budget: '20', grant: minted.grant });
  assert.equal(limitHeaders(await tenant.until((answer) => answer.status === 200, first)).effective, '20.000000');
  const ended = await mintGrant(product.context(), { organization: tenant.id, run: 'ended', max: '50', lifetimeMs: 3_600_000 });
  assert.ok('grant' in ended, JSON.stringify(ended));
  assert.equal((await tenant.call(0, run('ended', { grant: ended.grant }))).status, 200);
  await closeRun(product.context(), { organization: tenant.id, run: 'ended' });
  product.system = await product.system.restart();
  // A busy machine may not confirm a run in time: that is a 503, after which a caller asks again.
  const confirmed = (id: string) => tenant.until((answer) => answer.status !== 503, run(id));
  const later = await confirmed('granted');
  assert.deepEqual([later.status, limitHeaders(later).effective], [200, '20.000000'], later.body.toString());
  assertRefusal(await confirmed('ended'), closed);
  const zero = { status: 402, code: 'run_envelope_zero', type: 'insufficient_quota' };
  const message = 'The run budget resolved to zero. Raise the run budget policy for this key or workspace.';
  assertRefusal(await confirmed('new'), { ...zero, message });
});
