/**
 * The reading at the end of an answer (rules: Record). If a copy is being read, it is finished, and waited for as long as the answer's last bytes
 * may wait. If usage was due and no answer came, it is unknown. Otherwise none was due.
 */
import type { CallOutcome } from '@metergate/core/record/call-record.ts';
import { nothingDue, usageUnknown, type Reading } from '@metergate/core/usage/reading.ts';
import type { CopyReader } from '../usage/copy-reader.ts';

/** How long the end of an answer waits for a compressed copy to be read. */
const copyWaitMs = 250;

export interface EndOfAnswer {
  readonly ending: 'whole' | 'cut';
  readonly outcome: CallOutcome;
}

/** What there was to read. */
interface AnswerRead {
  readonly copy: CopyReader | null;
  /** The call was dialled, usage is due on it, and no head came. */
  readonly lost: boolean;
}

/** Runs `done` once, at once where nothing is waited for. */
export function readAtEnd({ copy, lost }: AnswerRead, { ending, outcome }: EndOfAnswer, done: (reading: Reading) => void): void {
  const gone = outcome === 'caller_gone';
  if (copy !== null) {
    copy.finish(ending, copyWaitMs, (reading) => done(gone && reading.usageReason === 'cut' ? { ...reading, usageReason: 'caller_gone' } : reading));
  } else {
    done(lost && outcome !== 'failed' ? usageUnknown(gone ? 'caller_gone' : 'cut') : nothingDue);
  }
}
