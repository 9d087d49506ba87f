/**
 * Applies journal rows to runs and their exposure, inside the transaction that stores the records and their segment's mark. So a run's spend
 * equals the sum of its records, and nothing is applied twice (rules: Journal). Records confirm their run. Tightenings and ends come in
 * the order in which their node wrote them, and possibly after an end that happened later: of two ends, the one that happened first counts
 * (decision 114). A run that its node began is made here once, with what was recorded for it before. Whichever of its rows is shipped first
 * says how it began.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { exposureOf } from '@metergate/core/run/clamp.ts';
import { withLowering } from '@metergate/core/run/lowering.ts';
import { afterCall, endedFirst, tightenedAt, type Run } from '@metergate/core/run/run.ts';
import type { RunBeginning, RunEnd, RunEvent, RunTightening } from '../journal/run-event.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import { lockExposure, nextRunChange, type LockedExposure } from './run-exposure.ts';
import {
  insertRuns, nothingBefore, runNameText, selectRuns, spentBefore, updateRuns, updateSpent, type RunName, type SpentBefore, type StoredRun,
} from './run-rows.ts';

/** The parts of a record that count for its run. */
type RunCallRecord = Pick<CallRecord, 'organization' | 'run' | 'startedAtMs' | 'cost' | 'costGaps' | 'costSource' | 'usage'>
  & Partial<Pick<CallRecord, 'settledBy'>>;

interface RunWork {
  readonly records: readonly RunCallRecord[];
  readonly events: readonly RunEvent[];
}

/** The precision of a run's last call, so that it is not written with every call. Milliseconds. */
export const lastCallGrainMs = 60_000;

/** Runs as they are in the store, read while their exposure is locked. */
export interface LockedRuns {
  readonly exposure: LockedExposure;
  /** By `runNameText`. */
  readonly runs: ReadonlyMap<string, StoredRun>;
  /** The feed number that their changes get. 0: no runs. */
  readonly change: bigint;
  /** What was recorded earlier for runs that begin now, by `runNameText`. */
  readonly before: ReadonlyMap<string, SpentBefore>;
}

/** Locks and reads the runs of `work`. Work that names no run costs nothing. */
export async function lockRuns(kind: Engine['kind'], send: Send, work: RunWork): Promise<LockedRuns> {
  const names = namesIn(work);
  const beginnings = work.events.flatMap((event) => beginningOf(event) ?? []).map(({ organization, run: id }) => ({ organization, id }));
  const [change, exposure, runs, before] = await Promise.all([
    work.events.every(isBeginning) ? 0n : nextRunChange(send),
    lockExposure(kind, send, names.map(({ organization }) => organization)), selectRuns(kind, send, names), spentBefore(kind, send, beginnings),
  ]);
  return { exposure, runs, change, before };
}

/** Applies the work. It may be a part of what the runs were locked for. */
export function applyToRuns(kind: Engine['kind'], send: Send, { records, events, settled = [], locked }: RunWork & {
  /** Calls that were kept before, and are unknown no more. */
  readonly settled?: readonly RunCallRecord[]; readonly locked: LockedRuns;
}): void {
  const { exposure, runs: before, change } = locked;
  const after = new Map(before);
  for (const event of events) begin(after, event, locked.before);
  if (after.size === 0) return;
  for (const record of records) {
    if (record.run === null) continue;
    replace(after, { organization: record.organization, id: record.run }, (run) => withCall(run, record));
  }
  for (const { organization, run } of settled) {
    if (run !== null) replace(after, { organization, id: run }, (held) => ({ ...held, unknownCalls: held.unknownCalls - 1 }));
  }
  for (const event of events) {
    if (isBeginning(event)) continue;
    replace(after, { organization: event.organization, id: event.run }, (run) => withEvent(run, event, change));
  }
  const made = [...after].flatMap(([name, run]) => before.has(name) ? [] : [run]);
  for (const run of made) exposure.shift(run.organization, takenBy(run));
  insertRuns(kind, send, made);
  const changed = [...after].filter(([name, run]) => before.has(name) && before.get(name) !== run);
  for (const [name, run] of changed) exposure.shift(run.organization, takenBy(run) - takenBy(before.get(name)!));
  const spendOnly = ([name, run]: [string, StoredRun]): boolean => onlySpent(before.get(name)!, run);
  updateSpent(kind, send, changed.filter(spendOnly).map(([, run]) => run));
  updateRuns(kind, send, changed.filter((each) => !spendOnly(each)).map(([, run]) => run));
  exposure.write(kind, send);
}

/** What a run takes of the organization's exposure; 0 once it has ended. */
export function takenBy(run: Pick<Run, 'state' | 'effective' | 'spent'>): bigint {
  return run.state === 'live' ? exposureOf(run) : 0n;
}

function namesIn({ records, events }: RunWork): RunName[] {
  const names = new Map<string, RunName>();
  const add = (name: RunName): void => void names.set(runNameText(name), name);
  for (const { organization, run } of records) if (run !== null) add({ organization, id: run });
  for (const { organization, run } of events) add({ organization, id: run });
  return [...names.values()];
}

function isBeginning(event: RunEvent): event is RunBeginning {
  return 'startedAtMs' in event;
}

function beginningOf(event: RunEvent): RunBeginning | null {
  return isBeginning(event) ? event : event.begun ?? null;
}

/** Makes the run whose beginning an event reports, if it does not exist. */
function begin(runs: Map<string, StoredRun>, event: RunEvent, before: ReadonlyMap<string, SpentBefore>): void {
  const beginning = beginningOf(event);
  if (beginning === null) return;
  const { organization, run: id, declared, effective, clampReason, startedAtMs, expiresAtMs, key = null } = beginning;
  const name = runNameText({ organization, id });
  if (runs.has(name)) return;
  runs.set(name, {
    organization, id, state: 'live', declared, effective, clampReason, ...before.get(name) ?? nothingBefore,
    startedAtMs, expiresAtMs, endedAtMs: null, confirmed: true, lastCallAtMs: startedAtMs, change: 0n, beganBy: key, lowerings: [],
  });
}

/** A missing run has vanished. Its records stay, and count again if the run comes back. */
function replace(runs: Map<string, StoredRun>, name: RunName, by: (run: StoredRun) => StoredRun): void {
  const text = runNameText(name);
  const run = runs.get(text);
  if (run !== undefined) runs.set(text, by(run));
}

function withCall(run: StoredRun, record: RunCallRecord): StoredRun {
  const { startedAtMs } = record;
  const lastCallAtMs = startedAtMs - run.lastCallAtMs < lastCallGrainMs ? run.lastCallAtMs : startedAtMs;
  return { ...afterCall(run, record), confirmed: true, lastCallAtMs };
}

/** Whether only the spend differs, which is in no index and which nodes need not learn of. */
function onlySpent(before: StoredRun, after: StoredRun): boolean {
  return before.confirmed && before.lastCallAtMs === after.lastCallAtMs && before.change === after.change;
}

function withEvent(run: StoredRun, event: RunTightening | RunEnd, change: bigint): StoredRun {
  const changed = 'state' in event ? endedFirst(run, event.state, event.atMs)
    : event.effective === null ? run : tightenedAt(run, event.effective, event.atMs);
  if (changed === run) return run;
  if (changed.effective === null || changed.effective === run.effective) return { ...changed, change };
  const lowering = { atMs: event.atMs, from: run.effective, to: changed.effective };
  return { ...changed, change, lowerings: withLowering(run.lowerings, lowering) };
}
