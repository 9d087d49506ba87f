/**
 * Refusals on named upstreams in the form that the provider's own clients read. Decision 152. Status, code and sentence are the table's
 * (`./refusals.ts`); only what stands around them differs.
 */
import { behindName, upstreamNameOf } from '@metergate/core/call/named-upstream.ts';
import { plainPathOf } from '@metergate/core/call/plain-path.ts';
import { pathOf } from '@metergate/core/call/route.ts';
import { plainOperationOf } from '@metergate/core/usage/operation.ts';
import type { OwnDialect } from '@metergate/core/usage/dialect-names.ts';
import { dialectOfOperation } from '@metergate/core/usage/upstream-dialects.ts';
import type { RefusalAnswer } from './refusals.ts';

/** A body, to be written as JSON, and the header fields that go with it: name, value. */
interface ShapedRefusal {
  readonly body: unknown;
  readonly pairs: readonly string[];
}

/** Of the table's answer, and the id under which the caller may ask about it. */
export type ShapeRefusal = (answer: RefusalAnswer, ownId: string) => ShapedRefusal;

/** The form of refusals of a request for this raw target; null: the specification's. */
export function refusalShape(rawTarget: string): ShapeRefusal | null {
  const path = pathOf(rawTarget);
  const upstream = upstreamNameOf(path);
  if (upstream === null) return null;
  const dialect = dialectOfOperation(plainOperationOf(path), null);
  if (dialect !== null) return shapes[dialect];
  const plain = behindName(plainPathOf(path) ?? '', upstream);
  return otherPaths.find(([form]) => form.test(plain))?.[1] ?? null;
}

/** The specification's envelope, for those who look for it. */
function envelopeOf({ message, type, code }: RefusalAnswer) {
  return { message, type, param: null, code };
}

/** By status, as Google's APIs name it (google.rpc.Code). */
const googleStatus: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 402: 'RESOURCE_EXHAUSTED', 403: 'PERMISSION_DENIED', 408: 'DEADLINE_EXCEEDED',
  413: 'INVALID_ARGUMENT', 429: 'RESOURCE_EXHAUSTED', 500: 'INTERNAL', 502: 'UNAVAILABLE', 503: 'UNAVAILABLE',
};

/** By status, as Bedrock names its exceptions. */
const exceptions: Readonly<Record<number, string>> = {
  400: 'ValidationException', 401: 'UnrecognizedClientException', 402: 'ServiceQuotaExceededException', 403: 'AccessDeniedException',
  429: 'ThrottlingException', 500: 'InternalServerException', 502: 'ServiceUnavailableException', 503: 'ServiceUnavailableException',
};

const asException: ShapeRefusal = (answer, ownId) => ({
  body: { message: answer.message, error: envelopeOf(answer) },
  pairs: ['x-amzn-errortype', exceptions[answer.status] ?? 'ValidationException', 'x-amzn-requestid', ownId],
});

const asGoogles: ShapeRefusal = (answer) => ({
  body: {
    error: {
      code: answer.status, message: answer.message, status: googleStatus[answer.status] ?? 'FAILED_PRECONDITION',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: answer.code, domain: 'metergate' }],
    },
  },
  pairs: [],
});

/** Anthropic's clients look there for a request's id, wherever they are led. */
const requestIdOfMessages = 'request-id';

const asMessages: ShapeRefusal = (answer, ownId) => ({ body: { error: envelopeOf(answer) }, pairs: [requestIdOfMessages, ownId] });

const asOllamas: ShapeRefusal = ({ message, code }) => ({ body: { error: message, code }, pairs: [] });

const shapes: { readonly [Name in OwnDialect]: ShapeRefusal } = {
  gemini: asGoogles,
  'gemini-interactions': asGoogles,
  'bedrock-converse': asException,
  'bedrock-anthropic'(answer, ownId) {
    const { body, pairs } = asException(answer, ownId);
    return { body, pairs: [...pairs, requestIdOfMessages, ownId] };
  },
  cohere: (answer, ownId) => ({ body: { id: ownId, message: answer.message, error: envelopeOf(answer) }, pairs: [] }),
  ollama: asOllamas,
};

/**
 * Plain paths behind the name that are only this provider's, beside the operations whose usage is read: counts of tokens, lists, files. Those of
 * Google's that are in OpenAI's format or in Anthropic's are not.
 */
const otherPaths: readonly (readonly [form: RegExp, shape: ShapeRefusal])[] = [
  [/\/v1\/messages(?:\/.+)?$|:(?:stream)?rawpredict$/, asMessages],
  [/^\/model\/[^/]+(?:\/[^/]+)?\/[a-z-]+$|^\/(?:async-invoke|guardrail)(?:\/.+)?$/, asException],
  [/^\/v1(?:alpha|beta)\d*\/(?!openai\/|.*\/endpoints\/openapi\/)|:(?:counttokens|computetokens|predict|predictlongrunning)$/, asGoogles],
  [/^\/api\/(?:blobs\/.+|copy|create|delete|ps|pull|push|show|tags|version|web_fetch|web_search)$/, asOllamas],
];
