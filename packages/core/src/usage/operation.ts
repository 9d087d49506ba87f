/**
 * The operation that a call asks for → whether its answer is watched for usage, and the reason recorded if it reports none. Rule 6a:
 * the answer to every method that may do work is watched. A call that is charged but reports nothing has unknown usage, never none.
 */
import { asFirstWirePath, behindName, upstreamNameOf } from '../call/named-upstream.ts';
import { plainPathOf } from '../call/plain-path.ts';
import { reportsInOwnDialect } from './upstream-dialects.ts';
import type { Endpoint } from '../wire/wire.ts';
import type { WithoutUsage } from './reading.ts';

/** The parts of a call that say which operation it is. */
export interface CalledOperation {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** As called, without its query. */
  readonly path: string;
}

/** Whether a 2xx answer to this operation is watched for usage. An operation that repeats the usage of earlier work would count it twice. */
export function isWatched({ method, path }: Pick<CalledOperation, 'method' | 'path'>): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return false;
  return !retelling.test(path);
}

/** The reading's reason if the answer ended complete and reported no usage. */
export function withoutUsage({ endpoint, method, path }: CalledOperation): WithoutUsage {
  if (method !== 'POST') return 'none';
  if (endpoint !== 'other' && endpoint !== 'models') return 'absent';
  const plain = plainOperationOf(path);
  if (upstreamNameOf(path) !== null && reportsInOwnDialect(plain)) return 'absent';
  // Before those that report: a call to be done later may be named after the one it does.
  if (deferred.test(plain) || handsOut(plain)) return 'deferred';
  if (reporting.test(plain)) return 'absent';
  return unreported.test(plain) ? 'not_reported' : 'none';
}

/** The plain path at the destination: no wire's prefix, no query. Empty for a path outside every pattern. */
export function plainOperationOf(path: string): string {
  const plain = plainPathOf(path);
  if (plain === null) return '';
  const upstream = upstreamNameOf(path);
  return upstream === null ? plain.replace(/^\/(?:alt|upstream)(?=\/v1)/, '') : asFirstWirePath(behindName(plain, upstream));
}

/** Whether the answer hands out a key of the provider's, or opens a channel to it: what is used that way does not pass through the gateway. */
export function handsOut(plainOperation: string): boolean {
  return handedOut.test(plainOperation);
}

/** Changes of what the first provider keeps, by the ids it gives: the answer is all of it, usage too. No other spelling is taken for one. */
const retelling = /^\/v1\/(?:chat\/completions\/chatcmpl-[\w-]+|threads\/thread_\w+\/runs\/run_\w+|responses\/resp_[\w-]+\/cancel)$/;
/** Operations that report usage, at paths that name no endpoint of their family. */
const reporting = new RegExp('^/v1/(?:chat/completions|completions|embeddings|decisions|responses(?:/compact)?|messages'
  + '|.+/(?:chat/completions|completions|embeddings|responses)|(?:.+/)?[^/]+:(?:stream)?(?:generatecontent|rawpredict))$');
/** Work that is accepted now, done and paid for later: usage is in an answer that is not this one. */
const deferred = new RegExp('^/v1/(?:batches|messages/batches|evals/[^/]+/runs|threads(?:/[^/]+)?/runs|threads/[^/]+/runs/[^/]+/submit_tool_outputs'
  + '|(?:agents/)?sessions(?:/[^/]+/events)?|agents/automations/[^/]+/invocations'
  + '|dreams|deployments/[^/]+/run|predictions|(?:models|deployments)/[^/]+/[^/]+/predictions|batch/jobs|embed-jobs'
  + '|async/(?:sonar|chat/completions)|async-invoke|model-invocation-job|(?:.+/)?[^/]+:(?:predictlongrunning|batchgeneratecontent))$');
/** Keys that last for a while, or for good, and channels by WebRTC or telephone. */
const handedOut = new RegExp('^/v1/(?:realtime'
  + '|realtimeapi/sessions|realtime/(?:calls(?:/[^/]+/accept)?|client_secrets|sessions|transcription_sessions|translations(?:/[^/]+)?)'
  + '|chatkit/sessions|live/sessions(?:/[^/]+/(?:accept|fork))?|auth_tokens'
  + '|organization/(?:admin_api_keys|projects/[^/]+/service_accounts))$');
/** Paid for by the piece, the second, the page or the job, or reported in words of its own. */
const unreported = new RegExp('^/v1/(?:images/[^/]+|audio/(?:speech|transcriptions|translations)|videos(?:/.+)?'
  + '|fine_tuning/(?:jobs|alpha/graders/run)|fine-tunes|containers|complete|chat|generate|embed|rerank|search|classify|summarize|ocr'
  + '|(?:.+/)?[^/]+:(?:predict|embedcontent|batchembedcontents))$');
