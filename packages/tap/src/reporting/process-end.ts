/**
 * Delivers waiting events at the end of a process: normal end, `process.exit`, uncaught exception, SIGTERM, SIGINT.
 * The host keeps its exit code, its signal and its handlers (rule 30c). At an end the thread blocks while waiting events are posted:
 * no code of the host runs that would not run without the tap, and `beforeExit` does not fire twice. It listens to signals only while
 * events wait, and removes its listener before the host's own run, so that a library which counts listeners counts only the host's. If the
 * host has none, the signal is sent again, with its default effect.
 */
import { quietly } from '../observe/look.ts';
import type { Flushable } from './reporter.ts';
import { canWaitForThreads, hostProcess, monotonicMs } from '../runtime.ts';

/** The longest delay of a process's end, however many reporters there are: both retries of one batch and a little more. */
const endBudgetMs = 1_500;
const known = new Set<Flushable>();
const waiting = new Set<Flushable>();
let settleOpen: (() => void) | undefined;
let listeningToSignals = false;

/** Listens to the ends of the process, once. `settle` makes events of the calls that are still open then; it does not throw. */
export function listenToEnds(settle: () => void): void {
  if (!settleOpen && canWaitForThreads) {
    // The host must not be warned of a leak because of the one listener that is added here.
    const max = hostProcess!.getMaxListeners();
    if (max) hostProcess!.setMaxListeners(max + 1);
    hostProcess!.on('exit', flushAll);
  }
  settleOpen = settle;
}

/** Notes that events wait to be delivered, or that none do any more. */
export function noteWaiting(flushable: Flushable, waits: boolean): void {
  known.add(flushable);
  waiting[waits ? 'add' : 'delete'](flushable);
  listenToSignals(waiting.size > 0);
}

function listenToSignals(wanted: boolean): void {
  if (wanted === listeningToSignals || !canWaitForThreads) return;
  listeningToSignals = wanted;
  for (const signal of ['SIGTERM', 'SIGINT']) hostProcess![wanted ? 'prependListener' : 'removeListener'](signal, onSignal);
}

function onSignal(signal: NodeJS.Signals): void {
  listenToSignals(false);
  // The host decides whether its process ends: waiting events are posted at that end, or at the next interval.
  if (hostProcess!.listenerCount(signal)) return;
  flushAll();
  hostProcess!.kill(hostProcess!.pid, signal);
}

/** The process ends; what cannot be delivered is dropped. */
function flushAll(): void {
  settleOpen?.();
  const deadlineMs = quietly(monotonicMs)! + endBudgetMs;
  for (const flushable of known) quietly(() => flushable.flushBlocking(deadlineMs));
}
