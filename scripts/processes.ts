/** The processes of this machine: from `/proc`, or from `ps` where there is none. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** One process. An id is used again later: only together with the birth it names one process. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly born: string;
}

const hasProc = existsSync('/proc/self/stat');

/** All that run, by id; one that has ended and waits for its parent to notice counts as gone. */
export function listProcesses(): Map<number, ListedProcess> {
  const listed = hasProc ? processIds().map(fromProc) : fromPs();
  return new Map(listed.filter((process) => process !== null).map((process) => [process.pid, process]));
}

/** Everything that process started and what that started, as far as each parent still lives; without the process itself. */
export function descendantsOf(pid: number, listed: ReadonlyMap<number, ListedProcess>): ListedProcess[] {
  const children = Map.groupBy(listed.values(), ({ parent }) => parent);
  const found: ListedProcess[] = [];
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const own = children.get(next) ?? [];
    found.push(...own);
    open.push(...own.map((child) => child.pid));
  }
  return found;
}

/** The command line of a process; empty if it is gone. */
export function commandOf(pid: number): string {
  if (!hasProc) return ps(['-o', 'command=', '-p', String(pid)]).trim();
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

/** When a process was born, in words that compare; empty if it is gone. */
export function birthOf(pid: number): string {
  return (hasProc ? fromProc(pid)?.born : ps(['-o', 'lstart=', '-p', String(pid)]).trim()) ?? '';
}

/** What a process writes its output to, by names that compare; empty without `/proc`. */
export function outputsOf(pid: number): string[] {
  return [1, 2].map((fd) => target(`/proc/${pid}/fd/${fd}`)).filter((name) => /^(?:pipe|socket):/.test(name));
}

/** The processes that hold one of these outputs open; empty without `/proc`. */
export function holdersOf(outputs: ReadonlySet<string>): number[] {
  if (!hasProc || outputs.size === 0) return [];
  return processIds().filter((pid) => names(`/proc/${pid}/fd`).some((fd) => outputs.has(target(`/proc/${pid}/fd/${fd}`))));
}

/** Ends a process at once. One that is already gone is no failure. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself, or is not ours.
  }
}

function processIds(): number[] {
  return names('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
}

function fromProc(pid: number): ListedProcess | null {
  const stat = read(`/proc/${pid}/stat`);
  // A program's name, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent] = fields;
  return state === undefined || state === '' || state === 'Z' ? null : { pid, parent: Number(parent), born: fields[19] ?? '' };
}

function fromPs(): (ListedProcess | null)[] {
  return ps(['-axo', 'pid=,ppid=,stat=,lstart=']).split('\n').map((line) => {
    const [pid, parent, state, ...born] = line.trim().split(/ +/);
    return state === undefined || state.startsWith('Z') ? null : { pid: Number(pid), parent: Number(parent), born: born.join(' ') };
  });
}

function ps(args: readonly string[]): string {
  return spawnSync('ps', args, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 }).stdout ?? '';
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function names(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function target(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
