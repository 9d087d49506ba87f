/** What each test file costs in processor time, with everything that it started and waited for: in one file of the notes' folder. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesFolder } from './test-notes.ts';

/** One test file, or the process that several share. */
export interface TestCost {
  readonly program: string;
  readonly processorSeconds: number;
}

const clockTicksPerSecond = 100;
const costsFile = 'costs';

/** This process and those of its children that have ended; without `/proc` only this process. */
export function processorSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // A program's name, in brackets, may hold anything.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 15).map(Number);
    return ticks.reduce((sum, each) => sum + each, 0) / clockTicksPerSecond;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

/** Called in a test process, at the end of what it notes. */
export function noteCost(cost: TestCost): void {
  appendFileSync(join(notesFolder(), costsFile), `${JSON.stringify(cost)}\n`);
}

/** What was noted there, the costliest first. */
export function costsIn(folder: string): TestCost[] {
  let lines: string[] = [];
  try {
    lines = readFileSync(join(folder, costsFile), 'utf8').trimEnd().split('\n');
  } catch {
    // No test process has come to its end.
  }
  return lines.map((line) => JSON.parse(line) as TestCost).sort((a, b) => b.processorSeconds - a.processorSeconds);
}
