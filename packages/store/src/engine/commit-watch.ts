/**
 * Notices on SQLite, which sends none: every 50 ms this asks whether another connection, of this process or of another one, has committed. The
 * question takes some microseconds and holds up nobody. What was changed is found out by the next poll.
 */
import type { ChangeNotice, ChangeNotices } from './change-notices.ts';

const lookMs = 50;
const everything: readonly ChangeNotice[] = ['settings', 'runs'];

/** Runs a task again and again; returns how to end that. */
type Every = (pauseMs: number, task: () => void) => () => void;

const byThisThread: Every = (pauseMs, task) => {
  const timer = setInterval(task, pauseMs).unref();
  return () => clearInterval(timer);
};

/**
 * Calls `told` for each kind once others have committed, and once whenever watching began. `othersCommits`: a value that differs from the one before
 * if they have; null: it cannot be asked now. If it throws, the poll is left to say why.
 */
export function watchCommits(
  othersCommits: () => unknown, told: (notice: ChangeNotice) => void, every: Every = byThisThread,
): ChangeNotices {
  let seen: unknown = null;
  const tellAll = (): void => everything.forEach(told);
  const look = (): void => {
    try {
      const now = othersCommits();
      if (now === null || now === seen) return;
      seen = now;
    } catch {
      // What keeps it from being asked keeps polls from their answers too.
    }
    tellAll();
  };
  look();
  const stop = every(lookMs, look);
  return { close: async () => stop() };
}
