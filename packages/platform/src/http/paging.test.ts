/**
 * A page of a list costs as much as the page holds, not the list; the next one continues where it ended, even if its last item
 * was removed since; every item comes exactly once. Rules: Platform HTTP.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { z } from '@hono/zod-openapi';
import { isRefusal } from '../use-cases/refusal.ts';
import { operations } from './app.ts';
import { platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let platform: PlatformFixture;
let acme: TestOrganization;
/** How many rows each read of a list in the store returned. */
const read: number[] = [];
const rows = 7;

platformOfFile(async (made) => {
  platform = made;
  const { store } = platform;
  for (const [repository, name] of [
    [store.serviceKeys, 'list'], [store.managementTokens, 'list'], [store.members, 'list'], [store.members, 'of'], [store.invitations, 'listOpen'],
    [store.caps, 'list'], [store.runs, 'list'], [store.audit, 'list'],
  ] as const) {
    const list = (repository as unknown as Record<string, (...given: unknown[]) => Promise<unknown[]>>)[name]!;
    Object.assign(repository, { [name]: async (...given: unknown[]) => {
      const found = await list(...given);
      read.push(isRefusal(found) || found === null ? 0 : found.length);
      return found;
    } });
  }
  acme = await platform.organization('acme');
  for (let row = 0; row < rows; row += 1) {
    await send('POST', '/keys', { name: `k${row}` });
    await send('POST', '/tokens', { role: 'viewer', name: `t${row}` });
    await send('POST', '/invitations', { email: `guest${row}@acme.example`, role: 'viewer' });
    await send('POST', '/caps', { scope: 'project', project: `p${row}`, window: 'day', limit: '1.00' });
  }
});

async function send(method: string, path: string, body?: unknown) {
  const answer = await platform.ask(`/platform/v1${path}`, { method, token: acme.tokens.owner, ...(body === undefined ? {} : { body }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.body as { readonly data: { readonly id: string }[]; readonly nextCursor: string | null };
}

const lists = ['keys', 'tokens', 'members', 'invitations', 'caps', 'audit'] as const;

for (const list of lists) {
  test(`${list}: a page reads its own rows and one more`, async () => {
    read.length = 0;
    await send('GET', `/${list}?limit=2`);
    assert.ok(read.every((count) => count <= 3), `read ${read.join(', ')} rows for a page of two`);
  });

  test(`${list}: pages are the list, each item once and in its order`, async () => {
    const whole = (await send('GET', `/${list}?limit=1000`)).data.map(({ id }) => id);
    assert.ok(whole.length >= 4);
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = await send('GET', `/${list}?limit=3${cursor}`);
      seen.push(...page.data.map(({ id }) => id));
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    assert.deepEqual(seen, whole);
  });
}

for (const list of ['members', 'invitations', 'caps'] as const) {
  test(`${list}: the page after one whose last item was removed continues with the next`, async () => {
    const whole = (await send('GET', `/${list}`)).data.map(({ id }) => id);
    const page = await send('GET', `/${list}?limit=2`);
    await send('DELETE', `/${list}/${whole[1]}`);
    const next = await send('GET', `/${list}?limit=2&cursor=${page.nextCursor}`);
    assert.deepEqual(next.data.map(({ id }) => id), whole.slice(2, 4));
  });
}

test('a cursor of one list is not accepted by another', async () => {
  const { nextCursor } = await send('GET', '/keys?limit=1');
  const answer = await platform.ask(`/platform/v1/tokens?cursor=${nextCursor}`, { token: acme.tokens.owner });
  assert.deepEqual([answer.status, (answer.body['error'] as { code: string }).code], [400, 'invalid_cursor']);
});

test('every list takes a limit and a cursor, the short ones too, which are whole without a limit', async () => {
  for (const { id, query, answer } of operations) {
    if (answer instanceof z.ZodObject && 'nextCursor' in answer.shape) assert.ok(query !== undefined && 'limit' in query.shape, id);
  }
  const caps = (await send('GET', '/caps?limit=1000')).data;
  for (const { id } of caps) await send('POST', '/alerts', { cap: id, at: [50] });
  const whole = (await send('GET', '/alerts')).data.map(({ id }) => id);
  assert.equal(whole.length, caps.length);
  const paged: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await send('GET', `/alerts?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
    paged.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  assert.deepEqual(paged, whole);
  assert.deepEqual((await send('GET', '/providers?limit=1')).data.length, 1);
});

test('usage: a cursor belongs to its organization and its dimensions, whatever the rows are called', async () => {
  const other = await platform.organization('other');
  for (const { id } of [acme, other]) {
    const records = ['m1', 'm2'].map((name) => sampleRecord(id, { model: name, project: name, startedAtMs: Date.now() }));
    await platform.store.calls.ship(batchOf(`seg_${id}`, records));
  }
  const page = (query: string, token = acme.tokens.owner) => platform.ask(`/platform/v1/usage?limit=1&${query}`, { token });
  const cursor = String((await page('by=model')).body['nextCursor']);
  assert.equal((await page(`by=model&cursor=${cursor}`)).status, 200);
  for (const answer of [await page(`by=project&cursor=${cursor}`), await page(`by=model&cursor=${cursor}`, other.tokens.owner)]) {
    assert.equal(answer.status, 400);
    assert.match(answer.text, /invalid_cursor/);
  }
});
