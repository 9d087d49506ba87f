/**
 * Refusals on named upstreams in the form that the provider's own clients read. Decision 152. Status, code and sentence are the table's
 * (`./refusals.ts`); only what stands around them differs.
 */
import { upstreamNameOf } from '@metergate/core/call/named-upstream.ts';
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
  if (upstreamNameOf(path) === null) return null;
  const dialect = dialectOfOperation(plainOperationOf(path), null);
  return dialect === null ? null : shapes[dialect];
}

/** The specification's envelope, for those who look for it. */
function envelopeOf({ message, type, code }: RefusalAnswer) {
  return { message, type, param: null, code };
}

/** By status, as Google's APIs name it (google.rpc.Code). */
const googleStatus: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 402: 'RESOURCE_EXHAUSTED', 403: 'PERMISSION_DENIED', 408: 'DEADLINE_EXCEEDED',
  429: 'RESOURCE_EXHAUSTED', 500: 'INTERNAL', 502: 'UNAVAILABLE', 503: 'UNAVAILABLE',
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

const shapes: { readonly [Name in OwnDialect]: ShapeRefusal } = {
  gemini: asGoogles,
  'gemini-interactions': asGoogles,
  'bedrock-converse': asException,
  'bedrock-anthropic': asException,
  cohere: (answer, ownId) => ({ body: { id: ownId, message: answer.message, error: envelopeOf(answer) }, pairs: [] }),
  ollama: ({ message, code }) => ({ body: { error: message, code }, pairs: [] }),
};
