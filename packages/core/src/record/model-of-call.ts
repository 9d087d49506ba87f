/** The model under which a call stands in months, in rules of allocation and beside bills. Decision 327. Pure. */
import type { CallRecord } from './call-record.ts';

/** The answer's model; of an answer that names none the one that was asked for. Null: neither is known. */
export function modelOfCall({ model, requestedModel }: Pick<CallRecord, 'model' | 'requestedModel'>): string | null {
  return model ?? requestedModel;
}
