/**
 * A wait that counts the time in which this thread ran. After a pause of the whole process (a machine that is busy or stopped, a container
 * at its processor limit), all timers that fell due during it fire first, before anything that became ready meanwhile is looked at. So one
 * long timer would mistake a pause for slow work. If the wait is split into parts, a pause costs only one part.
 */

/** Parts of a wait: what is waited for gets at least this many turns. */
const parts = 5;

export interface Wait {
  cancel(): void;
}

/** How a part is waited for; tests pass their own. */
export interface Timers {
  readonly after: (delayMs: number, task: () => void) => NodeJS.Timeout;
  readonly clear: (timer: NodeJS.Timeout) => void;
}

const ofThisThread: Timers = { after: (delayMs, task) => setTimeout(task, delayMs), clear: (timer) => clearTimeout(timer) };

/** Runs `task` once, after `waitMs`; later by as much as a pause exceeded one part. */
export function afterOwnTime(waitMs: number, task: () => void, timers: Timers = ofThisThread): Wait {
  let left = parts;
  const part = (): NodeJS.Timeout => timers.after(waitMs / parts, () => {
    left -= 1;
    if (left === 0) task();
    else timer = part();
  });
  let timer = part();
  return { cancel: () => timers.clear(timer) };
}
