/**
 * How runs are made, once, with the exposure that they take, and confirmed by their first call. Rules 12 and 13. Exposure taken is the sum, over
 * live runs, of the budget not yet spent: kept to the nano-dollar in every transaction that changes a run, and never above the limit when a
 * run is made.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { clampToExposure, type PolicyBudget } from '@metergate/core/run/clamp.ts';
import type { Run } from '@metergate/core/run/run.ts';
import { sendingIn } from '../engine/send.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';
import type { StoreContext } from '../sealing/context.ts';
import { takenBy } from './apply-to-runs.ts';
import { lockExposure, type LockedExposure } from './run-exposure.ts';
import {
  insertRuns, nothingBefore, runNameText, runOf, selectRuns, spentBefore, updateRuns, type SpentBefore, type StoredRun,
} from './run-rows.ts';

/** A run to be made, unless it exists. The policy has already set its budget; the exposure is decided here. */
export interface NewRun extends PolicyBudget {
  readonly organization: OrganizationId;
  readonly id: string;
  readonly startedAtMs: number;
  readonly expiresAtMs: number | null;
  /** The organization's `runExposure`; null: no bound. */
  readonly exposureLimit: NanoDollars | null;
  /** False: an existing run is looked up, and none is made. */
  readonly mayCreate: boolean;
  /** The key of the call that asks. */
  readonly key?: ServiceKeyId;
}

/** The run as it is: made now, or the one that exists, whatever its state. `confirmed`: it does not vanish any more. */
export interface FoundRun { readonly kind: 'run'; readonly run: Run; readonly created: boolean; readonly confirmed: boolean }

export type RunAnswer =
  | FoundRun
  /** There is no such run, and none may be made. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'run_exposure_exhausted' };

/** Existing runs are found without a lock, since every node asks once for every run that it does not hold. */
export async function openRuns({ engine }: StoreContext, wanted: readonly NewRun[]): Promise<RunAnswer[]> {
  const found = await engine.read((db) => selectRuns(engine.kind, sendingIn(db).send, wanted));
  const missing = wanted.filter((run) => run.mayCreate && !found.has(runNameText(run)));
  const made = missing.length === 0 ? null : await makeRuns(engine, missing);
  return wanted.map((run) => {
    const known = found.get(runNameText(run));
    if (known !== undefined) return existing(known);
    return made?.get(run) ?? { kind: 'absent' };
  });
}

function existing(run: StoredRun): RunAnswer {
  return { kind: 'run', run: runOf(run), created: false, confirmed: run.confirmed };
}

/** What a run is made from, read while its organization's exposure is locked. */
interface Makings {
  readonly erased: ReadonlySet<string>;
  readonly exposure: LockedExposure;
  readonly found: Map<string, StoredRun>;
  readonly spent: ReadonlyMap<string, SpentBefore>;
}

function makeRuns({ kind, transact }: StoreContext['engine'], wanted: readonly NewRun[]): Promise<Map<NewRun, RunAnswer>> {
  const organizations = wanted.map(({ organization }) => organization);
  return transact(async (send): Promise<Makings> => {
    holdOffErasures(kind, send);
    const [erased, exposure, found, spent] = await Promise.all([
      erasedAmong(kind, send, organizations), lockExposure(kind, send, organizations), selectRuns(kind, send, wanted),
      spentBefore(kind, send, wanted),
    ]);
    return { erased, exposure, found, spent };
  }, (send, makings) => {
    const { answers, made } = madeOf(wanted, makings);
    insertRuns(kind, send, made);
    makings.exposure.write(kind, send);
    return answers;
  });
}

function madeOf(
  wanted: readonly NewRun[], { erased, exposure, found, spent }: Makings,
): { readonly answers: Map<NewRun, RunAnswer>; readonly made: readonly StoredRun[] } {
  const answers = new Map<NewRun, RunAnswer>();
  const made: StoredRun[] = [];
  for (const run of wanted) {
    if (erased.has(run.organization)) {
      answers.set(run, { kind: 'run_exposure_exhausted' });
      continue;
    }
    const name = runNameText(run);
    const known = found.get(name);
    const begun = known ?? beginRun(run, exposure, spent.get(name));
    if (begun === null) {
      answers.set(run, { kind: 'run_exposure_exhausted' });
    } else if (known !== undefined) {
      answers.set(run, existing(known));
    } else {
      exposure.shift(run.organization, takenBy(begun));
      found.set(name, begun);
      made.push(begun);
      answers.set(run, { kind: 'run', run: runOf(begun), created: true, confirmed: false });
    }
  }
  return { answers, made };
}

/** Null: the organization has no exposure left for it. */
function beginRun(
  run: NewRun, exposure: LockedExposure, before: SpentBefore | undefined,
): StoredRun | null {
  const left = run.exposureLimit === null ? null : nanoDollars(run.exposureLimit - exposure.taken(run.organization));
  const budget = clampToExposure(run, left);
  if ('kind' in budget) return null;
  const { organization, id, declared, startedAtMs, expiresAtMs } = run;
  return {
    organization, id, state: 'live', declared, effective: budget.effective, clampReason: budget.clampReason,
    ...before ?? nothingBefore, startedAtMs, expiresAtMs, endedAtMs: null, confirmed: false, lastCallAtMs: startedAtMs, change: 0n,
    beganBy: run.key ?? null, lowerings: [],
  };
}

/** Notes that a call of each was opened; those that vanished meanwhile are put back. See `StoredRuns.confirm`. */
export async function confirmRuns({ engine }: StoreContext, all: readonly Run[]): Promise<void> {
  if (all.length === 0) return;
  const { kind } = engine;
  await engine.transact(async (send) => {
    holdOffErasures(kind, send);
    const [erased, exposure, found] = await Promise.all([
      erasedAmong(kind, send, all.map(({ organization }) => organization)),
      lockExposure(kind, send, all.map(({ organization }) => organization)), selectRuns(kind, send, all),
    ]);
    const runs = all.filter(({ organization }) => !erased.has(organization));
    const gone = new Map(runs.filter((run) => !found.has(runNameText(run))).map((run) => [runNameText(run), run]));
    return { exposure, found, gone, spent: await spentBefore(kind, send, [...gone.values()]) };
  }, (send, { exposure, found, gone, spent }) => {
    updateRuns(kind, send, [...found.values()].filter((run) => !run.confirmed).map((run) => ({ ...run, confirmed: true })));
    const back = [...gone].map(([name, run]): StoredRun => ({
      ...run, ...spent.get(name) ?? nothingBefore, confirmed: true, lastCallAtMs: run.startedAtMs, change: 0n, beganBy: null,
      lowerings: [],
    }));
    for (const run of back) exposure.shift(run.organization, takenBy(run));
    insertRuns(kind, send, back);
    exposure.write(kind, send);
  });
}
