/**
 * The head of an answer → the reader of its copy. An answer is watched for its own usage (rule 6a), or because it tells how work ended that an
 * earlier call began (rule 6f), or not at all.
 */
import { allValues } from '@metergate/core/call/header-pairs.ts';
import { OutcomeTally } from '@metergate/core/price/settlement.ts';
import { isWatched, plainOperationOf, withoutUsage } from '@metergate/core/usage/operation.ts';
import { outcomePlaceOf } from '@metergate/core/usage/outcome-place.ts';
import { createOutcomeReader } from '@metergate/core/usage/outcome-reader.ts';
import type { ReadingContext } from '@metergate/core/usage/reading.ts';
import { dialectOfOperation, isSuggested } from '@metergate/core/usage/upstream-dialects.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { CopyReader } from '../usage/copy-reader.ts';
import type { AdmittedCall } from './admitted-call.ts';
import type { ResponseHead } from './response-head.ts';
import { priceOfWork } from './settle.ts';

export interface WatchedAnswer {
  /** Null: it is not watched. */
  readonly copy: CopyReader | null;
  /** The outcome of work that an earlier call began, as the copy reports it; null: none. */
  readonly outcome: OutcomeTally | null;
}

interface AnswerHead {
  readonly status: number;
  readonly head: ResponseHead;
  readonly headers: readonly string[];
}

const unwatched: WatchedAnswer = Object.freeze({ copy: null, outcome: null });

export function watchAnswer(node: GatewayNode, call: AdmittedCall, { status, head, headers }: AnswerHead): WatchedAnswer {
  const { streamed, inLines, inFrames } = head;
  const { method, route: { wire, endpoint, path } } = call;
  if (status < 200 || status >= 300) return unwatched;
  const own = isWatched({ method, path });
  // Only a whole answer tells an outcome: 206 is a part.
  const place = own || status !== 200 ? null : outcomePlaceOf({ method, path });
  if (!own && place === null) return unwatched;
  const coded = { contentEncoding: allValues(headers, 'content-encoding').join(',') || null, organization: call.held.organization.id };
  if (place === null) {
    const without = withoutUsage({ endpoint, method, path });
    const context = { wire, endpoint, streamed, inLines, without, ...dialectOf(call) };
    return { copy: node.createCopyReader({ context, inFrames, ...coded }), outcome: null };
  }
  const outcome = new OutcomeTally(place, priceOfWork(call, node.settings.priceBook, { form: place.form, atMs: node.clock.wallMs() }));
  const createReader = (): ReturnType<typeof createOutcomeReader> => createOutcomeReader({ wire, streamed }, outcome);
  return { copy: node.createCopyReader({ context: { wire, endpoint, streamed, without: 'none' }, createReader, ...coded }), outcome };
}

const ofItsWire = Object.freeze({ dialect: null });

/** The dialect of a named upstream's answer; null: none with a separate reader. */
function dialectOf({ route: { endpoint, path, upstream }, chosen }: AdmittedCall): Pick<ReadingContext, 'dialect' | 'dialectIsSuggested'> {
  if (upstream === null) return ofItsWire;
  const declared = endpoint === 'other' ? chosen.dialect : null;
  const dialect = dialectOfOperation(plainOperationOf(path), declared);
  return dialect === null ? ofItsWire : { dialect, dialectIsSuggested: isSuggested(dialect, declared) };
}
