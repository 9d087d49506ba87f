/**
 * News of a shared store for a gateway thread, beside settings: its time, changes that other nodes made to runs and leases, and up to when the news
 * is complete. Moments arrive on the clock that all threads share and are converted to the listener's own.
 */
import type { LeaseMoment } from '@metergate/core/spend/lease/account.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { isEnded, type EndedRun, type Run } from '@metergate/core/run/run.ts';
import type { SpentBeside } from '../spend/spent-beside.ts';
import { processMs } from './lease-desk.ts';
import type { CappedSums } from '../spend/spend-sums.ts';
import type { FromStore, UncountedSpend } from './protocol.ts';

export interface SharedNews {
  /** Calls back with runs that ended, here or elsewhere, within a second; among them runs that this node never held. */
  onRunsEnded(listener: (ended: readonly EndedRun[]) => void): void;
  /** Calls back with runs that were tightened, here or elsewhere, and are still live. */
  onRunsTightened(listener: (tightened: readonly Run[]) => void): void;
  /** Calls back when every held lease of a cell must be confirmed. */
  onConfirmLeases(listener: (cell: number) => void): void;
  /** Calls back with what settlements and corrections add to what was spent, each once. Only on an embedded store. */
  onSpentBeside(listener: (spent: readonly SpentBeside[]) => void): void;
  /** What people and labels with caps have spent, before the message that needs it; each is sent once. */
  onCapped(listener: (sums: readonly CappedSums[]) => void): void;
  /** What calls spent that were not counted for them; see `FromStore`. */
  onUncounted(listener: (spent: readonly UncountedSpend[]) => void): void;
  /** Calls back with the shared store's time, and when it was read, on the listener's clock; at once if it is already known. */
  onTime(listener: (storeMs: number, atMs: number) => void): void;
  /** Calls back with the latest start among the store's call records when this node began. */
  onWritten(listener: (untilMs: number) => void): void;
  /** The moment up to which all changes of runs of a cell are known; null: never, or the store is the node's own. */
  runsCurrentAt(cell: number): LeaseMoment | null;
  /** The cell of an organization of which this node knows a key; 0: the default cell. */
  cellOf(organization: OrganizationId): number;
}

/** `receive` gets every message of the store, and ignores unrelated ones. */
export function createSharedNews(clock: () => number): SharedNews & { readonly receive: (message: FromStore) => void } {
  const ended: ((runs: readonly EndedRun[]) => void)[] = [];
  const tightened: ((runs: readonly Run[]) => void)[] = [];
  const confirmLeases: ((cell: number) => void)[] = [];
  const spentBeside: ((spent: readonly SpentBeside[]) => void)[] = [];
  const capped: ((sums: readonly CappedSums[]) => void)[] = [];
  const uncounted: ((spent: readonly UncountedSpend[]) => void)[] = [];
  const time = latestValue<{ readonly storeMs: number; readonly atMs: number }>();
  const written = latestValue<number>();
  const runsCurrentAt = new Map<number, LeaseMoment>();
  /** Organizations outside the default cell. */
  const places = new Map<OrganizationId, number>();
  const tellCapped = (sums: readonly CappedSums[]): void => {
    if (sums.length > 0) capped.forEach((listener) => listener(sums));
  };
  const onClock = (hrMs: number): number => clock() - (processMs() - hrMs);
  return {
    onRunsEnded: (listener) => void ended.push(listener),
    onRunsTightened: (listener) => void tightened.push(listener),
    onConfirmLeases: (listener) => void confirmLeases.push(listener),
    onSpentBeside: (listener) => void spentBeside.push(listener),
    onCapped: (listener) => void capped.push(listener),
    onUncounted: (listener) => void uncounted.push(listener),
    onTime: (listener) => time.listen(({ storeMs, atMs }) => listener(storeMs, atMs)),
    onWritten: (listener) => written.listen(listener),
    runsCurrentAt: (cell) => runsCurrentAt.get(cell) ?? null,
    cellOf: (organization) => (places.size === 0 ? 0 : places.get(organization) ?? 0),
    receive(message) {
      switch (message.kind) {
        case 'runs_changed': {
          const over = message.runs.filter(isEnded);
          if (over.length > 0) ended.forEach((listener) => listener(over));
          const live = message.runs.filter((run) => !isEnded(run));
          return live.length === 0 ? undefined : tightened.forEach((listener) => listener(live));
        }
        case 'spent_beside': return spentBeside.forEach((listener) => listener(message.spent));
        case 'answer':
        case 'ahead':
          if (message.found === null) return undefined;
          if (message.found.cell !== undefined) places.set(message.found.organization.id, message.found.cell);
          return tellCapped(message.found.capped);
        case 'changed': return tellCapped(message.change.capped);
        case 'uncounted': return uncounted.forEach((listener) => listener(message.uncounted));
        case 'confirm_leases': return confirmLeases.forEach((listener) => listener(message.cell ?? 0));
        case 'time': return time.set({ storeMs: message.nowMs, atMs: onClock(message.hrMs) });
        case 'written': return written.set(message.untilMs);
        case 'runs_current':
          runsCurrentAt.set(message.cell ?? 0, { monotonicMs: onClock(message.hrMs), wallMs: message.wallMs });
          return undefined;
        default: return undefined;
      }
    },
  };
}

/** A listener that registers late gets the last value at once. */
export function latestValue<Value>(): { set(value: Value): void; listen(listener: (value: Value) => void): void } {
  const listeners: ((value: Value) => void)[] = [];
  const latest: Value[] = [];
  return {
    set(value) {
      latest[0] = value;
      for (const listener of listeners) listener(value);
    },
    listen(listener) {
      listeners.push(listener);
      for (const value of latest) listener(value);
    },
  };
}
