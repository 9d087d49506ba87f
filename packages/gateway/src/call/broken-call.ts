/**
 * Ends a call that a fault of the gateway broke: writes its record and ends the caller's answer. The record has no usage, whatever was read,
 * because the reader or the pricing may be what broke. The caller gets 500 if nothing was sent yet, or else an answer that is visibly cut.
 */
import type { RequestId } from '@metergate/core/id.ts';
import { noReadingFields, noWork, type CallOpening, type CallRecord } from '@metergate/core/record/call-record.ts';
import { withoutUsage } from '@metergate/core/usage/operation.ts';
import { nothingDue, usageUnknown } from '@metergate/core/usage/reading.ts';
import type { CallerRequest, CallerResponse } from '../callers/caller-exchange.ts';
import { sendRefusal } from '../callers/respond.ts';
import type { Answer } from './answer.ts';
import type { EndedCall } from './settle.ts';

/** What the relay knows of its call at any moment. */
export type CallFacts = Omit<EndedCall, 'outcome' | 'reading' | 'requestedModel' | 'outcomeOf'>;

/** The record of a call that broke after `opening` was journalled. */
export function brokenRecord(opening: CallOpening, facts: CallFacts): CallRecord {
  const { usage, usageReason } = withoutUsage(opening) === 'none' ? nothingDue : usageUnknown('reader_fault');
  return {
    ...opening,
    ...noReadingFields,
    ...facts,
    ...noWork,
    outcome: facts.status === null ? 'failed' : 'cut',
    usage, usageReason,
  };
}

/** Ends the caller's side of such a call. @throws what goes wrong even there, with the connection gone. */
export function breakOff(request: CallerRequest, response: CallerResponse, { id, answer }: {
  readonly id: RequestId; readonly answer: Answer;
}): void {
  try {
    if (response.headersSent) answer.break();
    else sendRefusal(request, response, id, { kind: 'internal_fault' });
  } catch (cause) {
    request.socket.destroy();
    throw cause;
  }
}
