/**
 * The order of refusals (rules: The path of a call; rule 1): a request that is wrong in every way is corrected one step at a
 * time, and each correction shows the next refusal. No later step sees a call that an earlier one refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeRun } from '@metergate/platform/use-cases/runs.ts';
import { connectProvider, disconnectProvider } from '@metergate/platform/use-cases/providers.ts';
import { providerKeys } from '@metergate/testkit/system.ts';
import type { RawAnswer } from '@metergate/testkit/raw-client.ts';
import { sharedProduct } from './tenant.ts';

const product = sharedProduct();

function codeOf(answer: RawAnswer): string {
  if (answer.status === 200) return '200';
  const { error } = JSON.parse(answer.body.toString()) as { error: { code: string; message: string } };
  return `${answer.status} ${error.code}${error.code === 'budget_exceeded' ? ` ${error.message.split(' ')[0]}` : ''}`;
}

test('a request that is wrong in every way gets one refusal after the other as it is corrected', async () => {
  const tenant = await product.tenant({ plan: 'free', enforceKeyCaps: true, maxRunBudget: '0' });
  const context = product.context();
  await disconnectProvider(context, { organization: tenant.id, provider: 'openai' });
  await tenant.cap({ scope: 'organization', window: 'week', limit: '0' });
  await tenant.cap({ scope: 'organization', window: 'lifetime', limit: '0', mode: 'pause' });
  await tenant.cap({ scope: 'key', key: tenant.keyId, window: 'year', limit: '0' });
  const tooLong = `${'{"model":"metered","tokens":0'.padEnd(1_600_010)}}`;
  const wrong = { target: '/v0/nothing', key: 'svc_live_unknown', id: '', budget: '0', ttl: '0', grant: 'no', body: tooLong };
  const ask = async (step: Partial<typeof wrong>): Promise<string> => {
    Object.assign(wrong, step);
    return codeOf(await tenant.call(wrong.body, {
      key: wrong.key, target: wrong.target,
      headers: [['x-svc-run-id', wrong.id], ['x-svc-run-budget', wrong.budget], ['x-svc-run-ttl', wrong.ttl],
        ...(wrong.grant === '' ? [] : [['x-svc-run-grant', wrong.grant] as const])],
    }));
  };
  assert.equal(await ask({}), '404 unknown_url');
  assert.equal(await ask({ target: '/v1/chat/completions' }), '401 invalid_api_key');
  assert.equal(await ask({ key: tenant.key }), '400 invalid_run_id');
  assert.equal(await ask({ id: 'r' }), '400 invalid_run_budget');
  assert.equal(await ask({ budget: '1' }), '400 invalid_run_ttl');
  assert.equal(await ask({ ttl: '60' }), '400 invalid_run_grant');
  assert.equal(await ask({ grant: '' }), '401 provider_key_missing');
  await connectProvider(context, { organization: tenant.id, provider: 'openai', credential: providerKeys.openai });
  await tenant.until((answer) => answer.status !== 401);
  assert.equal(await ask({}), '429 rate_limit_exceeded');
  assert.equal(await ask({ body: '{"model":"metered","tokens":1}' }), '429 budget_exceeded Lifetime');
  const next = async (unlike: string): Promise<string> => {
    const answer = await tenant.until((each) => codeOf(each) !== unlike, {
      headers: [['x-svc-run-id', 'r'], ['x-svc-run-budget', '1'], ['x-svc-run-ttl', '60']],
    });
    return codeOf(answer);
  };
  const caps = async (window: string): Promise<string> => (await tenant.caps()).find((cap) => cap.window === window)!.id;
  await tenant.removeCap(await caps('lifetime'));
  assert.equal(await next('429 budget_exceeded Lifetime'), '402 budget_exceeded Weekly');
  await tenant.removeCap(await caps('week'));
  assert.equal(await next('402 budget_exceeded Weekly'), '402 budget_exceeded Yearly');
  await tenant.removeCap(await caps('year'));
  assert.equal(await next('402 budget_exceeded Yearly'), '402 run_envelope_zero');
  await tenant.set({ maxRunBudget: null });
  assert.equal(await next('402 run_envelope_zero'), '200');
  await closeRun(context, { organization: tenant.id, run: 'r' });
  assert.equal(await next('200'), '402 run_closed');
  await tenant.cap({ scope: 'organization', window: 'day', limit: '0' });
  assert.equal(await next('402 run_closed'), '402 budget_exceeded Daily', 'a cap goes before the run');
  const made = (await product.store.runs.list({ organization: tenant.id as never, limit: 100 })).map(({ id }) => id);
  assert.deepEqual(made, ['r'], 'only the admitted request made a run');
});
