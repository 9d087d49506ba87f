/**
 * Progress of a long command on standard error: how far it is, how fast, and how much time is left. On a terminal it overwrites one line.
 * Elsewhere it prints a line now and then, unless `--json` is given.
 */
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';
import type { CommandTools } from './command.ts';

interface Progress {
  /** Reports how many are done; shown at most a few times a second. */
  at(done: number): void;
  /** Clears the line on the terminal. */
  end(): void;
}

const terminalEveryMs = 200;
const elsewhereEveryMs = 5_000;

/** `total`: null if unknown. `from`: how many an earlier run did. */
export function createProgress(
  { stderr, isTerminal, wantsJson = false, nowMs }: Pick<CommandTools, 'stderr' | 'isTerminal' | 'wantsJson' | 'nowMs'>,
  { what, total, from = 0 }: { readonly what: string; readonly total: number | null; readonly from?: number },
): Progress {
  const startMs = nowMs();
  let saidMs = startMs;
  let shown = false;
  return {
    at(done) {
      const now = nowMs();
      if (now - saidMs < (isTerminal ? terminalEveryMs : elsewhereEveryMs) || (!isTerminal && wantsJson)) return;
      saidMs = now;
      const line = progressText({ what, total, done, sinceStart: done - from, elapsedMs: now - startMs });
      stderr(isTerminal ? `\r\u001b[K${line}` : `metergate: ${line}\n`);
      shown = isTerminal;
    },
    end() {
      if (shown) stderr('\r\u001b[K');
    },
  };
}

interface State {
  readonly what: string;
  readonly total: number | null;
  readonly done: number;
  /** How many of `done` this run did: an earlier run's work does not count towards the rate. */
  readonly sinceStart: number;
  readonly elapsedMs: number;
}

/** `1,250,000 of 10,000,000 calls (12 %), 41,000 a second, 3 min 34 s left`. */
function progressText({ what, total, done, sinceStart, elapsedMs }: State): string {
  const rate = elapsedMs > 0 ? (sinceStart * 1_000) / elapsedMs : 0;
  const share = total === null || total === 0 ? '' : ` of ${grouped(total)}`;
  const percent = total === null || total === 0 ? '' : ` (${Math.floor((100 * done) / total)} %)`;
  const left = total === null || rate === 0 ? '' : `, ${durationText((total - done) / rate)} left`;
  return `${grouped(done)}${share} ${what}${percent}, ${grouped(Math.round(rate))} a second${left}`;
}

function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  return whole < 3_600 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
