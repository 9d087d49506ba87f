/**
 * Operations → routes of the app and parts of its OpenAPI document. The order for every request: authentication (401), role (403), cross-site
 * check (403), input (400, 413, 415), then the use case.
 */
import type { OpenAPIHono, z } from '@hono/zod-openapi';
import { hasRightsOf } from '@metergate/core/account/role.ts';
import { othersFirst, workFor } from '@metergate/store/threads/others-first.ts';
import type { Context } from 'hono';
import { leavingOf } from './asker-leaves.ts';
import { asOrganization, type ShownCredential } from './askers.ts';
import type { UseCaseContext } from '../use-cases/context.ts';
import { ownSentencesAlone } from '../use-cases/input.ts';
import { isRefusal, type AdministrationRefusal } from '../use-cases/refusal.ts';
import { actorOf } from './actor.ts';
import { networkOf } from './client-address.ts';
import { addressOf } from './connection-address.ts';
import { refuseCrossSite, refuseUnlessDeliberate } from './cross-site.ts';
import { apiRoot, described } from './describe.ts';
import { downloadResponse, isDownload } from './download.ts';
import { HttpRefusal, httpRefusalOf } from './envelope.ts';
import { OperationPlaces } from './operation-places.ts';
import { ReadingPlaces } from './reading-places.ts';
import type { Operation } from './operation.ts';
import { JsonText } from '../reports/messages.ts';
import type { Actor } from '../use-cases/actor.ts';
import type { PlatformParts } from './parts.ts';
import { readJsonObject } from './request-body.ts';

/** Adds the operations to the app, in their order. */
export function mount(app: OpenAPIHono, parts: PlatformParts, operations: readonly Operation[]): void {
  let made: OperationPlaces | null = null;
  // With the first request: the app is also made for its document alone, without a store.
  const places = (): OperationPlaces => made ??= new OperationPlaces(placesOn[parts.store.engine]);
  const readings = new ReadingPlaces();
  for (const each of operations) {
    const path = apiRoot + each.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.on(each.method.toUpperCase(), path, (context) => answer(context, parts, { operation: each, places, readings }));
    app.openAPIRegistry.registerPath(described(each));
  }
}

/**
 * Places of one organization. The embedded store does one thing at a time; a second request is read and written meanwhile. A shared store does
 * several things at a time, and each takes a round trip.
 */
const placesOn = { sqlite: 2, postgres: 4 } as const;

interface Mounted {
  readonly operation: Operation;
  readonly places: () => OperationPlaces;
  /** Of a shared store, where nothing else makes its reports. */
  readonly readings: ReadingPlaces;
}

async function answer(context: Context, parts: PlatformParts, mounted: Mounted): Promise<Response> {
  const answerHeaders = new Headers();
  if (mounted.operation.role === null) return answerAs(null, context, parts, { ...mounted, answerHeaders });
  const actor = await admitted(context.req.raw, parts, { operation: mounted.operation, answerHeaders });
  return workFor(asOrganization(actor.organization), () => answerAs(actor, context, parts, { ...mounted, answerHeaders }));
}

async function answerAs(
  actor: Actor | null, context: Context, parts: PlatformParts,
  { operation, places, readings, answerHeaders }: Mounted & { readonly answerHeaders: Headers },
): Promise<Response> {
  const request = context.req.raw;
  const changes = changesSomething(operation);
  if (operation.role === null && changes && operation.serviceKey !== true) refuseCrossSite(request, parts.publicUrl);
  if (operation.consuming === true) refuseUnlessDeliberate(request, parts.publicUrl);
  const params = checked(operation.params, context.req.param(), 'path');
  const query = checked(operation.query, singleQuery(context), 'query');
  const ask = async (sent: Record<string, unknown>, body: Record<string, unknown>): Promise<unknown> => {
    const here = () => operation.run({
      context: contextOf(parts, { operation, actor, changes, params, sent }),
      parts, actor, params: params as never, query: query as never, body: body as never, sent: sent as never,
      headers: request.headers, address: addressOf(context, parts), answerHeaders,
    });
    const elsewhere = operation.readsLong !== true ? null : parts.reports ?? (operation.readsBill === true ? parts.bills : null);
    if (elsewhere !== null) return elsewhere.run(operation.id, { actor: actor!, params, query, body, nowMs: parts.clock() }, leavingOf(context));
    if (actor === null) return here();
    if (operation.readsLong !== true) return places().take(actor.organization, here);
    if (parts.store.engine === 'sqlite') return here();
    const reader = { organization: actor.organization, cell: await parts.store.cells.numberOf(actor.organization) };
    const left = leavingOf(context);
    const read = await readings.take(reader, async () => workFor(asOrganization(actor.organization), here, () => !left.aborted), left);
    return isDownload(read) ? readings.inPlaces(read, reader) : read;
  };
  const result = operation.body === undefined ? await ask({}, {}) : await withBody(context, parts, { operation, actor, ask });
  if (isRefusal<AdministrationRefusal>(result)) throw httpRefusalOf(result);
  if (isDownload(result)) return downloadResponse(result, answerHeaders, parts.report);
  answerHeaders.set('content-type', 'application/json');
  return new Response(result instanceof JsonText ? result.json : JSON.stringify(result), { status: operation.status ?? 200, headers: answerHeaders });
}

function changesSomething({ method, consuming }: Operation): boolean {
  return method !== 'get' || consuming === true;
}

interface Bodied {
  readonly operation: Operation;
  /** Null: nobody needs to be known. */
  readonly actor: Actor | null;
  readonly ask: (sent: Record<string, unknown>, body: Record<string, unknown>) => Promise<unknown>;
}

/** Reads the body, and counts what it holds until the answer is there. */
async function withBody(context: Context, parts: PlatformParts, { operation, actor, ask }: Bodied): Promise<unknown> {
  const held = actor === null ? parts.bodies.unknown(networkOf(addressOf(context, parts))) : parts.bodies.known(actor.organization);
  try {
    const sent = await readJsonObject(context.req.raw, { held, bytesMax: operation.bodyBytesMax, turn: othersFirst });
    return await ask(sent, checked(operation.body, sent, 'body'));
  } finally {
    held.release();
  }
}

async function admitted(
  request: Request, parts: PlatformParts, { operation, answerHeaders }: { readonly operation: Operation; readonly answerHeaders: Headers },
): Promise<Actor> {
  const actor = await actorOf(request, parts, answerHeaders);
  if (actor === null) {
    parts.askers.unlearn(shownBy(request));
    throw unauthorized();
  }
  parts.askers.learn(shownBy(request), asOrganization(actor.organization));
  if (actor.kind === 'person') refuseCrossSite(request, parts.publicUrl);
  if (!hasRightsOf(actor.role, operation.role!)) {
    throw new HttpRefusal(403, 'forbidden', `This needs the role ${operation.role}; yours is ${actor.role}.`);
  }
  return actor;
}

function shownBy({ headers }: Request): ShownCredential {
  const [authorization, cookie] = [headers.get('authorization') ?? undefined, headers.get('cookie') ?? undefined];
  return { ...(authorization === undefined ? {} : { authorization }), ...(cookie === undefined ? {} : { cookie }) };
}

function unauthorized(): HttpRefusal {
  return new HttpRefusal(401, 'unauthorized', 'Sign in, or send a management token as Authorization: Bearer.', {
    'www-authenticate': 'Bearer',
  });
}

interface Changing {
  readonly operation: Operation;
  readonly actor: Actor | null;
  readonly changes: boolean;
  readonly params: Readonly<Record<string, unknown>>;
  readonly sent: Readonly<Record<string, unknown>>;
}

/** Fields sent as secrets never appear in the audit's details. */
function contextOf(parts: PlatformParts, { operation, actor, changes, params, sent }: Changing): UseCaseContext {
  const { store, clock, randomBytes, passwords } = parts;
  const context = { store, randomBytes, nowMs: clock(), passwords };
  if (!changes || actor === null) return context;
  const secrets = new Set(['password', 'credential', 'token', 'key', ...(operation.secrets ?? [])]);
  const detail = Object.fromEntries(Object.entries({ ...params, ...sent }).filter(([name]) => !secrets.has(name)));
  return { ...context, store: store.acting({ actor: { kind: actor.kind, id: actor.id, name: actor.name }, detail }) };
}

function checked(schema: z.ZodObject | undefined, value: Record<string, unknown>, place: string): Record<string, unknown> {
  if (schema === undefined) {
    if (place === 'query' && Object.keys(value).length > 0) throw new HttpRefusal(400, 'invalid_input', 'This address takes no query.');
    return {};
  }
  const result = strictOf(schema).safeParse(value, ownSentencesAlone);
  if (result.success) return result.data;
  throw new HttpRefusal(400, 'invalid_input', sentenceOf(result.error.issues[0]!, place));
}

const stricts = new WeakMap<z.ZodObject, z.ZodObject>();

/** The schema that takes no other fields, made once: a new one is compiled anew, which takes longer than most requests. */
function strictOf(schema: z.ZodObject): z.ZodObject {
  let strict = stricts.get(schema);
  if (strict === undefined) stricts.set(schema, strict = schema.strict());
  return strict;
}

/** Names the field, which is ours, and never its content. */
function sentenceOf(issue: z.core.$ZodIssue, place: string): string {
  const field = issue.path.map(String).join('.');
  if (issue.code === 'custom' && typeof issue.params?.['form'] === 'string') return `The ${place} field ${field} must be ${issue.params['form']}.`;
  if (issue.message !== '') return issue.message;
  if (issue.code === 'invalid_value') return `The ${place} field ${field} must be one of ${issue.values.map(String).join(', ')}.`;
  if (issue.code === 'unrecognized_keys') return `The ${field === '' ? place : `field ${field}`} has a field that is not known.`;
  return `The ${place} field ${field} is missing or not of the form that it must have.`;
}

/** Each parameter once. */
function singleQuery(context: Context): Record<string, string> {
  const found: [string, string][] = [];
  for (const [name, values] of Object.entries(context.req.queries())) {
    if (values.length > 1) throw new HttpRefusal(400, 'invalid_input', 'A query parameter is given more than once.');
    found.push([name, values[0] ?? '']);
  }
  return Object.fromEntries(found);
}
