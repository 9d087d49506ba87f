/** Signals that ask the process to stop. */
import type { Log } from '../log/log.ts';

/**
 * npm passes a terminal's interrupt on to a child that the terminal has already interrupted: a signal within this time of
 * the first one counts as the first.
 */
const sameSignalMs = 300;

/** Aborts at the first SIGTERM or SIGINT; the second ends the process at once. */
export function stopAsked(log: Log): AbortSignal {
  const asked = new AbortController();
  let askedAtMs: number | null = null;
  const onSignal = (): void => {
    if (askedAtMs !== null && performance.now() - askedAtMs >= sameSignalMs) process.exit(1);
    if (askedAtMs !== null) return;
    askedAtMs = performance.now();
    log('info', 'stopping; open calls may finish. Signal again to end at once.');
    asked.abort();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return asked.signal;
}
