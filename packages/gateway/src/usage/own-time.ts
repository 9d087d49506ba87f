/**
 * A wait that counts the time in which this thread ran. After a pause of the whole process (a machine that is busy or stopped, a container
 * at its processor limit), all timers that fell due in it fire first, before anything that became ready meanwhile is looked at. One
 * long timer would therefore take a pause for the work's own slowness. Of a wait in parts, a pause costs one part.
 */

/** Parts of a wait: as many turns, at least, does what is waited for get. */
const parts = 5;

export interface Wait {
  cancel(): void;
}

/** How a part is waited for; given in tests. */
export interface Timers {
  readonly after: (delayMs: number, task: () => void) => NodeJS.Timeout;
  readonly clear: (timer: NodeJS.Timeout) => void;
}

const ofThisThread: Timers = { after: (delayMs, task) => setTimeout(task, delayMs), clear: (timer) => clearTimeout(timer) };

/** Runs `task` once, after `waitMs`, and later by what of a pause went beyond one part of it. */
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
