/**
 * Operations → the OpenAPI document at `/platform/v1/openapi.json`, complete enough to generate a client from: every field of every answer,
 * every status with its error codes, and the forms of money, times and cursors.
 */
import { z, type OpenAPIHono } from '@hono/zod-openapi';
import manifest from '../../package.json' with { type: 'json' };
import { sessionCookieName } from '../auth/session-cookie.ts';
import { statusOf } from './envelope.ts';
import type { Operation } from './operation.ts';

export const apiRoot = '/platform/v1';

const about = 'Administration and reports of Metergate: what the metergate command does, over HTTP, '
  + 'for one organization: that of the session or token. '
  + 'Lists are read a page at a time. Another organization\'s id gets the same answer as an unknown one (404). '
  + 'An error is {error: {code, message}}: branch on the code; the message is for people.';

const tags: Readonly<Record<string, string>> = {
  auth: 'Signing in and out, and joining by a link', organizations: 'The organization and its settings', members: 'Members and invitations',
  keys: 'Service keys', providers: 'Provider keys', upstream: 'The declared upstream', caps: 'Spend caps', runs: 'Runs and grants for them',
  calls: 'Call records', usage: 'What calls used', exports: 'Calls as files', tokens: 'Management tokens', audit: 'Who changed what, when',
  reconciliations: "Providers' bills beside the records", limits: 'Throughput limits',
  assessments: 'The Baseline of the tap', self: 'What a service key sees of itself',
};

const errorSchema = z.object({
  error: z.object({
    code: z.string().openapi({ description: 'For programs; stable' }), message: z.string().openapi({ description: 'For people' }),
  }),
}).openapi('Error');

/** All statuses, with their error codes, that an operation may answer with besides success. */
export function refusalsOf(operation: Operation): ReadonlyMap<number, readonly string[]> {
  const codes: string[] = ['invalid_input', ...(operation.refuses ?? [])];
  const byStatus = new Map<number, string[]>();
  const add = (status: number, code: string): void => {
    const known = byStatus.get(status) ?? [];
    if (!known.includes(code)) byStatus.set(status, [...known, code]);
  };
  for (const code of codes) add(statusOf(code), code);
  if (operation.query !== undefined && 'cursor' in operation.query.shape) add(400, 'invalid_cursor');
  if (operation.role !== null || operation.serviceKey === true) add(401, 'unauthorized');
  if (operation.role !== null) add(403, 'forbidden');
  if (operation.serviceKey !== true) add(403, 'cross_site');
  if (operation.consuming === true) add(403, 'prefetch');
  if (operation.body !== undefined) {
    add(400, 'invalid_json');
    add(413, 'body_too_large');
    add(415, 'unsupported_media_type');
    add(429, 'too_many_bodies');
    add(503, 'busy');
  }
  if (operation.bounded === true) add(429, 'too_many_attempts');
  add(503, 'busy');
  add(503, 'unavailable');
  add(500, 'internal_error');
  return byStatus;
}

/** One operation's part of the document. */
export function described(operation: Operation): Parameters<OpenAPIHono['openAPIRegistry']['registerPath']>[0] {
  const json = (schema: z.ZodType) => ({ 'application/json': { schema } });
  const file = (types: readonly string[]) => Object.fromEntries(types.map((type) =>
    // A client that reads a Parquet file as text corrupts it.
    [type, { schema: type.includes('parquet') ? { type: 'string' as const, format: 'binary' } : operation.answer }]));
  return {
    operationId: operation.id, method: operation.method, path: apiRoot + operation.path, summary: operation.summary, tags: [operation.tag],
    security: operation.serviceKey === true ? [{ serviceKey: [] }] : operation.role === null ? [] : [{ session: [] }, { token: [] }],
    ...(operation.role === null ? {} : { 'x-role': operation.role }),
    request: {
      ...(operation.params === undefined ? {} : { params: operation.params }),
      ...(operation.query === undefined ? {} : { query: operation.query }),
      ...(operation.body === undefined ? {} : { body: { required: true, content: json(operation.body) } }),
    },
    responses: {
      [operation.status ?? 200]: {
        description: operation.summary,
        content: operation.downloads === undefined ? json(operation.answer) : file(operation.downloads),
      },
      ...Object.fromEntries([...refusalsOf(operation)].toSorted(([one], [other]) => one - other).map(([status, codes]) => [status, {
        description: `${statusText[status] ?? 'Refused'}: ${codes.map((code) => `\`${code}\``).join(', ')}`, content: json(errorSchema),
        ...(status === 429 || status === 503 ? { headers: { 'retry-after': secondsToWait } } : {}),
      }])),
    },
  } as Parameters<OpenAPIHono['openAPIRegistry']['registerPath']>[0];
}

const secondsToWait = { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } as const;

const statusText: Readonly<Record<number, string>> = {
  400: 'The input is malformed or cannot be accepted', 401: 'No valid session, token or key', 403: 'Not allowed', 404: 'Not found',
  409: 'Conflicts with what exists', 410: 'Gone for good', 413: 'The body is too large', 415: 'The body is not plain JSON',
  429: 'Too much at once', 500: 'A fault of the platform', 502: 'The provider did not answer', 503: 'Not right now',
};

/** Serves the document. Made once: operations do not change while the platform runs. */
export function describeApp(app: OpenAPIHono, publicUrl: string): void {
  const scheme = (name: string, value: Parameters<OpenAPIHono['openAPIRegistry']['registerComponent']>[2]) =>
    app.openAPIRegistry.registerComponent('securitySchemes', name, value as never);
  scheme('token', { type: 'http', scheme: 'bearer', bearerFormat: 'svc_mgmt_…', description: 'A management token' });
  scheme('session', { type: 'apiKey', in: 'cookie', name: sessionCookieName(publicUrl), description: 'The cookie that signing in sets' });
  scheme('serviceKey', { type: 'http', scheme: 'bearer', bearerFormat: 'svc_live_…',
    description: 'A service key, only for what concerns the key itself' });
  let document: string | null = null;
  app.get(`${apiRoot}/openapi.json`, (context) => {
    document ??= JSON.stringify(app.getOpenAPI31Document({
      openapi: '3.1.0', info: { title: 'Metergate platform', version: manifest.version, description: about }, servers: [{ url: publicUrl }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    }));
    return context.body(document, 200, { 'content-type': 'application/json' });
  });
}
