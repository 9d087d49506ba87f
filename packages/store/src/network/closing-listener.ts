/**
 * Closes the listeners of an address at a moment when no connection waits for them. The system completes connections by itself and resets those that
 * the process has not taken when a listener closes; it has no way to refuse new ones first. So they are closed in a turn of the event loop that
 * found no connection and was short: only one that comes within that fraction of a millisecond is reset.
 */
import { Server } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Listeners } from './wide-listener.ts';

/** A turn that took longer, because there was work or the processor was taken away, says nothing about now. */
const shortTurnMs = 0.25;
/** Turns that are waited for, however long they take: a short one; one that found no connection. */
const shortTurnsMax = 20;
const quietTurnsMax = 500;

/**
 * All that has come when this is called is taken. `closed`: the listeners are closed, connections are open still. `ended`: those are closed too.
 * `monotonicMs`: a clock that never steps back.
 */
export function closeListeners(
  listeners: Listeners, { closed, ended }: { readonly closed: () => void; readonly ended: () => void },
  monotonicMs: () => number = () => performance.now(),
): void {
  // What hands connections over hands them to the first.
  const [server] = listeners;
  let turns = 0;
  let turnMs: number | null = null;
  let hasTaken = false;
  const take = (): void => { hasTaken = true; };
  const look = (): void => {
    const nowMs = monotonicMs();
    const isShort = turnMs !== null && nowMs - turnMs <= shortTurnMs;
    if (turns < (hasTaken ? quietTurnsMax : isShort ? 0 : shortTurnsMax)) {
      turns += 1;
      turnMs = nowMs;
      hasTaken = false;
      setImmediate(look);
      return;
    }
    server.off('connection', take);
    let open = listeners.length;
    const end = (): void => {
      open -= 1;
      if (open === 0) ended();
    };
    // Not by the close of an HTTP server, which also destroys the connections that are idle.
    for (const listener of listeners) Server.prototype.close.call(listener, end);
    closed();
  };
  server.on('connection', take);
  setImmediate(look);
}
