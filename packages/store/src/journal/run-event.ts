/**
 * An event of a run, journalled before the answer that shows it: its budget was lowered, or it ended (rules: Journal). Or it began: that is
 * one row with the opening of its first call, so that a run is there exactly if a call of it is.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import type { ClampReason, EndedState, Run } from '@metergate/core/run/run.ts';

/** A node that is the authority began the run without asking the store. Where the store has the run already, it stays as it is. */
export interface RunBeginning extends Pick<Run, 'organization' | 'declared' | 'effective' | 'clampReason' | 'startedAtMs' | 'expiresAtMs'> {
  readonly run: string;
  /** The key of its first call. Only where that call's opening is in the same row. */
  readonly key?: ServiceKeyId;
}

export type RunEvent = RunBeginning | RunTightening | RunEnd;

/** What a row about a run that its node began carries of its beginning, since its segment may be shipped before that of the beginning. */
interface AfterBeginning {
  readonly begun?: RunBeginning | null;
}

/** A request declared a smaller budget, or a first one. */
export interface RunTightening extends AfterBeginning {
  readonly organization: OrganizationId;
  readonly run: string;
  /** The run's budget, in force and as declared, from here on. */
  readonly declared: NanoDollars | null;
  readonly effective: NanoDollars | null;
  readonly clampReason: ClampReason | null;
  /** Wall time, milliseconds since the epoch. */
  readonly atMs: number;
}

/** The run ended, for good. Of two ends the one that happened first counts. */
export interface RunEnd extends AfterBeginning {
  readonly organization: OrganizationId;
  readonly run: string;
  readonly state: EndedState;
  readonly atMs: number;
}
