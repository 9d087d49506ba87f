/** Faults put into a simulated world on purpose, most of them into the product's own rules, to see that they are found. */
import type { LeaseAnswer, LeaseMoment } from '@metergate/core/spend/lease/account.ts';
import type { AnsweredClaim, freed, LeasedSum, LeaseQuestion } from '@metergate/core/spend/lease/answer.ts';
import type { LeaseBook, SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import type { leaseNodeState } from '@metergate/core/spend/lease/node-state.ts';
import type { Runs, RunsOptions } from '@metergate/gateway/guards/runs.ts';
import type { SpendLeases, SpendLeasesOptions } from '@metergate/gateway/guards/spend-leases.ts';
import type { JournalRow } from './rows.ts';

/** A question as the simulated store has it: with whose lease is meant. */
export interface SubjectQuestion extends LeaseQuestion {
  readonly claim: SubjectClaim;
}

export interface Faults {
  readonly bookOf?: (spread: number, moment: () => LeaseMoment) => LeaseBook;
  readonly leasesOf?: (options: SpendLeasesOptions) => SpendLeases;
  readonly runsOf?: (options: RunsOptions) => Runs;
  /** Instead of `answerClaim`. */
  readonly answer?: (sum: LeasedSum, question: SubjectQuestion) => AnsweredClaim;
  /** What is left of a lease that is freed. */
  readonly freed?: typeof freed;
  /** When a silent node's leases are freed. */
  readonly nodeState?: typeof leaseNodeState;
  /** What takes in the answers to the batch that a book has just made, should they come after it was given up. */
  readonly lateFor?: (book: LeaseBook) => (answers: readonly LeaseAnswer[]) => void;
  /** Which rows of its journal a process finds that begins again. */
  readonly recovered?: (row: JournalRow) => boolean;
  /** A process that begins again gives back the leases of the one before, and ships its journal only after so long. Milliseconds. */
  readonly shipsAfterMs?: number;
}
