/**
 * Runs are listed newest first, page by page, each once, whatever callers name them; a cursor that no page returned is refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let platform: PlatformFixture;
let acme: TestOrganization;
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
});

const ask = (query: string) => platform.ask(`/platform/v1/runs?${query}`, { token: acme.tokens.viewer });

test('every run is on one page, in the order of one whole list', async () => {
  const ids = ['a', '~', '!', '1_2', '9'.repeat(128), '{"x":\'$\'}', 'z'];
  await platform.store.runs.open(ids.map((id, index) => ({
    organization: acme.id, id, declared: null, effective: null, clampReason: null, startedAtMs: 1_790_000_000_000 + (index % 3), expiresAtMs: null,
    exposureLimit: null, mayCreate: true,
  })));
  const whole = ((await ask('limit=100')).body['data'] as { readonly id: string }[]).map(({ id }) => id);
  assert.deepEqual([...whole].sort(), [...ids].sort());
  const paged: string[] = [];
  for (let cursor = ''; ;) {
    const { body } = await ask(`limit=2${cursor}`);
    paged.push(...(body['data'] as { readonly id: string }[]).map(({ id }) => id));
    if (body['nextCursor'] === null) break;
    cursor = `&cursor=${String(body['nextCursor'])}`;
  }
  assert.deepEqual(paged, whole);
});

test('a cursor that no page gave is refused', async () => {
  for (const text of ['', '1', '1 ', ' a', 'x a', '1 a b', `1 ${'a'.repeat(129)}`, '1 é', '1 a\n', '1234567890123456 a']) {
    const answer = await ask(`cursor=${Buffer.from(text).toString('base64url')}`);
    assert.equal(answer.status, 400, JSON.stringify(text));
  }
});
