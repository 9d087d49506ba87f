/** What each test process is doing at the moment, in a file by its process id: a process that dies or hangs cannot report that itself. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { birthOf, outputsOf } from './processes.ts';

/** A test process, as it noted itself. */
export interface NotedProcess {
  readonly pid: number;
  readonly born: string;
  /** The path of the test file. */
  readonly program: string;
  readonly outputs: readonly string[];
}

const processSuffix = '.process';

/** The environment variables by which a test process knows its runner and where to note. */
const variables = { runner: 'TEST_RUNNER_PID', folder: 'TEST_NOTES' } as const;

/** Noted by a process whose tests have all run. */
export const itsEnd = 'its end';

/** Called by the runner, before it starts test processes. */
export function openNotes(): { readonly folder: string; close(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-notes-'));
  process.env[variables.runner] = String(process.pid);
  process.env[variables.folder] = folder;
  return { folder, close: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Where this test process notes. */
export function notesFolder(): string {
  return process.env[variables.folder] ?? tmpdir();
}

/** Whether this process is one of the runner's own, and not something that a test started. */
export function isTestProcess(): boolean {
  return process.env[variables.runner] === String(process.ppid);
}

/** Called in a test process at its beginning. It may be gone before the runner looks at the processes of the machine. */
export function noteProcess(): void {
  const noted: NotedProcess = { pid: process.pid, born: birthOf(process.pid), program: process.argv[1] ?? '', outputs: outputsOf(process.pid) };
  noteRunning('its beginning');
  writeFileSync(join(notesFolder(), `${process.pid}${processSuffix}`), JSON.stringify(noted));
}

/** The processes that have noted themselves since the last call; each is given once. */
export function takeNotedProcesses(folder: string): NotedProcess[] {
  return readdirSync(folder).filter((name) => name.endsWith(processSuffix)).flatMap((name) => {
    const noted = readNoted(join(folder, name));
    if (noted !== null) rmSync(join(folder, name));
    return noted ?? [];
  });
}

/** Null while it is being written. */
function readNoted(path: string): NotedProcess | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as NotedProcess;
  } catch {
    return null;
  }
}

/** Called in a test process: what it does from now on. */
export function noteRunning(what: string): void {
  const folder = process.env[variables.folder];
  if (folder !== undefined && isTestProcess()) writeFileSync(join(folder, String(process.pid)), what);
}

/** What that process noted last; null if it noted nothing. */
export function noteOf(folder: string, pid: number): string | null {
  try {
    return readFileSync(join(folder, String(pid)), 'utf8');
  } catch {
    return null;
  }
}
