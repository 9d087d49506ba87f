/**
 * Sessions that agents name by themselves: kept with the call, forwarded as they came, and asked for in lists and reports. Rule 31a.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCalls } from '@metergate/platform/use-cases/calls.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { showUsage } from '@metergate/platform/use-cases/usage.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { headerValues, type HeaderPair } from '@metergate/testkit/http-message.ts';
import { sharedProduct, type Tenant } from '../limits/tenant.ts';

const product = sharedProduct();

async function listed(tenant: Tenant, session?: string) {
  await eventually(async () => {
    const all = await listCalls(product.context(), { organization: tenant.id, limit: 100 });
    assert.ok(!isRefusal(all));
    return all.length === tenant.answered;
  }, () => `not ${tenant.answered} records`);
  const found = await listCalls(product.context(), { organization: tenant.id, limit: 100, filter: session === undefined ? {} : { session } });
  assert.ok(!isRefusal(found));
  return found;
}

test('what Claude Code and Codex send is kept as the session and forwarded as it came', async () => {
  const tenant = await product.tenant();
  const sent: readonly (readonly [readonly HeaderPair[], string | null])[] = [
    [[['X-Claude-Code-Session-Id', '7f2c']], '7f2c'],
    [[['thread-id', 't-1'], ['session-id', 'codex-9']], 'codex-9'],
    [[['session_id', Buffer.from('größe').toString('latin1')]], 'größe'],
    [[['session-id', 's'.repeat(256)]], 's'.repeat(256)],
    [[['session-id', 's'.repeat(257)]], null],
    [[], null],
  ];
  for (const [headers, session] of sent) {
    const arrived = product.system.openai.nextRequest();
    assert.equal((await tenant.call(1, { headers })).status, 200);
    const { headers: received } = await arrived;
    for (const [name, value] of headers) assert.deepEqual(headerValues(received, name), [value]);
    assert.equal((await listed(tenant))[0]?.session, session);
  }
});

test('calls and usage can be asked by session, alone and with other names', async () => {
  const tenant = await product.tenant();
  const other = await product.tenant();
  const in_ = (session: string): { headers: HeaderPair[] } => ({ headers: [['session-id', session], ['x-svc-tags', 'agents']] });
  for (const [cost, session] of [[2, 'one'], [3, 'one'], [5, 'two']] as const) assert.equal((await tenant.call(cost, in_(session))).status, 200);
  assert.equal((await tenant.call(7)).status, 200);
  assert.equal((await other.call(11, in_('one'))).status, 200);
  await listed(other);
  assert.deepEqual((await listed(tenant, 'one')).map(({ cost }) => cost), ['3.000000000', '2.000000000']);
  assert.deepEqual(await listed(tenant, 'nine'), []);
  assert.deepEqual(await listed(tenant, 'o\0ne'), []);

  const sinceMs = Date.now() - 86_400_000;
  const usage = async (query: Partial<Parameters<typeof showUsage>[1]>) => {
    const rows = await showUsage(product.context(), { organization: tenant.id, by: ['session'], sinceMs, ...query });
    assert.ok(!isRefusal(rows));
    return rows.map(({ session, label, calls, cost }) => [...(session === undefined ? [label] : [session]), calls, Number(cost)]);
  };
  assert.deepEqual(await usage({}), [[null, 1, 7], ['one', 2, 5], ['two', 1, 5]]);
  assert.deepEqual(await usage({ filter: { session: 'one', label: 'agents' } }), [['one', 2, 5]]);
  assert.deepEqual(await usage({ by: ['label'], filter: { session: 'two' } }), [['agents', 1, 5]]);
  assert.deepEqual(await usage({ filter: { session: 'o\0ne' } }), []);
  const long = await showUsage(product.context(), { organization: tenant.id, by: ['session'], sinceMs: sinceMs - 32 * 86_400_000 });
  assert.ok(isRefusal(long));
  assert.match(long.refused.message, /at most 31 days/);
  const named = { by: ['session'] as const, filter: { session: 'two' }, sinceMs: 0 };
  assert.deepEqual(await usage(named), [['two', 1, 5]]);
  const command = await product.system.cli(['calls', 'list', '--org', tenant.id, '--session', 'two', '--json']);
  assert.deepEqual((command.json() as { session: string }[]).map(({ session }) => session), ['two']);
  const added = await product.system.cli(['usage', '--org', tenant.id, '--by', 'model', '--session', 'one', '--json']);
  assert.deepEqual((added.json() as { calls: number }[]).map(({ calls }) => calls), [2]);
});
