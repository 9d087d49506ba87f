/**
 * Held: a page of a list costs what the page holds and not what the list holds; it goes on where it ended, also when its last item
 * is gone since; every item comes once. Design 5, Platform HTTP.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isRefusal } from '../use-cases/refusal.ts';
import { freshSqlite, platformFixture, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

const place = freshSqlite();
let platform: PlatformFixture;
let acme: TestOrganization;
/** How many rows each reading of a list in the store gave. */
const read: number[] = [];
const rows = 7;

before(async () => {
  platform = await platformFixture(place.url);
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
after(async () => {
  await platform.end();
  place.remove();
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
  test(`${list}: the page after one whose last item was removed goes on with the next`, async () => {
    const whole = (await send('GET', `/${list}`)).data.map(({ id }) => id);
    const page = await send('GET', `/${list}?limit=2`);
    await send('DELETE', `/${list}/${whole[1]}`);
    const next = await send('GET', `/${list}?limit=2&cursor=${page.nextCursor}`);
    assert.deepEqual(next.data.map(({ id }) => id), whole.slice(2, 4));
  });
}

test('a cursor of one list is none of another', async () => {
  const { nextCursor } = await send('GET', '/keys?limit=1');
  const answer = await platform.ask(`/platform/v1/tokens?cursor=${nextCursor}`, { token: acme.tokens.owner });
  assert.deepEqual([answer.status, (answer.body['error'] as { code: string }).code], [400, 'invalid_cursor']);
});
