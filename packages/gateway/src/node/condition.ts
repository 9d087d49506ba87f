/**
 * What a node cannot do at present, for its readiness. Without its journal it forwards nothing; if it cannot confirm spend, it must refuse
 * calls under caps and in runs. Checked once a second, off the path of a call. Rules: Journal and Spend across nodes.
 */
import { JournalFault, systemCode } from '@metergate/store/journal/journal-fault.ts';
import type { JournalCondition } from '@metergate/store/journal/journal.ts';

export interface NodeCondition {
  /** Why the journal cannot be written, as in `the disk is full`; null if it can. */
  readonly journal: string | null;
  /** Calls were refused because spend cannot be confirmed, and the shared store has not answered since. */
  readonly unconfirmed: boolean;
}

interface ConditionOptions {
  readonly journal: JournalCondition;
  readonly monotonicMs: () => number;
  /** When the shared store last took part in leasing; null: the store is the node's own. */
  readonly leasesAnsweredMs: (() => number) | null;
  /** Calls refused so far because spend could not be confirmed. */
  readonly unverified: () => number;
}

/** A shared store that is silent for this long does not answer a claim within a call's time either. */
const silentMsMax = 5_000;

/** Returns a function that checks the condition and gives it if it has changed since the last check, else null. */
export function createConditionWatch({ journal, monotonicMs, leasesAnsweredMs, unverified }: ConditionOptions): () => NodeCondition | null {
  let last: NodeCondition = { journal: null, unconfirmed: false };
  let refusedWhenAnswered = 0;
  return () => {
    journal.probe();
    const answers = leasesAnsweredMs === null || monotonicMs() - leasesAnsweredMs() < silentMsMax;
    if (answers) refusedWhenAnswered = unverified();
    const now = { journal: journal.fault === null ? null : inWords(journal.fault), unconfirmed: !answers && unverified() > refusedWhenAnswered };
    if (now.journal === last.journal && now.unconfirmed === last.unconfirmed) return null;
    last = now;
    return now;
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full', EDQUOT: 'the disk is full', EFBIG: 'its file may not grow', EIO: 'the disk failed', EUCLEAN: 'the disk failed',
  EROFS: 'its file may not be written', EACCES: 'its file may not be written', EPERM: 'its file may not be written',
  EMFILE: 'this process may open no more files', ENFILE: 'this process may open no more files',
};

function inWords(fault: Error): string {
  const code = fault instanceof JournalFault ? systemCode(fault.cause) : systemCode(fault);
  return reasons[code] ?? (code === '' || code === 'ENOENT' ? 'its directory cannot be written' : code);
}
