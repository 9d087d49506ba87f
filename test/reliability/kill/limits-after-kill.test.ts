/**
 * Limits after `kill -9` (a run that was stopped, expired or closed stays so; promise 4): what callers learned before the kill holds after a
 * start on the same data, from the first call, and what is spent is the sum of the records.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { closeRun } from '@metergate/platform/use-cases/runs.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { RawAnswer } from '@metergate/testkit/raw-client.ts';
import { limitHeaders, noLimitHeaders, productForFile, type Tenant } from '../../limits/tenant.ts';

const product = productForFile();

function run(id: string, budget?: string, ttl?: string): { headers: HeaderPair[] } {
  const headers: HeaderPair[] = [['x-svc-run-id', id]];
  if (budget !== undefined) headers.push(['x-svc-run-budget', budget]);
  if (ttl !== undefined) headers.push(['x-svc-run-ttl', ttl]);
  return { headers };
}

function codeOf(answer: RawAnswer): string {
  if (answer.status === 200) return '200';
  return `${answer.status} ${(JSON.parse(answer.body.toString()) as { error: { code: string } }).error.code}`;
}

/** Starts on the same data and waits until the store has answered a first call of each of these in time, which a busy machine may delay. */
async function killAndStart(...tenants: Tenant[]): Promise<void> {
  await product.system.kill9();
  product.system = await product.system.restart();
  for (const tenant of tenants) await tenant.until((answer) => answer.status < 500);
}

/** The first call of its run after a start; repeated only if the store was late to answer about it. */
async function firstCall(call: () => Promise<RawAnswer>): Promise<RawAnswer> {
  return eventually(async () => {
    const answer = await call();
    assert.ok(answer.status < 500 || codeOf(answer) === '503 budget_unverifiable', answer.body.toString());
    return answer.status < 500 && answer;
  }, () => 'the store is late for ever');
}

/** Checks that all spend in the store equals the sum of the records, once all are there. Returns the sum, in dollars. */
async function spentOf(tenant: Tenant): Promise<number> {
  let found = '';
  return eventually(async () => {
    const records = await keptCalls(product.store, tenant.id as never);
    const sum = (run: string | null) => records.reduce((total, each) => run === null || each.run === run ? total + (each.cost ?? 0n) : total, 0n);
    const sums = (await product.store.spend.sumsOfAll([{ organization: tenant.id as never, key: tenant.keyId as never }], Date.now()))[0]!;
    const runs = await product.store.runs.list({ organization: tenant.id as never, limit: 100 });
    const equal = [sums.organization, sums.key].every(({ year, lifetime }) => year.spent === sum(null) && lifetime.spent === sum(null))
      && runs.every(({ id, spent }) => spent === sum(id));
    found = `${records.length} records of ${tenant.answered} answers, their sum ${sum(null)}`;
    return equal && records.length === tenant.answered && Number(sum(null) / 1_000_000_000n);
  }, () => found);
}

test('runs over budget, tightened, expired and closed, and a reached cap, are the same after a kill as before it', async () => {
  const tenant = await product.tenant();
  const capped = await product.tenant();
  await capped.cap({ scope: 'organization', window: 'lifetime', limit: '3' });
  await capped.until((answer) => limitHeaders(answer).scope === 'organization');
  const statuses = async (...calls: Promise<RawAnswer>[]): Promise<string[]> => (await Promise.all(calls)).map(codeOf);
  assert.deepEqual(await statuses(
    tenant.call(5, run('spent', '5')), tenant.call(2, run('ended-by-a-figure', '9')), tenant.call(1, run('tightened', '10')),
    tenant.call(0, run('expired', undefined, '1')), tenant.call(0, run('closed')), tenant.call(2, run('reached-unseen', '2')), capped.call(3),
  ), Array.from({ length: 7 }, () => '200'));
  assert.equal(limitHeaders(await tenant.call(0, run('tightened', '4'))).effective, '4.000000');
  await closeRun(product.context(), { organization: tenant.id, run: 'closed' });
  await tenant.until((answer) => answer.status === 402, run('closed'));
  await tenant.until((answer) => answer.status === 402, run('expired'));
  const overBudget = '402 budget_exceeded';
  assert.deepEqual(await statuses(tenant.call(1, run('spent')), tenant.call(1, run('ended-by-a-figure', '2')), capped.call(1)),
    [overBudget, overBudget, overBudget]);
  for (const restart of ['first', 'second']) {
    await killAndStart(tenant, capped);
    const heard = product.system.openai.requests.length;
    const answers = [];
    for (const call of [
      () => tenant.call(1, run('spent', '100')), () => tenant.call(1, run('ended-by-a-figure', '9')),
      () => tenant.call(1, run('reached-unseen', '99')),
      () => tenant.call(1, run('expired', undefined, '3600')), () => tenant.call(1, run('closed')), () => capped.call(1),
    ]) answers.push(await firstCall(call));
    assert.deepEqual(answers.map(codeOf), [overBudget, overBudget, overBudget, '402 run_expired', '402 run_closed', overBudget], restart);
    const ofRun = { ...noLimitHeaders, scope: 'run', window: 'run' };
    const ofCap = { ...noLimitHeaders, scope: 'organization', window: 'lifetime' };
    assert.deepEqual(answers.map(limitHeaders), [ofRun, ofRun, ofRun, noLimitHeaders, noLimitHeaders, ofCap], restart);
    assert.equal(product.system.openai.requests.length, heard, 'nothing was forwarded');
    const tightened = await firstCall(() => tenant.call(0, run('tightened', '9')));
    assert.equal(limitHeaders(tightened).effective, '4.000000', 'a tightened budget is not wider again');
    assert.deepEqual([await spentOf(tenant), await spentOf(capped)], [10, 3]);
  }
});

const ways: [what: string, (tenant: Tenant) => Promise<{ refused: RawAnswer; again: () => Promise<RawAnswer> }>][] = [
  ['a run was over its budget', async (tenant) => {
    await tenant.call(1, run('r', '1'));
    return { refused: await tenant.call(1, run('r')), again: () => tenant.call(1, run('r', '50')) };
  }],
  ['a smaller figure ended a run', async (tenant) => {
    await tenant.call(2, run('r', '50'));
    return { refused: await tenant.call(1, run('r', '2')), again: () => tenant.call(1, run('r', '50')) };
  }],
  ['a run had expired', async (tenant) => {
    await tenant.call(0, run('r', undefined, '1'));
    return { refused: await tenant.until((answer) => answer.status === 402, run('r')), again: () => tenant.call(1, run('r', undefined, '3600')) };
  }],
  ['a cap was reached', async (tenant) => {
    await tenant.cap({ scope: 'organization', window: 'year', limit: '1', mode: 'pause' });
    await tenant.until((answer) => limitHeaders(answer).scope === 'organization');
    await tenant.call(1);
    return { refused: await tenant.call(1), again: () => tenant.call(1) };
  }],
];

test('killed at the moment in which the refusal was read, each refusal still holds', async () => {
  for (const [what, refuse] of ways) {
    const tenant = await product.tenant();
    const { refused, again } = await refuse(tenant);
    await killAndStart(tenant);
    const after = await firstCall(again);
    assert.ok(refused.status === 402 || refused.status === 429, what);
    assert.deepEqual([codeOf(after), limitHeaders(after).scope], [codeOf(refused), limitHeaders(refused).scope], what);
    await spentOf(tenant);
  }
});

test('a refusal that a caller has read counts before a close after the kill, though the store first learns of the close', async () => {
  const tenant = await product.tenant();
  await tenant.call(2, run('r', '50'));
  await tenant.call(2, run('other', '50'));
  await spentOf(tenant);
  const database = new DatabaseSync(join(product.system.dataDirectory, 'metergate.db'), { timeout: 5_000 });
  try {
    // Nothing is shipped from here on.
    database.exec('BEGIN IMMEDIATE');
    assert.equal(codeOf(await tenant.call(1, run('r', '2'))), '402 budget_exceeded');
    await product.system.kill9();
  } finally {
    database.close();
  }
  for (const id of ['r', 'other']) {
    const { code, stderr, json } = await product.system.cli(['run', 'close', id, '--org', tenant.id, '--json']);
    assert.deepEqual([code, (json() as { state: string }).state], [0, 'closed'], stderr);
  }
  product.system = await product.system.restart();
  const shown = await product.store.runs.list({ organization: tenant.id as never, limit: 9 });
  assert.deepEqual(shown.map(({ id, state, effective }) => [id, state, effective]).sort(),
    [['other', 'closed', 50_000_000_000n], ['r', 'over_budget', 2_000_000_000n]]);
  assert.equal(codeOf(await firstCall(() => tenant.call(1, run('r', '50')))), '402 budget_exceeded');
  assert.equal(codeOf(await firstCall(() => tenant.call(1, run('other', '50')))), '402 run_closed');
});

test('killed at the moment in which a tightened budget was shown, it binds', async () => {
  const tenant = await product.tenant();
  await tenant.call(1, run('r', '50'));
  assert.equal(limitHeaders(await tenant.call(1, run('r', '3'))).effective, '3.000000');
  await killAndStart(tenant);
  const after = await firstCall(() => tenant.call(1, run('r', '50')));
  assert.equal(limitHeaders(after).effective, '3.000000', after.head.toString() + after.body.toString());
  assert.equal(codeOf(await tenant.call(1, run('r', '50'))), '402 budget_exceeded');
  assert.equal(await spentOf(tenant), 3);
});

test('killed while many runs begin, each run with a call that a provider saw is there as it began, with what it spent', async () => {
  const tenant = await product.tenant();
  await tenant.until((answer) => answer.status === 200);
  const ids = Array.from({ length: 60 }, (_, at) => `r${at}`);
  const heard = product.system.openai.requests.length;
  // An answer that the kill cut does not count: its head is forwarded before the record is there, its last byte never is.
  const calls = ids.map((id) => tenant.call(1, run(id, '1', '3600')).then((answer) => answer.whole ? codeOf(answer) : null, () => null));
  await eventually(() => product.system.openai.requests.length >= heard + 20, () => 'the provider did not receive twenty runs');
  const seen = product.system.openai.requests.length - heard;
  await killAndStart(tenant);
  const answers = await Promise.all(calls);
  const organization = tenant.id as never;
  const records = (await keptCalls(product.store, organization)).filter((each) => each.run !== null);
  const runs = new Map((await product.store.runs.list({ organization, limit: 1_000 })).map((each) => [each.id, each]));
  assert.ok(records.length >= seen && seen >= 20, `${records.length} records of ${seen} calls`);
  assert.deepEqual([...runs.keys()].sort(), records.map((each) => each.run).sort(), 'a run is there exactly if a call of it was opened');
  for (const [at, id] of ids.entries()) if (answers[at] === '200') assert.equal(runs.get(id)?.spent, 1_000_000_000n, id);
  for (const { id, effective, spent, startedAtMs, expiresAtMs } of runs.values()) {
    const recorded = records.filter((each) => each.run === id).reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
    assert.deepEqual([effective, spent, Number(expiresAtMs) - startedAtMs], [1_000_000_000n, recorded, 3_600_000], id);
    const again = await firstCall(() => tenant.call(0, run(id, '50', '9')));
    assert.equal(codeOf(again), spent === 0n ? '200' : '402 budget_exceeded', `${id} has its budget still`);
  }
});
