/**
 * The ends of a process, so that what waits is delivered: normal end, `process.exit`, uncaught exception, SIGTERM, SIGINT.
 * The host keeps its exit code, its signal and its handlers (design 3, row 30c):
 * - normal end: posts under the event loop, unless the host itself listens to `beforeExit`, which would then hear it twice;
 * - signals are listened to only while events wait, and the listener is gone before the host's own run, so that whoever counts
 *   listeners counts its own; without one the signal is sent again, with its default effect.
 */
import type { Flushable } from './reporter.ts';
import { hostProcess, isNode } from './runtime.ts';

type Signal = 'SIGTERM' | 'SIGINT';
const signals: readonly Signal[] = ['SIGTERM', 'SIGINT'];

const waiting = new Set<Flushable>();
let listening = false;
let settleOpen = (): void => undefined;
let listeningToSignals = false;

/** Listens to the ends of the process, once. `settle` makes events of the calls that are still open then; it does not throw. */
export function listenToEnds(settle: () => void): void {
  if (listening || typeof hostProcess?.on !== 'function') return;
  listening = true;
  settleOpen = settle;
  hostProcess.on('beforeExit', onBeforeExit);
  hostProcess.on('exit', flushBlocking);
}

/** Notes that something waits to be delivered, or that nothing does any more. */
export function noteWaiting(flushable: Flushable, waits: boolean): void {
  if (waits === waiting.has(flushable)) return;
  if (waits) waiting.add(flushable);
  else waiting.delete(flushable);
  try {
    listenToSignals(waiting.size > 0);
  } catch {
    // A runtime whose process takes no listeners has no end that could be heard.
  }
}

function listenToSignals(wanted: boolean): void {
  if (wanted === listeningToSignals || typeof hostProcess?.prependListener !== 'function') return;
  listeningToSignals = wanted;
  for (const signal of signals) {
    if (wanted) hostProcess.prependListener(signal, onSignal);
    else hostProcess.removeListener(signal, onSignal);
  }
}

function onBeforeExit(): void {
  if (hostProcess!.listenerCount('beforeExit') > 1) return;
  settleOpen();
  void flush();
}

function onSignal(signal: Signal): void {
  listenToSignals(false);
  if (hostProcess!.listenerCount(signal) > 0) return void flush();
  const again = (): void => {
    hostProcess!.kill(hostProcess!.pid, signal);
  };
  if (!isNode) {
    settleOpen();
    return void flush().then(again);
  }
  flushBlocking();
  again();
}

async function flush(): Promise<void> {
  const flushes = [...waiting].map((flushable) => flushable.flush().catch(() => undefined));
  for (const flushed of flushes) await flushed;
}

function flushBlocking(): void {
  settleOpen();
  for (const flushable of waiting) {
    try {
      flushable.flushBlocking();
    } catch {
      // The process ends; what cannot be delivered is dropped.
    }
  }
}
