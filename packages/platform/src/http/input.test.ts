/**
 * Input is valid or answered 400, 413 or 415 with a sentence that repeats nothing of it, and never causes a fault. Invalid JSON, hostile
 * names and values, unknown keys at any level, `__proto__` among them. Rules: Platform HTTP.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedFolder } from '@metergate/testkit/corpus.ts';
import { jsonInputs } from '@metergate/testkit/written-inputs.ts';
import { operations } from './app.ts';
import { bodyBytesMax } from './request-body.ts';
import { platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let platform: PlatformFixture;
let acme: TestOrganization;
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
});

/** Texts that broke other programs, from the corpus if it is on this machine, and some of our own. */
function naughtyStrings(): string[] {
  const own = ['', ' ', '\0', 'a\u0000b', '\ud800', '\u202eabc', "' or 1=1 --", '<script>alert(1)</script>', '${7*7}', 'é'.repeat(300), '🤖'];
  const file = new URL('inputs/naughty-strings.json', sharedFolder);
  return existsSync(file) ? [...own, ...(JSON.parse(readFileSync(file, 'utf8')) as string[])] : own;
}

const send = (path: string, body: unknown, method = 'POST', headers: Record<string, string> = {}) =>
  platform.ask(`/platform/v1${path}`, { method, body, token: acme.tokens.owner, headers });
const errorOf = (answer: { readonly status: number; readonly body: unknown }): [number, string | undefined] =>
  [answer.status, (answer.body as { error?: { code: string } }).error?.code];
const keys = async (): Promise<number> =>
  ((await platform.ask('/platform/v1/keys?limit=1000', { token: acme.tokens.owner })).body['data'] as unknown[]).length;

test('every operation with a body refuses a key that is not known, own keys of Object.prototype included', async () => {
  for (const { id, method, path } of operations.filter(({ body }) => body !== undefined)) {
    for (const name of ['canary-key', '__proto__', 'constructor', 'toString', 'organization_id']) {
      const answer = await send(path.replace('{id}', 'x').replace('{provider}', 'openai'), `{"${name}":"canary-value"}`, method.toUpperCase());
      assert.equal(answer.status, 400, `${id} with ${name}: ${answer.text}`);
      assert.ok(!answer.text.includes('canary'), answer.text);
    }
  }
  assert.equal(({} as Record<string, unknown>)['canary-value'], undefined);
});

test('a known field beside an unknown one changes nothing', async () => {
  const before = await keys();
  for (const body of [{ name: 'x', role: 'owner' }, { name: 'x', organization: 'y' }, { name: 'x', __defineGetter__: 1 }]) {
    assert.deepEqual(errorOf(await send('/keys', body)), [400, 'invalid_input']);
  }
  assert.deepEqual(errorOf(await send('/keys', '{"name":"x","__proto__":{"project":"p"}}')), [400, 'invalid_input']);
  assert.equal(await keys(), before);
});

test('bodies that are not a JSON object, in every form of the corpus, are 400 and never a fault', async () => {
  const inputs = jsonInputs();
  assert.ok(inputs.length > 0);
  for (const { name, bytes } of inputs) {
    const answer = await send('/caps', bytes);
    assert.equal(answer.status, bytes.length > bodyBytesMax ? 413 : 400, `${name}: ${answer.text}`);
  }
});

test('a body is counted as it comes: one byte more than the bound is 413; another type or coding is 415', async () => {
  const padded = (bytes: number): string => `{"name":"n"}${' '.repeat(bytes - 12)}`;
  assert.equal((await send('/keys', padded(bodyBytesMax))).status, 201);
  assert.deepEqual(errorOf(await send('/keys', padded(bodyBytesMax + 1))), [413, 'body_too_large']);
  for (const headers of [{ 'content-type': 'text/json' }, { 'content-encoding': 'gzip' }]) {
    assert.deepEqual(errorOf(await send('/keys', '{}', 'POST', headers)), [415, 'unsupported_media_type']);
  }
  assert.equal((await send('/keys', '{}', 'POST', { 'content-type': 'Application/JSON; charset=utf-8' })).status, 201);
  for (const bytes of [Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)]) {
    assert.deepEqual(errorOf(await send('/keys', bytes)), [400, 'invalid_json']);
  }
  assert.equal((await send('/keys', `${'['.repeat(30_000)}${']'.repeat(30_000)}`)).status, 400);
});

test('a body of more values than any needs, or deeper ones, is refused before it is built', async () => {
  const answers = [await send('/reconciliations', `{"seller":"openai","file":[${'{},'.repeat(200_000)}{}]}`),
    await send('/keys', `{"name":${'['.repeat(200)}${']'.repeat(200)}}`)];
  for (const [index, said] of [/at most 100000 values/, /at most 100 deep/].entries()) {
    assert.deepEqual(errorOf(answers[index]!), [400, 'invalid_json']);
    assert.match(answers[index]!.text, said);
  }
});

test('a name that appears twice in one object is refused and named, and nothing is changed', async () => {
  const before = await keys();
  const answer = await send('/keys', '{"name":"first","project":"p","name":"second"}');
  assert.deepEqual(errorOf(answer), [400, 'invalid_json']);
  assert.match(answer.text, /The name \\"name\\" appears twice/);
  assert.ok(!(await send('/keys', `{"sk-${'k'.repeat(30)}":1,"sk-${'k'.repeat(30)}":2}`)).text.includes('sk-k'));
  assert.equal(await keys(), before);
});

test('hostile texts as names come back exactly or are refused in a sentence without them', async () => {
  const before = await keys();
  let taken = 0;
  for (const text of naughtyStrings()) {
    const answer = await send('/keys', { name: text });
    assert.ok(answer.status === 201 || answer.status === 400, `${JSON.stringify(text)}: ${answer.status}`);
    if (answer.status === 201) taken += 1;
    else if (text.length > 20) assert.ok(!answer.text.includes(text));
  }
  assert.equal(await keys(), Math.min(1_000, before + taken));
  assert.ok(taken > 0);
});

test('a drain time is a whole number of seconds from 0 to a year', async () => {
  const set = (drainSeconds: number) => send(`/organizations/${acme.id}`, { drainSeconds }, 'PATCH');
  for (const seconds of [0, 31_536_000]) assert.equal((await set(seconds)).status, 200);
  for (const seconds of [-1, 1.5, 31_536_001, 1e15]) assert.deepEqual(errorOf(await set(seconds)), [400, 'invalid_input']);
});

test('parameters are each given once, known and of their form', async () => {
  const wrong = ['limit=0', 'limit=-1', 'limit=1001', 'limit=1e2', 'limit=1&limit=2', 'limit=', 'cursor=', 'cursor=%00', 'wat=1', '__proto__=1'];
  for (const query of wrong) {
    const answer = await platform.ask(`/platform/v1/keys?${query}`, { token: acme.tokens.owner });
    assert.deepEqual(errorOf(answer), [400, answer.text.includes('cursor that') ? 'invalid_cursor' : 'invalid_input'], query);
  }
  for (const query of ['since=tomorrow', 'since=2026-02-30T00:00:00Z', 'until=2026-1-1', 'run=']) {
    const answer = await platform.ask(`/platform/v1/calls?${query}`, { token: acme.tokens.owner });
    assert.equal(answer.status, 400, query);
    if (query !== 'run=') assert.match(answer.text, /field (since|until) must be an instant .*, a date .*, or a duration ago/);
  }
  for (const query of ['since=yesterday&until=today', 'since=7d', 'since=2026-01&until=2026-01-02', 'since=2026-09-23T14:00Z']) {
    for (const list of ['calls', 'usage']) {
      assert.equal((await platform.ask(`/platform/v1/${list}?${query}`, { token: acme.tokens.owner })).status, 200, query);
    }
  }
  for (const query of ['month=2026-09&since=today', 'since=today&until=yesterday', 'month=2026-13', 'month=2026-09-01']) {
    const refused = await platform.ask(`/platform/v1/usage?${query}`, { token: acme.tokens.owner });
    assert.deepEqual(errorOf(refused), [400, 'invalid_input'], query);
  }
  assert.deepEqual(errorOf(await platform.ask('/platform/v1/limits?x=1', { token: acme.tokens.owner })), [400, 'invalid_input']);
});

test('nothing was answered with a fault', () => assert.deepEqual(platform.reports, []));
