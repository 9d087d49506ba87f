/**
 * Held: the OpenAPI document names every route of the app and no other, with the schemas that validate; every answer of the app is
 * of the schema that the document shows for it. Design 5, Platform HTTP.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from './app.ts';
import { freshSqlite, platformFixture, type PlatformFixture } from './test-support/platform-fixture.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, {
    readonly operationId: string; readonly security: unknown[]; readonly requestBody?: unknown; readonly responses: Readonly<Record<string, unknown>>;
  }>>>>;
}

const place = freshSqlite();
let platform: PlatformFixture;
let document: Document;
before(async () => {
  platform = await platformFixture(place.url);
  document = (await platform.ask('/platform/v1/openapi.json')).body as unknown as Document;
});
after(async () => {
  await platform.end();
  place.remove();
});

/** What an operation needs to be asked. */
const queries: Readonly<Record<string, string>> = { exportCalls: '?from=2026-09-01T00:00:00Z&to=2026-10-01T00:00:00Z' };

/** Pages and the document itself are no operations. */
const noOperations = new Set(['GET /assets/{name}', 'GET /*', 'GET /limits', 'GET /platform/v1/openapi.json']);

test('every route of the app is in the document, and the other way round', () => {
  assert.equal(document.openapi, '3.1.0');
  const documented = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  const routed = platform.app.routes.filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`).filter((route) => !noOperations.has(route));
  assert.deepEqual(documented.sort(), [...new Set(routed)].sort());
  assert.equal(documented.length, operations.length);
});

test('each operation is documented with its name, its security and its body', () => {
  for (const { id, method, path, role, body, status = 200 } of operations) {
    const shown = document.paths[`/platform/v1${path}`]![method]!;
    assert.equal(shown.operationId, id);
    assert.equal(shown.security.length, role === null ? 0 : 2, id);
    assert.equal(shown.requestBody !== undefined, body !== undefined, id);
    assert.ok(shown.responses[status] !== undefined && shown.responses[400] !== undefined, id);
  }
});

test('answers are of the schemas that the document shows', async () => {
  const acme = await platform.organization('acme');
  const ask = (path: string, method = 'GET', body?: unknown) =>
    platform.ask(`/platform/v1${path}`, { method, token: acme.tokens.owner, ...(body === undefined ? {} : { body }) });
  const made = await Promise.all([
    ask('/keys', 'POST', { name: 'n' }), ask('/caps', 'POST', { scope: 'organization', window: 'day', limit: '5.00' }),
    ask('/tokens', 'POST', { role: 'viewer' }), ask('/invitations', 'POST', { email: 'guest@acme.example', role: 'viewer' }),
    ask('/assessments', 'POST', {}), ask('/providers/openai', 'PUT', { credential: 'sk-test' }),
    ask('/upstream', 'PUT', { url: 'https://llm.example.com' }), ask('/run-grants', 'POST', { run: 'r', max: '1.00', expiresInSeconds: 60 }),
    ask(`/organizations/${acme.id}`, 'PATCH', { enforceKeyCaps: true, maxRunBudget: '2.00', fallbackPrice: { input: '1', output: '2' } }),
  ]);
  const schemaOf = (name: string) => operations.find(({ id }) => id === name)!.answer;
  const names = [
    'createKey', 'setCap', 'createToken', 'inviteMember', 'createAssessment', 'connectProvider', 'declareUpstream', 'mintGrant', 'setOrganization',
  ];
  for (const [index, name] of names.entries()) {
    const answer = made[index]!;
    assert.ok(answer.status < 300, `${name}: ${answer.text}`);
    assert.deepEqual(schemaOf(name).safeParse(answer.body).error?.issues, undefined, `${name}: ${answer.text}`);
  }
  for (const { id, path, answer, downloads } of operations.filter((each) => each.method === 'get' && !each.path.includes('{'))) {
    const given = await ask(path + (queries[id] ?? ''));
    assert.equal(given.status, 200, `${id}: ${given.text}`);
    assert.deepEqual(answer.safeParse(downloads === undefined ? given.body : given.text).error?.issues, undefined, `${id}: ${given.text}`);
  }
});
