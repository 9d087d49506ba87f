/** `run` and `grant`, their fields, exit codes and sentences (spec: Run; rules 13 and 15; rules: Interfaces). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { parseGrant } from '@metergate/core/run/grant.ts';
import { productEnv, type CliResult } from '@metergate/testkit/system.ts';
import { ownDirectory } from '../test-support/own-directory.ts';
import { runInProcess } from '../test-support/run-in-process.ts';

const { dataDirectory, make, inStore, remove } = ownDirectory();
const startedAtMs = Date.UTC(2026, 8, 23, 14);
let organization: OrganizationId;

before(async () => {
  await make();
  await inStore(async (store) => {
    const made = await store.organizations.create({ name: 'Acme', plan: 'team' });
    assert.ok('id' in made);
    organization = made.id;
    await store.runs.open([
      { organization, id: 'r"1', declared: nanoDollars(9_000_000_000n), effective: nanoDollars(5_000_000_000n), clampReason: 'policy_max',
        startedAtMs, expiresAtMs: startedAtMs + 60_000, exposureLimit: null, mayCreate: true },
      { organization, id: 'free', declared: null, effective: null, clampReason: null, startedAtMs: startedAtMs + 1, expiresAtMs: null,
        exposureLimit: null, mayCreate: true },
    ]);
  });
});
after(remove);

const run = (...args: string[]): Promise<CliResult> => runInProcess(args, productEnv({ SVC_DATA_DIR: dataDirectory }), '');

async function json(...args: string[]): Promise<unknown> {
  const result = await run(...args, '--json');
  assert.equal(result.code, 0, result.stderr);
  assert.equal(result.stderr, '');
  return result.json();
}

const shown = {
  id: 'r"1', state: 'live', budget: '9.000000000', effective: '5.000000000', clampReason: 'policy_max', spent: '0.000000000', unknownCalls: 0,
  unpricedCalls: 0, gapCalls: 0,
  startedAt: '2026-09-23T14:00:00.000Z', expiresAt: '2026-09-23T14:01:00.000Z', endedAt: null,
};
const free = {
  ...shown, id: 'free', budget: null, effective: null, clampReason: null, startedAt: '2026-09-23T14:00:00.001Z', expiresAt: null,
};

test('run list and show answer with every field, the newest first', async () => {
  assert.deepEqual(await json('run', 'list', '--org', 'Acme'), [free, shown]);
  assert.deepEqual(await json('run', 'show', 'r"1', '--org', organization), shown);
  const text = (await run('run', 'show', 'r"1', '--org', 'Acme')).stdout;
  assert.match(text, /^clamp reason +policy_max$/m);
  assert.match(text, /^effective +5 USD$/m);
  assert.match((await run('run', 'list', '--org', 'Acme')).stdout, /^ID +STATE +SPENT USD +BUDGET USD +UNKNOWN +UNPRICED +GAPS +STARTED +EXPIRES$/m);
});

test('run close ends a run for good; a second time changes nothing, and says so only if it had ended otherwise', async () => {
  const closed = await json('run', 'close', 'free', '--org', 'Acme') as { endedAt: string };
  assert.deepEqual(closed, { ...free, state: 'closed', endedAt: new Date(closed.endedAt).toISOString() });
  assert.deepEqual(await json('run', 'close', 'free', '--org', 'Acme'), closed);
  await inStore((store) => store.calls.ship({
    segment: 'seg_x', through: 1, records: [], runEvents: [{ seq: 1, event: { organization, run: 'r"1', state: 'expired', atMs: startedAtMs } }],
  }));
  assert.match((await run('run', 'close', 'r"1', '--org', 'Acme')).stdout, /had ended before; nothing was changed/);
});

test('an unknown run or organization is refused in one sentence', async () => {
  for (const args of [['run', 'show', 'nope', '--org', 'Acme'], ['run', 'close', 'nope', '--org', 'Acme']]) {
    const refused = await run(...args, '--json');
    assert.equal(refused.code, 1);
    assert.equal((refused.json() as { error: { code: string } }).error.code, 'unknown_run');
  }
  const elsewhere = await run('run', 'list', '--org', 'nobody', '--json');
  assert.equal((elsewhere.json() as { error: { code: string } }).error.code, 'unknown_organization');
});

test('grant mint answers with a grant for only that run, and wrong input says what is wrong', async () => {
  const from = Date.now();
  const minted = await json('grant', 'mint', '--org', 'Acme', '--run', 'big', '--max', '12.5', '--expires', '24h') as { grant: string };
  assert.deepEqual(Object.keys(minted), ['grant']);
  const payload = parseGrant(minted.grant)?.payload;
  assert.deepEqual([payload?.organization, payload?.run, payload?.max], [organization, 'big', 12_500_000_000n]);
  assert.ok(payload!.expiresAtMs >= from + 86_400_000 && payload!.expiresAtMs <= Date.now() + 86_400_000);
  const mint = ['grant', 'mint', '--org', 'Acme', '--run', 'big', '--max', '12.5', '--expires', '24h'];
  const wrong: [number, string, string, RegExp][] = [
    [2, '24h', '1d12h', /--expires must be a duration/], [2, '12.5', '1e3', /--max must be an amount/],
    [2, '12.5', '0', /above 0 .*with at most six/],
    [2, '12.5', '0.0000001', /at most six decimal places/], [2, 'big', 'two words', /visible ASCII/],
  ];
  for (const [code, value, other, sentence] of wrong) {
    const refused = await run(...mint.map((word) => word === value ? other : word));
    assert.equal(refused.code, code, refused.stderr);
    assert.match(refused.stderr, /^metergate: [^\n]+\n$/);
    assert.match(refused.stderr, sentence);
  }
});
