/**
 * Calls that began in an earlier month and may not be in the store yet, by organization: only its own hold up the closing of its month.
 * Decision 316.
 */
import type { OrganizationId } from '../../id.ts';
import { monthOf } from '../../time/utc-month.ts';

export interface BegunCall {
  readonly organization: OrganizationId;
  /** By the wall clock of the node. */
  readonly beganMs: number;
}

export interface EarlierCalls {
  /** Calls that began before this instant are reported, later ones are not. */
  readonly beforeMs: number;
  /** When the oldest of each organization's began. */
  readonly oldestMs: Readonly<Record<string, number>>;
  /** Of the organizations that found no place in `oldestMs`: when the oldest of their calls began; null: all found one. */
  readonly othersMs: number | null;
}

/** Clocks of nodes differ by at most this, milliseconds: a call that began so long after a month's end is not of the month. */
export const clockMarginMs = 60_000;
/** So that a report stays small: it is written every few seconds. */
const organizationsMax = 500;

/** What is reported of `calls` at `nowMs`. If there are too many organizations, those with the oldest calls are reported one by one. */
export function earlierCallsOf(calls: Iterable<BegunCall>, nowMs: number): EarlierCalls {
  const beforeMs = monthOf(nowMs) + clockMarginMs;
  const oldest = new Map<string, number>();
  for (const { organization, beganMs } of calls) {
    if (beganMs < beforeMs) addOldest(oldest, organization, beganMs);
  }
  return bounded({ beforeMs, oldest, othersMs: null });
}

/** Reports of several moments as one: a call is in it if it is in one of them. There is at least one. */
export function earlierCallsTogether(told: readonly EarlierCalls[]): EarlierCalls {
  const oldest = new Map<string, number>();
  for (const { oldestMs } of told) for (const [organization, beganMs] of Object.entries(oldestMs)) addOldest(oldest, organization, beganMs);
  return bounded({
    beforeMs: Math.min(...told.map(({ beforeMs }) => beforeMs)), oldest, othersMs: earliest(told.map(({ othersMs }) => othersMs)),
  });
}

/** Whether a call of the organization that began before the month's end, `endMs`, may be among them; null: not known. */
export function hasCallBefore({ beforeMs, oldestMs, othersMs }: EarlierCalls, organization: OrganizationId, endMs: number): boolean | null {
  const throughMs = endMs + clockMarginMs;
  if (beforeMs < throughMs) return null;
  const began = earliest([oldestMs[organization] ?? null, othersMs]);
  return began !== null && began < throughMs;
}

function addOldest(oldest: Map<string, number>, organization: string, beganMs: number): void {
  const known = oldest.get(organization);
  if (known === undefined || beganMs < known) oldest.set(organization, beganMs);
}

function bounded(
  { beforeMs, oldest, othersMs }: { readonly beforeMs: number; readonly oldest: ReadonlyMap<string, number>; readonly othersMs: number | null },
): EarlierCalls {
  if (oldest.size <= organizationsMax) return { beforeMs, oldestMs: Object.fromEntries(oldest), othersMs };
  const sorted = [...oldest].sort(([, one], [, other]) => one - other);
  return {
    beforeMs, oldestMs: Object.fromEntries(sorted.slice(0, organizationsMax)),
    othersMs: earliest([othersMs, sorted[organizationsMax]![1]]),
  };
}

function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((each) => each !== null);
  return known.length === 0 ? null : Math.min(...known);
}
