/**
 * Every operation of the platform takes processor time in proportion to what is sent to it (decision 0100): each of its fields in the body, in
 * the query and in the path is tried, the others being right: with every shape where a field of this schema is met for the first time, with some
 * shapes elsewhere. A new operation is tried by itself.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@metergate/platform/http/app.ts';
import type { Operation } from '@metergate/platform/http/operation.ts';
import { bodyBytesMax } from '@metergate/platform/http/request-body.ts';
import { filled, shapeOf, type SchemaPart } from '@metergate/platform/http/test-support/filled.ts';
import { platformOfFile, type PlatformFixture, type TestOrganization } from '@metergate/platform/http/test-support/platform-fixture.ts';
import { growthOf, tried, tryAll } from './growth.ts';
import { bodies, texts, values, type Shape } from './shapes.ts';

let platform: PlatformFixture;
let acme: TestOrganization;
let cookie: string;
platformOfFile(async (begun) => {
  platform = begun;
  acme = await platform.organization('acme');
  cookie = await platform.signIn(acme.emails.owner);
});

/** What a field is tried with whose schema was tried with every shape before: there only the operation's own code is new. */
const fewShapes = new Set([
  'letters', 'digits', 'accents', 'a list', 'slashes', 'nested lists', 'a list of texts', 'different names', 'one name again and again', 'escapes',
].flatMap((name) => [name, `text: ${name}`]));
const seenSchemas = new Set<string>();

function shapesFor(place: 'body' | 'query' | 'path', schema: unknown): Readonly<Record<string, Shape>> {
  const all = place === 'body' ? values : texts;
  const key = `${place} ${schemaKey(schema)}`;
  if (tryAll || !seenSchemas.has(key)) {
    seenSchemas.add(key);
    return all;
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => fewShapes.has(name)));
}

const functionNumbers = new Map<unknown, number>();

/** How a schema reads a text: all that it says, but for what may be absent and for bounds that every tried text exceeds. Functions are numbered. */
function schemaKey(schema: unknown): string {
  const { type, innerType } = (schema as SchemaPart | null)?.def ?? {};
  if (innerType !== undefined && (type === 'optional' || type === 'nullable')) return schemaKey(innerType);
  return JSON.stringify(schema, (name, value: unknown) => {
    if (typeof value === 'function') {
      if (!functionNumbers.has(value)) functionNumbers.set(value, functionNumbers.size);
      return `function ${functionNumbers.get(value)}`;
    }
    if (value instanceof RegExp) return String(value);
    if (name === 'minimum' || name === 'maximum') return Number(value) > fieldBytesMax / 8;
    return (value as { readonly _zod?: { readonly def: unknown } } | null)?._zod?.def ?? value;
  });
}

/** A head of Node's HTTP server has 16 KiB; an address is shorter than that. */
const addressBytesMax = 12_288;
/** The rest of the body fits beside the tried field. */
const fieldBytesMax = (bodyBytesMax - 4_096) * tried;
/** Quadratic reading of 12 KiB takes longer. */
const addressFloorMs = 15;

interface Sent {
  readonly path?: string;
  readonly query?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(operation: Operation, { path = 'x', query = '', body, headers }: Sent): Promise<void> {
  const asker = operation.tag === 'views' ? { cookie, headers: { origin: 'http://platform.test', 'sec-fetch-site': 'same-origin' } }
    : operation.role === null ? {} : { token: acme.tokens.owner };
  const { status } = await platform.ask(`/platform/v1${operation.path.replaceAll(/\{\w+\}/g, () => path)}${query}`, {
    method: operation.method.toUpperCase(), ...asker, ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers: { ...asker.headers, ...headers } }),
  });
  assert.ok(status < 500, `${operation.id} answered ${status}: ${String(platform.reports.at(-1))}`);
}

const fairOf = ({ body }: Operation): Record<string, unknown> =>
  body === undefined ? {} : filled(body as unknown as SchemaPart, 'abc') as Record<string, unknown>;

/** A right body, as text, with the value in one field. */
function bodyWith(operation: Operation, name: string, value: string): string {
  const others = Object.entries(fairOf(operation)).filter(([other]) => other !== name)
    .map(([other, fair]) => `,${JSON.stringify(other)}:${JSON.stringify(fair)}`);
  return `{${JSON.stringify(name)}:${value}${others.join('')}}`;
}

type Sending = (text: string) => Sent;

/** What each of these shapes takes in one place of the operation. */
async function tryPlace(operation: Operation, place: string, { shapes, bytesMax, floorMs, sending }: {
  readonly shapes: Readonly<Record<string, Shape>>;
  readonly bytesMax: number;
  readonly floorMs?: number;
  readonly sending: Sending;
}): Promise<void> {
  for (const [name, shape] of Object.entries(shapes)) {
    const { longMs, times, linear } = await growthOf((bytes) => ask(operation, sending(shape(bytes))), bytesMax, floorMs);
    assert.ok(linear, `${place}, ${name}: ${longMs.toFixed(1)} ms, ${times.toFixed(1)} times as long as for an eighth of the text`);
    if (longMs > costliest.longMs) costliest = { longMs, what: `${operation.id}, ${place}, ${name}` };
  }
}

let costliest = { longMs: 0, what: '' };
const address = { shapes: texts, bytesMax: addressBytesMax, floorMs: addressFloorMs };
const coded = (text: string): string => encodeURIComponent(text.toWellFormed()).slice(0, addressBytesMax);

for (const each of operations) {
  // These end what the others need.
  if (each.id === 'eraseOrganization' || each.path.endsWith('/sign-out')) continue;
  const fair = each.body === undefined ? {} : { body: JSON.stringify(fairOf(each)) };
  test(`${each.id}: its time grows no faster than what is sent`, async () => {
    for (const [field, schema] of Object.entries(shapeOf(each.body))) {
      const sending: Sending = (value) => ({ body: bodyWith(each, field, value) });
      await tryPlace(each, `the field ${field}`, { shapes: shapesFor('body', schema), bytesMax: fieldBytesMax, sending });
    }
    for (const [field, schema] of Object.entries(shapeOf(each.query))) {
      const sending: Sending = (text) => ({ ...fair, query: `?${field}=${coded(text)}` });
      await tryPlace(each, `the query's ${field}`, { ...address, shapes: shapesFor('query', schema), sending });
    }
    if (each.path.includes('{')) {
      await tryPlace(each, 'the path', { ...address, shapes: shapesFor('path', null), sending: (text) => ({ ...fair, path: coded(text) }) });
    }
  });
}

test('headers of any shape: the time grows no faster than their length', async () => {
  const [reading, signingIn] = ['listCalls', 'signIn'].map((id) => operations.find((each) => each.id === id)!) as [Operation, Operation];
  const body = JSON.stringify(fairOf(signingIn));
  const names = [
    'accept', 'authorization', 'content-type', 'content-encoding', 'cookie', 'origin', 'referer', 'sec-purpose', 'user-agent', 'x-forwarded-for',
  ];
  for (const name of names) {
    const sendingIn = (more: Sent): Sending => (text) => ({ ...more, headers: { [name]: text.replaceAll(/[^\t\x20-\x7e]/g, 'x') } });
    await tryPlace(reading, name, { ...address, sending: sendingIn({}) });
    await tryPlace(signingIn, name, { ...address, sending: sendingIn({ body }) });
  }
});

test('a body of any shape, and a query of any shape: the time grows no faster than its length', async (context) => {
  const largest = operations.toSorted((one, other) => (other.bodyBytesMax ?? 0) - (one.bodyBytesMax ?? 0))[0]!;
  await tryPlace(largest, 'the body', { shapes: bodies, bytesMax: 262_144 * tried, floorMs: 100 * tried, sending: (body) => ({ body }) });
  const listed = operations.find(({ id }) => id === 'listCalls')!;
  await tryPlace(listed, 'the query', { ...address, sending: (text) => ({ query: `?${text.toWellFormed().replaceAll('#', '')}` }) });
  context.diagnostic(`at most ${costliest.longMs.toFixed(1)} ms: ${costliest.what}`);
});
