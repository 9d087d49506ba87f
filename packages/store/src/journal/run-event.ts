/** An event of a run, journalled before the answer that shows it: its budget was lowered, or it ended (design 2, Journal). */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import type { ClampReason, EndedState } from '@metergate/core/run/run.ts';

/** A request declared a smaller budget, or a first one. */
export interface RunTightening {
  readonly organization: OrganizationId;
  readonly run: string;
  /** The run's budget, in force and as declared, from here on. */
  readonly declared: NanoDollars | null;
  readonly effective: NanoDollars | null;
  readonly clampReason: ClampReason | null;
  /** Wall time, milliseconds since the epoch. */
  readonly atMs: number;
}

/** The run ended, for good. The first end counts. */
export interface RunEnd {
  readonly organization: OrganizationId;
  readonly run: string;
  readonly state: EndedState;
  readonly atMs: number;
}
