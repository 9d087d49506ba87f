/**
 * On the running product with its command line beside it: a Baseline made by the command takes batches at once, its report counts them, a
 * key rotated by the command stops working on the running platform, and nothing of a refused batch is in a log or a file. Spec: Tap
 * ingestion, Tap key, Figure labels; rule 20; rules: Interfaces.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentEvent } from '@metergate/core/tap/test-support/sample-event.ts';
import { keptFiles } from '@metergate/testkit/kept-files.ts';
import { serviceForFile } from '../running-product.ts';

const service = serviceForFile();

interface Shown {
  readonly state: string;
  readonly report: {
    readonly total: Readonly<Record<string, { value: unknown; label: string }>>;
    readonly byTag: readonly { tag: string }[];
    readonly declared: unknown;
  };
}

async function cli<Result>(...args: readonly string[]): Promise<Result> {
  const result = await service.system.cli([...args, '--json']);
  assert.equal(result.code, 0, result.stderr);
  return result.json() as Result;
}

async function post(key: string, events: readonly unknown[]): Promise<[number, string]> {
  const answer = await fetch(`${service.system.platformUrl}/tap/v1/events`, {
    method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body: JSON.stringify({ events }),
  });
  return [answer.status, await answer.text()];
}

const now = (requestId: string, more: object = {}) => sentEvent({ request_id: requestId, timestamp: new Date().toISOString(), ...more });

test('from making a Baseline to its end', async () => {
  const { id, key, prefix } = await cli<{ id: string; key: string; prefix: string }>('baseline', 'create', '--org', 'default');
  assert.match(key, /^svc_tap_[0-9a-f]{64}$/);
  assert.equal(prefix, key.slice(0, 12));
  assert.deepEqual(await post(key, [now('a'), now('b', { tag: 'other' }), now('a')]), [202, '{"accepted":2}']);
  assert.deepEqual(await post(key, [now('b'), now('c')]), [202, '{"accepted":1}']);

  await cli('baseline', 'declare', id, '--name', 'seats', '--usd', '12.5');
  const shown = await cli<Shown>('baseline', 'show', id);
  assert.equal(shown.state, 'waiting');
  assert.deepEqual(shown.report.total['calls'], { value: 3, label: 'reported' });
  assert.deepEqual(shown.report.total['cost'], { value: '0.013500000', label: 'modeled' });
  assert.deepEqual(shown.report.byTag.map(({ tag }) => tag), ['search', 'other']);
  assert.deepEqual(shown.report.declared, [{ name: 'seats', amount: { value: '12.500000000', label: 'declared' } }]);
  const text = (await service.system.cli(['baseline', 'show', id])).stdout;
  assert.match(text, /^state +waiting$/m);
  assert.match(text, /^openai\/gpt-4o +3 +3000 +600 +0 +0\.0135 /m);

  const canary = 'canary-8d1e0b';
  const [status, refused] = await post(key, [now(canary), now('d', { tag: `${canary} ` })]);
  assert.deepEqual([status, refused.includes(canary)], [400, false]);

  const rotated = await cli<{ key: string; prefix: string }>('baseline', 'rotate-key', id);
  const unauthorized = [401, '{"error":{"code":"unauthorized","message":"The tap key was missing or not recognized."}}'];
  assert.deepEqual(await post(key, [now('e')]), unauthorized);
  assert.deepEqual(await post(rotated.key, [now('e')]), [202, '{"accepted":1}']);
  await cli('baseline', 'retire', id);
  assert.equal((await post(rotated.key, [now('f')]))[0], 410);
  const again = await service.system.cli(['baseline', 'create', '--org', 'default', '--json']);
  assert.deepEqual([again.code, (again.json() as { error: { code: string } }).error.code], [1, 'baseline_exists']);

  const lying = [...keptFiles(service.system.dataDirectory).values()];
  const said = service.system.stderr() + service.system.stdout();
  for (const secret of [key, key.slice(12), rotated.key.slice(12), canary]) {
    assert.ok(!said.includes(secret) && lying.every((bytes) => !bytes.includes(secret)), 'a secret or a refused value lies in a log or a file');
  }
});
