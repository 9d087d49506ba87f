/** Refused calls counted by hour, organization, key and reason. They leave no record, so these counts are all that is stored of them. */
import type { OrganizationId, ServiceKeyId } from '../id.ts';
import type { BindingScope } from '../spend/cap-decision.ts';
import type { CalendarWindow } from '../spend/window.ts';

/** The reason, in the words of the answer. */
export interface RefusalReason {
  /** `error.code` of the answer. */
  readonly code: string;
  /** The budget that refused; null: no budget did. */
  readonly scope: BindingScope | 'run' | null;
  readonly window: CalendarWindow | 'run' | null;
}

export interface RefusalCount extends RefusalReason {
  readonly organization: OrganizationId;
  /** Null: too many keys were refused in that hour to be distinguished. */
  readonly key: ServiceKeyId | null;
  /** First instant of the hour, in UTC. */
  readonly hourMs: number;
  /** From 1. */
  readonly refusals: number;
}
