/**
 * The OpenAPI document names every route of the app and no other, with the schemas that validate; every answer of the app fits the
 * schema that the document shows for it. Rules: Platform HTTP.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { operations } from './app.ts';
import { freshSqlite, platformFixture, platformOfFile, type PlatformFixture } from './test-support/platform-fixture.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, {
    readonly operationId: string; readonly security: unknown[]; readonly requestBody?: unknown; readonly responses: Readonly<Record<string, unknown>>;
  }>>>>;
}

let platform: PlatformFixture;
let document: Document;
platformOfFile(async (made) => {
  platform = made;
  document = (await platform.ask('/platform/v1/openapi.json')).body as unknown as Document;
});

/** What a request to an operation needs. */
const queries: Readonly<Record<string, string>> = {
  downloadUsage: '?format=csv', find: '?text=key',
  exportCalls: '?from=2026-09-01T00:00:00Z&to=2026-10-01T00:00:00Z', tryCap: '?scope=organization&window=day&limit=1.00',
  showStatementRows: '?month=2026-09&by=model',
};

/** Pages and the document itself are not operations. */
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
  for (const { id, method, path, role, body, serviceKey, status = 200 } of operations) {
    const shown = document.paths[`/platform/v1${path}`]![method]!;
    assert.equal(shown.operationId, id);
    assert.equal(shown.security.length, serviceKey === true ? 1 : role === null ? 0 : 2, id);
    assert.equal(shown.requestBody !== undefined, body !== undefined, id);
    assert.ok(shown.responses[status] !== undefined && shown.responses[400] !== undefined, id);
  }
});

test('answers have the schemas of the document', async () => {
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
  // Without a call there are no receipts to export.
  await platform.store.calls.ship(batchOf('seg_documented', [sampleRecord(acme.id)]));
  const plain = operations.filter((each) => each.method === 'get' && !each.path.includes('{') && each.serviceKey !== true);
  for (const { id, path, answer, downloads } of plain) {
    const given = await ask(path + (queries[id] ?? ''));
    assert.equal(given.status, 200, `${id}: ${given.text}`);
    assert.deepEqual(answer.safeParse(downloads === undefined ? given.body : given.text).error?.issues, undefined, `${id}: ${given.text}`);
  }
});

test('the document gives a generated client everything: each field with its form, each error with its codes', async () => {
  const shown = document as unknown as {
    readonly servers: { readonly url: string }[]; readonly components: {
      readonly schemas: Readonly<Record<string, unknown>>; readonly securitySchemes: Readonly<Record<string, { readonly name?: string }>>;
    };
  };
  assert.deepEqual(shown.servers, [{ url: 'http://platform.test' }]);
  assert.equal(shown.components.securitySchemes['session']!.name, 'metergate_session');
  const formless: string[] = [];
  const visit = (at: string, schema: unknown): void => {
    const { properties, items, anyOf, oneOf, ...own } = schema as Record<string, unknown>;
    const parts = [...(anyOf ?? []) as unknown[], ...(oneOf ?? []) as unknown[], ...(items === undefined ? [] : [items])];
    if (!['type', '$ref', 'const', 'enum', 'allOf'].some((name) => name in own) && parts.length === 0) formless.push(at);
    for (const [index, part] of parts.entries()) visit(`${at}[${index}]`, part);
    for (const [name, part] of Object.entries(properties ?? {})) visit(`${at}.${name}`, part);
  };
  for (const [name, schema] of Object.entries(shown.components.schemas)) visit(name, schema);
  assert.deepEqual(formless, []);
  const record = shown.components.schemas['CallRecord'] as {
    readonly properties: Record<string, { readonly type: unknown }>; readonly required: string[];
  };
  assert.deepEqual(record.properties['model']!.type, ['string', 'null']);
  assert.deepEqual(record.required.toSorted(), Object.keys(record.properties).toSorted());
  for (const { id, method, path, role, body, query } of operations) {
    const { responses } = document.paths[`/platform/v1${path}`]![method]!;
    const statuses = Object.keys(responses).map(Number);
    if (role !== null) assert.ok([401, 403].every((status) => statuses.includes(status)), id);
    if (body !== undefined) assert.ok([413, 415].every((status) => statuses.includes(status)), id);
    if (path.includes('{id}')) assert.ok(statuses.includes(404), id);
    if (query !== undefined && 'cursor' in query.shape) assert.match(JSON.stringify(responses[400]), /invalid_cursor/, id);
  }
});

test('every text and figure in a request has a documented form: a pattern, a format, its values, a length, or a sentence', () => {
  const telling = ['pattern', 'format', 'enum', 'const', 'maxLength', 'maximum', 'description'];
  const untold: string[] = [];
  const visit = (at: string, schema: unknown): void => {
    const { type, properties, items, anyOf, $ref: name, ...own } = schema as Record<string, unknown> & { readonly type?: string | string[] };
    if (name !== undefined) return;
    for (const [each, part] of Object.entries(properties ?? {})) visit(`${at}.${each}`, part);
    for (const part of [...(anyOf ?? []) as unknown[], ...(items === undefined ? [] : [items])]) visit(at, part);
    const isPlain = properties === undefined && items === undefined && anyOf === undefined && ![type].flat().includes('boolean');
    if (isPlain && !telling.some((each) => each in own)) untold.push(at);
  };
  for (const { method, path, body, query } of operations) {
    const sent = document.paths[`/platform/v1${path}`]![method]! as unknown as {
      readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: unknown } } };
      readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: unknown }[];
    };
    if (body !== undefined) visit(`${method} ${path}`, sent.requestBody!.content['application/json'].schema);
    for (const { in: place, name, schema } of query === undefined ? [] : sent.parameters!) if (place === 'query') visit(`${path}?${name}`, schema);
  }
  assert.deepEqual(untold, []);
});

test('behind https the document names the cookie that is bound to the host', async () => {
  const secure = freshSqlite();
  const other = await platformFixture(secure.url, { publicUrl: 'https://platform.example' });
  const { body } = await other.ask('/platform/v1/openapi.json');
  assert.equal((body['components'] as { securitySchemes: { session: { name: string } } }).securitySchemes.session.name, '__Host-metergate_session');
  await other.end();
  secure.remove();
});
