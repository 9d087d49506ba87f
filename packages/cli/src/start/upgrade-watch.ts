/**
 * An older store is upgraded, which may take minutes: the log says so at its beginning and its end and every ten seconds in between, and `/readyz`
 * says what is being done and for how long, or what is waited for. One step is one transaction or a part of one, so it can say which step, not how
 * much of it is done. Cells are upgraded after the default one, several at once: the one that made a step last is named.
 */
import type { UpgradeProgress } from '@metergate/store/schema/migrations/prepare-schema.ts';
import { upgradeStep } from '@metergate/store/schema/migrations/upgrade-steps.ts';
import type { Log } from '../log/log.ts';
import type { Unready } from './node-watch.ts';

interface UpgradeWatch {
  progressed(progress: UpgradeProgress): void;
  /** All of it is done, or has failed. */
  ended(): void;
}

interface UpgradeWatchOptions {
  readonly tell: (sentence: string) => void;
  /** What is waited for, for `/readyz`. */
  readonly waitsFor: (sentence: string) => void;
  readonly monotonicMs: () => number;
  /** Runs a task again and again; returns how to end that. */
  readonly every: (pauseMs: number, task: () => void) => () => void;
}

const lookMs = 1_000;
const tellAgainMs = 10_000;

export function createUpgradeWatch({ tell, waitsFor, monotonicMs, every }: UpgradeWatchOptions): UpgradeWatch {
  let now: UpgradeProgress | null = null;
  let beganMs = 0;
  let toldMs = 0;
  let stop: (() => void) | null = null;
  /** What is done but for its last indexes. */
  const made: string[] = [];
  const seconds = (): number => Math.round((monotonicMs() - beganMs) / 1_000);
  const sentence = ({ from, to, at, waitsFor, cell }: UpgradeProgress): string => {
    const versions = `from schema ${from} to ${to}`;
    if (waitsFor !== undefined) {
      return `${nameOf(cell)} will be upgraded ${versions} once transactions of others that use its tables are over: ${waitsFor.join(', ')}, ${
        seconds()} s so far.`;
    }
    const what = at === null ? 'the last indexes' : `step ${at - from} of ${to - from} (${upgradeStep(at).words})`;
    return `${nameOf(cell)} is being upgraded ${versions}: ${what}, ${seconds()} s so far.`;
  };
  const look = (): void => {
    if (now === null) return;
    waitsFor(sentence(now));
    if (monotonicMs() - toldMs < tellAgainMs) return;
    toldMs = monotonicMs();
    tell(sentence(now));
  };
  return {
    progressed(progress) {
      if (now === null) {
        beganMs = toldMs = monotonicMs();
        tell(`${nameOf(progress.cell)} is upgraded from schema ${progress.from} to ${progress.to} before anything is served. `
          + 'metergate upgrade --plan says what that takes.');
        stop = every(lookMs, look);
      }
      now = progress;
      if (progress.at === null) made.push(nameOf(progress.cell));
      look();
    },
    ended() {
      stop?.();
      if (now !== null && now.at === null) {
        const [first, ...others] = made;
        tell(`${first} was upgraded from schema ${now.from} to ${now.to} in ${seconds()} s${
          others.length === 0 ? '' : `, and ${others.length === 1 ? 'one more cell' : `${others.length} more cells`}`}.`);
      }
      now = null;
    },
  };
}

function nameOf(cell: string | undefined): string {
  return cell === undefined ? 'The store' : `The cell ${cell}`;
}

/** By this thread's clock and timers. */
export function upgradeWatchOf(log: Log, phase: (unready: Unready) => void): UpgradeWatch {
  return createUpgradeWatch({
    tell: (sentence) => log('info', sentence), waitsFor: (sentence) => phase({ cause: 'starting', sentence }), monotonicMs: () => performance.now(),
    every(pauseMs, task) {
      const timer = setInterval(task, pauseMs);
      return () => clearInterval(timer);
    },
  });
}
