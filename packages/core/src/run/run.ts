/**
 * A run: its budget, its time limit and how it ends (spec: Run; rules 12 to 14).
 * `decideRun` judges one call by the state of its run; the functions after it give the run's next state. None of them changes a value: the
 * holder of a run replaces it. A run that has ended stays as it is, whatever the clock does afterwards.
 */
import type { OrganizationId } from '../id.ts';
import { nanoDollars, type NanoDollars } from '../money.ts';
import type { CallRecord } from '../record/call-record.ts';
import { withLackingCall, type LackingCalls, type LackingCount, type LackingRecord } from '../spend/lacking-calls.ts';
import { instantMsMax, type RunDeclaration } from './declaration.ts';

/** Once it is not `live`, it is never live again. */
export const runStates = ['live', 'expired', 'over_budget', 'closed'] as const;
export type RunState = (typeof runStates)[number];
export type EndedState = Exclude<RunState, 'live'>;

/** Why the budget in force is below the declared one; the order breaks ties (rule 12). */
export const clampReasons = ['policy_max', 'grant_max', 'workspace_ceiling', 'exposure_headroom'] as const;
export type ClampReason = (typeof clampReasons)[number];

/** A run as the store keeps it, with its calls whose cost is not known. */
export interface Run extends LackingCalls {
  readonly organization: OrganizationId;
  /** Chosen by the caller: 1 to 128 visible ASCII characters. */
  readonly id: string;
  readonly state: RunState;
  /** The smallest budget that any of its requests declared, except ignored ones; null: none did. */
  readonly declared: NanoDollars | null;
  /** The budget in force; null: none. */
  readonly effective: NanoDollars | null;
  /** Set while `effective` is below `declared` because of a bound. */
  readonly clampReason: ClampReason | null;
  /** Sum of the costs of its calls. */
  readonly spent: NanoDollars;
  readonly startedAtMs: number;
  /** Fixed by the first request; null: no time limit. */
  readonly expiresAtMs: number | null;
  /** Null while live. */
  readonly endedAtMs: number | null;
}

/** A run after its end. */
export type EndedRun = Run & { readonly state: EndedState; readonly endedAtMs: number };

/** True for a run that admits no more calls, however it ended. */
export function isEnded(run: Run): run is EndedRun {
  return run.state !== 'live';
}

/** The parts of a run that decide about a call. */
type JudgedRun = Pick<Run, 'state' | 'effective' | 'spent' | 'expiresAtMs'>;

/** The call may be forwarded. `tightenTo`: the run's budget falls to this with the call; null: it stays. */
interface RunAdmission {
  readonly kind: 'admitted';
  readonly tightenTo: NanoDollars | null;
}

/** The call is refused. */
export interface RunRefusal {
  readonly kind: 'run_closed' | 'run_expired' | 'run_over_budget';
  /** The run is still live and ends with this call, in this state; null: it had already ended. */
  readonly ends: EndedState | null;
  /** The budget it ends with, if this call lowered it to what is already spent; null: it stays. */
  readonly tightenTo: NanoDollars | null;
}

const admitted: RunAdmission = Object.freeze({ kind: 'admitted', tightenTo: null });
const refusalOf: { readonly [State in EndedState]: RunRefusal } = {
  closed: Object.freeze({ kind: 'run_closed', ends: null, tightenTo: null }),
  expired: Object.freeze({ kind: 'run_expired', ends: null, tightenTo: null }),
  over_budget: Object.freeze({ kind: 'run_over_budget', ends: null, tightenTo: null }),
};
const expires: RunRefusal = Object.freeze({ kind: 'run_expired', ends: 'expired', tightenTo: null });
const goesOverBudget: RunRefusal = Object.freeze({ kind: 'run_over_budget', ends: 'over_budget', tightenTo: null });

/**
 * One call against its run: closed, then expired, then over budget (rule 1), else admitted.
 * A declared budget below the one in force, or a first one, already binds this call: if the spend has reached it, the run ends.
 * A larger budget, an equal one and any time limit are ignored. Only a tightening allocates.
 */
export function decideRun(run: JudgedRun, declaration: Pick<RunDeclaration, 'budget'>, nowMs: number): RunAdmission | RunRefusal {
  if (run.state !== 'live') return refusalOf[run.state];
  if (run.expiresAtMs !== null && nowMs >= run.expiresAtMs) return expires;
  const { budget } = declaration;
  // It ends by what is in force: a refused call lowers nothing.
  if (run.effective !== null && run.spent >= run.effective) return goesOverBudget;
  if (budget !== null && (run.effective === null || budget < run.effective)) {
    if (run.spent >= budget) return { kind: 'run_over_budget', ends: 'over_budget', tightenTo: budget };
    return { kind: 'admitted', tightenTo: budget };
  }
  return admitted;
}

/** The run with a smaller budget, or its first one: the declared one is then in force, so no clamp is left. Anything else changes nothing. */
export function tightenedTo<Held extends Pick<Run, 'state' | 'declared' | 'effective' | 'clampReason'>>(run: Held, budget: NanoDollars): Held {
  if (run.state !== 'live' || (run.effective !== null && budget >= run.effective)) return run;
  return { ...run, declared: budget, effective: budget, clampReason: null };
}

/** The run at its end. The first end counts: a run that has already ended is returned as it is. */
export function endedAs<Held extends Pick<Run, 'state' | 'endedAtMs'>>(run: Held, state: EndedState, atMs: number): Held {
  return run.state === 'live' ? { ...run, state, endedAtMs: atMs } : run;
}

/**
 * The run with an end that is learned of after it happened. Of two ends the one that happened first counts (decision 114); of two in the same
 * millisecond, the one that is known.
 */
export function endedFirst<Held extends Pick<Run, 'state' | 'endedAtMs'>>(run: Held, state: EndedState, atMs: number): Held {
  return run.state !== 'live' && (run.endedAtMs === null || run.endedAtMs <= atMs) ? run : { ...run, state, endedAtMs: atMs };
}

/** `tightenedTo` for a tightening that is learned of after it happened: it counts if the run ended later (decision 114). */
export function tightenedAt<Held extends Pick<Run, 'state' | 'declared' | 'effective' | 'clampReason' | 'endedAtMs'>>(
  run: Held, budget: NanoDollars, atMs: number,
): Held {
  if (run.state === 'live') return tightenedTo(run, budget);
  if (run.endedAtMs === null || run.endedAtMs < Math.floor(atMs)) return run;
  const { declared, effective, clampReason } = tightenedTo({ ...run, state: 'live' }, budget);
  return effective === run.effective ? run : { ...run, declared, effective, clampReason };
}

/** The run after a call of it was closed, ended or not. `cost` null: not priced, or its usage is not known. */
export function afterCall<Held extends Pick<Run, 'spent' | LackingCount>>(run: Held, call: LackingRecord & Pick<CallRecord, 'cost'>): Held {
  return { ...run, spent: call.cost === null ? run.spent : nanoDollars(run.spent + call.cost), ...withLackingCall(run, call) };
}

/** When a run that begins now ends by itself; null: it has no time limit. Bounded by what a calendar can show. */
export function expiryOf(startedAtMs: number, ttlSeconds: number | null): number | null {
  return ttlSeconds === null ? null : Math.min(startedAtMs + ttlSeconds * 1000, instantMsMax);
}
