/**
 * Answers that were complete and did not report what they used, though their provider reports it: the net under the list of what hides usage
 * (`hidden-usage.ts`). They are counted by the person of a key, since a person may make one key after the other; by the key where it has no person.
 * Rule 6c; decision 323.
 */
import type { OrganizationId, PersonId, ServiceKeyId } from '../id.ts';
import type { CallRecord } from './call-record.ts';
import type { UsageReason } from '../usage/reading.ts';

/** After so many in one hour of the clock, further metered calls count as hiding their usage until the hour is over. */
export const untoldCallsMax = 20;

/** Callers of an organization that have a count of their own. Further ones share one. */
export const countedCallersMax = 1_000;
/** The same for all organizations of the node together. */
const countedCallersOfNodeMax = 100_000;

const hourMs = 3_600_000;

/** Reasons that lie in the answer, which a caller may have asked for. Not those of a call that ended early, nor our own faults and delays. */
const untold: ReadonlySet<UsageReason | null> = new Set<UsageReason>(['absent', 'not_a_figure', 'not_readable', 'decode_failed', 'decode_limit']);

/** Whether a call did not report a usage that it must have had. */
export function isUntold({ status, outcome, usage, usageReason }: Pick<CallRecord, 'status' | 'outcome' | 'usage' | 'usageReason'>): boolean {
  return usage === 'unknown' && outcome === 'completed' && status !== null && status >= 200 && status < 300 && untold.has(usageReason);
}

/** The key that a call was made with. */
export interface CallingKey {
  readonly id: ServiceKeyId;
  readonly organization: OrganizationId;
  /** Null: it belongs to nobody. */
  readonly person: PersonId | null;
}

/** The counts of one organization in this hour. */
interface OrganizationCounts {
  readonly ofCallers: Map<PersonId | ServiceKeyId, number>;
  /** The count of all callers for whom there was no room. */
  ofOthers: number;
}

/** The counts of one node. They outlive the keys: a key that was revoked, or disabled and enabled again, takes none with it. */
export class UntoldCalls {
  #hour = 0;
  #callers = 0;
  readonly #organizations = new Map<OrganizationId, OrganizationCounts>();

  /** A call has ended. `nowMs`: milliseconds since the epoch. */
  ended(key: CallingKey, record: Parameters<typeof isUntold>[0], nowMs: number): void {
    if (record.usage !== 'unknown' || !isUntold(record)) return;
    this.#follow(nowMs);
    let counts = this.#organizations.get(key.organization);
    if (counts === undefined) this.#organizations.set(key.organization, counts = { ofCallers: new Map(), ofOthers: 0 });
    const caller = key.person ?? key.id;
    const count = counts.ofCallers.get(caller);
    if (count === undefined && !this.#hasRoom(counts)) {
      counts.ofOthers += 1;
      return;
    }
    if (count === undefined) this.#callers += 1;
    counts.ofCallers.set(caller, (count ?? 0) + 1);
  }

  /** Whether this hour has as many calls of the key's caller as it may. */
  isFull({ organization, person, id }: CallingKey, nowMs: number): boolean {
    if (this.#organizations.size === 0) return false;
    this.#follow(nowMs);
    const counts = this.#organizations.get(organization);
    return counts !== undefined && (counts.ofCallers.get(person ?? id) ?? (this.#hasRoom(counts) ? 0 : counts.ofOthers)) >= untoldCallsMax;
  }

  #hasRoom({ ofCallers }: OrganizationCounts): boolean {
    return ofCallers.size < countedCallersMax && this.#callers < countedCallersOfNodeMax;
  }

  /** A new hour begins without counts. */
  #follow(nowMs: number): void {
    const hour = Math.floor(nowMs / hourMs);
    if (hour === this.#hour) return;
    this.#hour = hour;
    this.#callers = 0;
    this.#organizations.clear();
  }
}
