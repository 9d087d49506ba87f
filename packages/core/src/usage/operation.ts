/**
 * The operation that a call asks for → whether its answer is watched for usage, and the reason recorded if it reports none. Rule 6a:
 * the answer to every method that may do work is watched. A call that is charged but reports nothing has unknown usage, never none.
 */
import { asFirstWirePath, behindName, upstreamNameOf } from '../call/named-upstream.ts';
import { plainPathOf } from '../call/plain-path.ts';
import { isAlwaysLater } from './later-work.ts';
import { outcomePlaceOf } from './outcome-place.ts';
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
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || retelling.test(path)) return false;
  return !path.endsWith('/cancel') || outcomePlaceOf({ method, path }) === null;
}

/** The reading's reason if the answer ended complete and reported no usage. */
export function withoutUsage({ endpoint, method, path }: CalledOperation): WithoutUsage {
  if (method !== 'POST') return 'none';
  if (endpoint !== 'other' && endpoint !== 'models') return 'absent';
  const plain = plainOperationOf(path);
  if (upstreamNameOf(path) !== null && reportsInOwnDialect(plain)) return 'absent';
  // Before those that report: a call to be done later may be named after the one it does.
  if (isAlwaysLater(plain) || handsOut(plain)) return 'deferred';
  if (reporting.test(plain)) return countsTokens(plain) ? 'none' : 'absent';
  return unreported.test(plain) ? 'not_reported' : 'none';
}

/** The plain path at the destination: no wire's prefix, no query. Empty for a path outside every pattern. */
export function plainOperationOf(path: string): string {
  const plain = plainPathOf(path);
  if (plain === null) return '';
  const upstream = upstreamNameOf(path);
  return upstream === null ? plain.replace(/^\/(?:alt|upstream)(?=\/v1)/, '') : asFirstWirePath(behindName(plain, upstream));
}

/**
 * Whether Claude's tokens are counted on Google's platform, where that is a publisher's model by name and not a method. `path`: plain, in lower
 * case.
 */
function countsTokens(path: string): boolean {
  return path.endsWith('/publishers/anthropic/models/count-tokens:rawpredict');
}

/** Whether the answer hands out a key of the provider's, or opens a channel to it: what is used that way does not pass through the gateway. */
export function handsOut(plainOperation: string): boolean {
  return handedOut.test(plainOperation);
}

/** Changes of what the first provider keeps, by the ids it gives: the answer is all of it, usage too. No other spelling is taken for one. */
const retelling = /^\/v1\/(?:chat\/completions\/chatcmpl-[\w-]+|threads\/thread_\w+\/runs\/run_\w+)$/;
/** Operations that report usage, at paths that name no endpoint of their family. */
const reporting = new RegExp('^/v1/(?:chat/completions|completions|embeddings|decisions|responses(?:/compact)?|messages|agent'
  + '|services/aigc/(?:text|multimodal)-generation/generation|.+/(?:chat/completions|completions|embeddings|responses)'
  + '|(?:.+/)?[^/]+:(?:stream)?(?:generatecontent|rawpredict))$');
/** Keys that last for a while, or for good, and channels by WebRTC or telephone. */
const handedOut = new RegExp('^/v1/(?:realtime'
  + '|realtimeapi/sessions|realtime/(?:calls(?:/[^/]+/accept)?|client_secrets|sessions|transcription_sessions|translations(?:/[^/]+)?)'
  + '|chatkit/sessions|live/sessions(?:/[^/]+/(?:accept|fork))?|auth_tokens|generate_auth_token|keys|auth/keys(?:/code)?'
  + '|accounts/[^/]+/users/[^/]+/apikeys|auth/teams/[^/]+/api-keys'
  + '|organization/(?:admin_api_keys|projects/[^/]+/service_accounts))$');
/** Paid for by the piece, the second, the page or the job, or reported in words of its own. */
const unreported = new RegExp('^/v1/(?:images/[^/]+|audio/(?:speech|transcriptions|translations|generations)|videos(?:/.+)?'
  + '|video/generations(?:/jobs)?|tts|stt'
  + '|fine_tuning/(?:jobs(?:/[^/]+/resume)?|alpha/graders/run)|fine-tunes|finetuning/finetuned-models|containers'
  + '|complete|chat|generate(?:_stream)?|embed|rerank|search'
  + '|(?:.+/)?(?:text/generation|generation/text)(?:_stream)?|endpoints/[^/]+/invocations(?:-response-stream)?'
  + '|documents/search|libraries/[^/]+/documents|classify|summarize|ocr|workflows/.+|(?:accounts/[^/]+/)?(?:supervised|reinforcement)finetuningjobs'
  + '|endpoints|evaluation|trainings|provisioned-model-throughput|accounts/[^/]+/deployments'
  + '|cachedcontents|tunedmodels|(?:.+/)?(?:tuningjobs|cachedcontents)|model-customization-jobs|evaluation-jobs|retrieveandgenerate'
  + '|agents/[^/]+/agentaliases/[^/]+/sessions/[^/]+/text|flows/[^/]+/aliases/[^/]+|model/[^/]+/invoke-with-bidirectional-stream'
  + '|(?:.+/)?[^/]+:(?:predict|embedcontent|batchembedcontents|analyze|deploymodel|uploadtofilesearchstore|importfile))$');
