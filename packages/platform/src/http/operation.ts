/**
 * One operation of the platform's HTTP as a value: its path, the role it needs, the schemas of input and output, and the use case it runs.
 * `mount.ts` turns it into a route and into its part of the OpenAPI document, so that the two always agree.
 */
import type { Role } from '@metergate/core/account/role.ts';
import { z } from '@hono/zod-openapi';
import type { UseCaseContext } from '../use-cases/context.ts';
import type { AdministrationRefusal, AdministrationRefusalCode } from '../use-cases/refusal.ts';
import type { Download } from './download.ts';
import type { PlatformParts } from './parts.ts';
import type { Actor } from '../use-cases/actor.ts';

/** JSON has absent fields but no undefined ones. */
type Sent<Schema> = Schema extends z.ZodType ? { [Name in keyof z.input<Schema>]: Exclude<z.input<Schema>[Name], undefined> } : Record<never, never>;
type Fields<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<never, never>;

/** One request, checked, as an operation receives it. */
interface OperationCall<Params, Query, Body, Asker> {
  /** In an operation that changes something, the store writes audit rows for its changes. */
  readonly context: UseCaseContext;
  readonly parts: PlatformParts;
  readonly actor: Asker;
  readonly params: Fields<Params>;
  readonly query: Fields<Query>;
  readonly body: Fields<Body>;
  /** The body as it was sent, in the same form: for a use case that checks it with the same schema. */
  readonly sent: Sent<Body>;
  readonly headers: Headers;
  /** The address that the connection comes from. */
  readonly address: string;
  /** Sent with the answer. */
  readonly answerHeaders: Headers;
}

/**
 * What a use case may return for an answer of that schema: its input type, with read-only arrays and fields allowed. A use case that does not
 * match its schema fails to compile.
 */
type Answered<Value> = Value extends readonly (infer Item)[] ? readonly Answered<Item>[]
  : Value extends object ? { readonly [Name in keyof Value]: Answered<Value[Name]> } : Value;
type Result<Answer extends z.ZodType> = Promise<Answered<z.input<Answer>> | AdministrationRefusal>;

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type ObjectSchema = z.ZodObject;

interface OperationShape<Params, Query, Body, Answer> {
  /** Unique. The audit trail uses the same name for the change. */
  readonly id: string;
  readonly method: Method;
  /** Below `/platform/v1`: `/keys/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** The largest body, if it differs from that of other resources. */
  readonly bodyBytesMax?: number;
  /** What it answers with. */
  readonly answer: Answer;
  /** Content types of an answer that is a file instead of JSON: `run` returns a `Download`. */
  readonly downloads?: readonly string[];
  /** 200 by default; 201 for what was created. */
  readonly status?: 200 | 201;
  /**
   * A GET that changes something: never done by HEAD, by a prefetch or for another site, and its changes leave audit rows.
   */
  readonly consuming?: boolean;
  /** It only reads, perhaps for long: it runs on the report thread if there is one (`reports/`). */
  readonly readsLong?: true;
  /** It takes a bill apart, which takes seconds of a processor: it always runs on another thread, also where the store reads by itself. */
  readonly readsBill?: true;
  /** The use case's refusals, besides malformed input: documented, and held to by the tests. */
  readonly refuses?: readonly AdministrationRefusalCode[];
  /** Attempts are counted; too many get 429. */
  readonly bounded?: true;
  /** A service key asks, about itself: no session and no management token. */
  readonly serviceKey?: true;
  /** Body fields that no audit row may hold. */
  readonly secrets?: readonly string[];
}

/** An operation for a role and all above it. */
interface GuardedOperation<
  Params = undefined, Query = undefined, Body = undefined, Answer extends z.ZodType = z.ZodType,
> extends OperationShape<Params, Query, Body, Answer> {
  readonly role: Role;
  run(call: OperationCall<Params, Query, Body, Actor>): Result<Answer>;
}

/** An operation that needs no session: signing in, say. */
interface OpenOperation<
  Params = undefined, Query = undefined, Body = undefined, Answer extends z.ZodType = z.ZodType,
> extends OperationShape<Params, Query, Body, Answer> {
  readonly role: null;
  run(call: OperationCall<Params, Query, Body, null>): Result<Answer>;
}

/** An operation, whatever its schemas are. */
export interface Operation extends OperationShape<ObjectSchema | undefined, ObjectSchema | undefined, ObjectSchema | undefined, z.ZodType> {
  readonly role: Role | null;
  run(call: OperationCall<undefined, undefined, undefined, Actor | null>): Promise<unknown>;
}

/** Checks `run` against the schemas' types, then drops these types for the table of operations. */
export function operation<
  const Answer extends z.ZodType,
  const Params extends ObjectSchema | undefined = undefined,
  const Query extends ObjectSchema | undefined = undefined,
  const Body extends ObjectSchema | undefined = undefined,
>(spec: GuardedOperation<Params, Query, Body, Answer>): Operation {
  return spec as unknown as Operation;
}

/** What an operation that only reads gets of its request. */
export type ReadingCall<Params, Query> = Pick<OperationCall<Params, Query, undefined, Actor>, 'context' | 'actor' | 'params' | 'query'>;

type ReadingShape<Params, Query, Answer> = Omit<OperationShape<Params, Query, undefined, Answer>, 'method' | 'body' | 'consuming' | 'readsLong'>;

/** The same for an operation that only reads, perhaps for long. */
export function readingOperation<
  const Answer extends z.ZodType,
  const Params extends ObjectSchema | undefined = undefined,
  const Query extends ObjectSchema | undefined = undefined,
>(spec: ReadingShape<Params, Query, Answer> & {
  readonly role: Role;
  run(call: ReadingCall<Params, Query>): Result<Answer>;
}): Operation {
  return { ...spec, method: 'get', readsLong: true } as unknown as Operation;
}

/** One that answers with a file, of one of the content types of `downloads`. */
export function downloadOperation<
  const Params extends ObjectSchema | undefined = undefined,
  const Query extends ObjectSchema | undefined = undefined,
>(spec: Omit<ReadingShape<Params, Query, z.ZodString>, 'answer' | 'downloads'> & {
  readonly role: Role;
  readonly downloads: readonly string[];
  run(call: ReadingCall<Params, Query>): Promise<Download | AdministrationRefusal>;
}): Operation {
  return { ...spec, method: 'get', answer: z.string(), readsLong: true } as unknown as Operation;
}

/** The same for one whose query comes in a body: it changes nothing. */
export function readingPost<
  const Answer extends z.ZodType, const Body extends ObjectSchema, const Query extends ObjectSchema | undefined = undefined,
>(spec: Omit<OperationShape<undefined, Query, Body, Answer>, 'method' | 'consuming' | 'readsLong'> & {
  readonly role: Role;
  run(call: ReadingCall<undefined, Query> & { readonly body: Fields<Body> }): Result<Answer>;
}): Operation {
  return { ...spec, method: 'post', readsLong: true } as unknown as Operation;
}

/** The same for an operation without a session. */
export function openOperation<
  const Answer extends z.ZodType,
  const Params extends ObjectSchema | undefined = undefined,
  const Query extends ObjectSchema | undefined = undefined,
  const Body extends ObjectSchema | undefined = undefined,
>(spec: OpenOperation<Params, Query, Body, Answer>): Operation {
  return spec as unknown as Operation;
}
