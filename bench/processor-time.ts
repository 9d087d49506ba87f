/**
 * A process and its children → processor time they have used so far. Linux only (`/proc`); elsewhere null, and the table says so.
 * Taken from the scheduler's count of nanoseconds; if the kernel keeps none, from ticks of 10 ms.
 */
import { readFileSync, readdirSync } from 'node:fs';

const tickMs = 10;

/** User and system time of `pid`, its threads and its descendants, milliseconds; null if the machine does not report it. */
export function processorMs(pid: number): number | null {
  if (process.platform !== 'linux') return null;
  const children = childrenByParent();
  let sumMs = 0;
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    sumMs += scheduledMs(next) ?? tickedMs(next);
    open.push(...(children.get(next) ?? []));
  }
  return sumMs;
}

/** The time of the live threads; null if the kernel does not count it. */
function scheduledMs(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .reduce((sumMs, thread) => sumMs + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6, 0);
  } catch {
    return null;
  }
}

function tickedMs(pid: number): number {
  const fields = statFields(pid);
  return fields === null ? 0 : (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** The fields of `/proc/PID/stat` after the command's name; null if the process is gone. */
function statFields(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(statFields(Number(name))?.[1] ?? 0);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}
