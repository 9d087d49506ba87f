/**
 * The messages between the gateway thread and the store thread. Values only, so that they can be copied. Messages are in the order of events:
 * an answer is never older than a change that was posted before it.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import type { KnownRuns } from '@metergate/core/run/known-runs.ts';
import type { Run } from '@metergate/core/run/run.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { PriceTexts } from '@metergate/core/price/price-texts.ts';
import type { RefusalCount } from '@metergate/core/report/refusal-count.ts';
import type { RefusalEntry } from '@metergate/core/report/refusal-entries.ts';
import type { LeaseAnswer } from '@metergate/core/spend/lease/account.ts';
import type { SubjectClaim } from '@metergate/core/spend/lease/book.ts';
import type { NewRun, RunAnswer } from '../runs/make-runs.ts';
import type { SpentBeside } from '../spend/spent-beside.ts';
import type { CappedPlace, CappedSums, SubjectSums } from '../spend/spend-sums.ts';

/** Gateway → store. */
export type ToStore =
  /** Which key has this hash? `number` comes back with the answer. */
  | { readonly kind: 'ask'; readonly number: number; readonly hash: string }
  /** Make this run, or find it. `number` comes back with the answer. */
  | { readonly kind: 'open_run'; readonly number: number; readonly run: NewRun }
  /** A call of this run was opened: the run must not vanish. */
  | { readonly kind: 'confirm_run'; readonly organization: OrganizationId; readonly id: string }
  /** The claims of this node; `batch` is the batch's own number. `number` comes back with the answer. */
  | { readonly kind: 'claim'; readonly number: number; readonly batch: number; readonly claims: readonly SubjectClaim[] }
  /** Refusals since the last such message. */
  | { readonly kind: 'refusals'; readonly counts: readonly RefusalCount[]; readonly entries: readonly RefusalEntry[] }
  /** Something was closed: look at the journal soon. */
  | { readonly kind: 'nudge' }
  /** A lease of this cell is overrun: ship its rows at once. */
  | { readonly kind: 'ship_now'; readonly cell: number };

/** A live key and its organization, as stored. */
export interface KeyAnswer {
  readonly key: ServiceKeySettings;
  readonly organization: OrganizationSettings;
  /** What both have spent, read no earlier than the settings: it includes every call shipped before. */
  readonly spend: SubjectSums;
  /** Of people and labels of the organization that have caps, what the node does not have so far. None from a shared store. */
  readonly capped: readonly CappedSums[];
  /** Number of the organization's cell; none: the default cell. */
  readonly cell?: number;
}

/** What a call spent that the node did not count for this person or label. */
export interface UncountedSpend extends CappedPlace {
  readonly startedAtMs: number;
  readonly cost: CallRecord['cost'];
}

/** The new state of an organization and of those of its keys that this node knows. Null: the organization is gone, the key revoked. */
export interface OrganizationChange {
  readonly id: OrganizationId;
  readonly organization: OrganizationSettings | null;
  readonly keys: readonly (readonly [hash: string, key: ServiceKeySettings | null])[];
  /** As in `KeyAnswer`. */
  readonly capped: readonly CappedSums[];
}

/** Store → gateway. */
export type FromStore =
  /** `found` null: there is no such live key. */
  | { readonly kind: 'answer'; readonly number: number; readonly found: KeyAnswer | null }
  | { readonly kind: 'run'; readonly number: number; readonly answer: RunAnswer }
  /** The store took a batch of the journal, or nothing was due. Sent only by an embedded store, two to five times a second. */
  | { readonly kind: 'kept' }
  /** Every run of the store that no other message names. Sent once, by an embedded store only: its node may begin any other run by itself. */
  | { readonly kind: 'known_runs'; readonly known: KnownRuns }
  /** Runs that ended or were tightened, here or elsewhere, in their new state. The node may know some of them, or none. */
  | { readonly kind: 'runs_changed'; readonly runs: readonly Run[] }
  /** Answers in the order of the claims. */
  | { readonly kind: 'leases'; readonly number: number; readonly answers: readonly LeaseAnswer[] }
  /** Every held lease of the cell must be confirmed now: a limit was reached somewhere, or is fully leased and wanted. */
  | { readonly kind: 'confirm_leases'; readonly cell?: number }
  /** A shared store's time, and when it was read, on the clock that all threads share (`processMs`). */
  | { readonly kind: 'time'; readonly nowMs: number; readonly hrMs: number }
  /** All changes of runs of the cell that were committed before this moment have been sent. Only from a shared store. */
  | { readonly kind: 'runs_current'; readonly hrMs: number; readonly wallMs: number; readonly cell?: number }
  /** What settlements add to what was spent. Only from an embedded store, each once. */
  | { readonly kind: 'spent_beside'; readonly spent: readonly SpentBeside[] }
  /** What ended before the node got a person's or a label's spend, and was shipped after that. Only from an embedded store, each once. */
  | { readonly kind: 'uncounted'; readonly uncounted: readonly UncountedSpend[] }
  /** The latest start among the store's call records when this node began. */
  | { readonly kind: 'written'; readonly untilMs: number }
  /** What is behind a key that was used lately, before anybody asks for it. Only at the start, before the first heartbeat. */
  | { readonly kind: 'ahead'; readonly hash: string; readonly found: KeyAnswer }
  /** The store could not be asked. */
  | { readonly kind: 'failed'; readonly number: number }
  | { readonly kind: 'changed'; readonly change: OrganizationChange }
  /** What prices are made from. Sent once at the start, before the first heartbeat, and at each change. */
  | { readonly kind: 'prices'; readonly prices: PriceTexts }
  /** The store answered: what this node holds is in force as of now. */
  | { readonly kind: 'heartbeat' };
