/**
 * Labels and project (spec: Common request elements; rule 31) on all three wires, and the one endpoint of both spellings of
 * messages, as the records show them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecordJson } from '@metergate/core/record/call-record.ts';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { bearer, requestIdOf, serviceForFile } from '../running-product.ts';

const service = serviceForFile({}, (running) => running.system.declareUpstream());
const targets = ['/v1/chat/completions', '/v1/messages', '/alt/v1/messages', '/upstream/v1/chat/completions'] as const;

/** Header values are sent as bytes: UTF-8 text with one character for each byte. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

async function recordOf(target: string, headers: readonly HeaderPair[], key: string = service.key): Promise<CallRecordJson> {
  const answer = await rawCall(service.system.gatewayUrl, { target, headers: [bearer(key), ...headers], body: '{}' });
  assert.equal(answer.status, 200);
  const id = requestIdOf(answer);
  const record = (await service.system.callsById([id])).get(id);
  assert.ok(record !== undefined);
  return record;
}

const numbered = Array.from({ length: 33 }, (_, at) => `label-${at}`);
const rows: readonly { name: string; lines: readonly string[]; labels: readonly string[]; dropped: number }[] = [
  { name: '33 labels', lines: [numbered.join(',')], labels: numbered.slice(0, 32), dropped: 1 },
  { name: '128 and 129 characters', lines: [`${'a'.repeat(128)},${'b'.repeat(129)},c`], labels: ['a'.repeat(128), 'c'], dropped: 1 },
  { name: 'commas only', lines: [',, ,\t,'], labels: [], dropped: 0 },
  { name: 'emoji', lines: [bytesOf('🚀 go,'.concat('é'.repeat(128)))], labels: ['🚀 go', 'é'.repeat(128)], dropped: 0 },
  { name: 'three header lines', lines: ['one, two', 'three', ' four ,'], labels: ['one', 'two', 'three', 'four'], dropped: 0 },
  {
    name: 'never interpreted', lines: ['__proto__,a=b;c,"q r",one,one'], labels: ['__proto__', 'a=b;c', '"q r"', 'one', 'one'], dropped: 0,
  },
];

for (const target of targets) {
  test(`labels on ${target}: split, trimmed, at most 32 of at most 128 characters, the rest dropped and counted`, async () => {
    for (const row of rows) {
      const record = await recordOf(target, row.lines.map((line) => ['x-svc-tags', line] as const));
      assert.deepEqual({ labels: record.labels, dropped: record.labelsDropped }, { labels: row.labels, dropped: row.dropped }, row.name);
    }
  });
}

test('project: the first header line, else the key\'s own; one over 256 characters is ignored', async () => {
  const { key } = await service.system.createKey({ project: 'of-the-key' });
  assert.equal((await recordOf(targets[0], [])).project, null);
  assert.equal((await recordOf(targets[0], [['X-Svc-Project', 'first'], ['x-svc-project', 'second']])).project, 'first');
  assert.equal((await recordOf(targets[1], [], key)).project, 'of-the-key');
  assert.equal((await recordOf(targets[1], [['x-svc-project', 'of-the-call']], key)).project, 'of-the-call');
  assert.equal((await recordOf(targets[3], [['x-svc-project', 'p'.repeat(256)]])).project, 'p'.repeat(256));
  assert.equal((await recordOf(targets[3], [['x-svc-project', 'p'.repeat(257)]])).project, null);
});

test('both spellings of messages are one endpoint; each record keeps the path as called, without its query', async () => {
  const bare = await recordOf('/v1/messages?beta=true', []);
  const alt = await recordOf('/alt/v1/messages', []);
  assert.deepEqual([bare.endpoint, bare.wire, bare.path], ['messages', 'anthropic', '/v1/messages']);
  assert.deepEqual([alt.endpoint, alt.wire, alt.path], ['messages', 'anthropic', '/alt/v1/messages']);
});
