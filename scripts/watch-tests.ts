/**
 * Ends from outside what a test run cannot end from inside: a test file whose thread computes for ever or that ignores every request to end, what
 * a file leaves running behind it, and a whole run that does not come to its end. Each is named, with the test that was running.
 */
import { resolve } from 'node:path';
import { commandOf, listProcesses, type ListedProcess } from './processes.ts';
import { costsIn, type TestCost } from './test-costs.ts';
import { TestFamily } from './test-family.ts';
import { itsEnd, noteOf, openNotes, takeNotedProcesses } from './test-notes.ts';

/** How long each may take, milliseconds. */
export interface TestLimits {
  /** A test file's process. */
  readonly fileMs: number;
  /** What a test file started and left running, after the file's own end. */
  readonly leftMs: number;
  /** Everything. */
  readonly runMs: number;
}

/** The module that is loaded before each test file. */
const preload = new URL('end-overdue.ts', import.meta.url).href;
const lookEveryMs = 1_000;

/** Watches, until `stop`, the test files that are run with `execArgv`. */
export class TestWatch {
  /** What Node is given for each test file. */
  readonly execArgv: string[] = ['--import', preload];
  /** What makes the run a failure, whatever the runner says. */
  readonly faults: string[] = [];
  readonly #limits: TestLimits;
  readonly #say: (line: string) => void;
  readonly #bound = new AbortController();
  readonly #notes = openNotes();
  readonly #startedMs = performance.now();
  /** Those that have not ended, by process id. */
  readonly #families = new Map<number, TestFamily>();
  /** By the path of the test file. */
  readonly #processOf = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(limits: TestLimits, say: (line: string) => void) {
    this.#limits = limits;
    this.#say = say;
    this.#timer = setInterval(() => this.#look(), lookEveryMs).unref();
  }

  /** Aborted at the bound of the whole run. */
  get bound(): AbortSignal {
    return this.#bound.signal;
  }

  /** What the process of a program was in when it died; null if it came to its end. */
  diedIn(program: string): string | null {
    this.#takeNoted();
    const pid = this.#processOf.get(resolve(program));
    const note = pid === undefined ? null : noteOf(this.#notes.folder, pid);
    return note === itsEnd ? null : note;
  }

  /** What each file cost that has come to its end, the costliest first. */
  costs(): TestCost[] {
    return costsIn(this.#notes.folder);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#notes.close();
  }

  #look(): void {
    const listed = listProcesses();
    this.#takeNoted();
    for (const family of this.#families.values()) {
      family.update(listed);
      this.#judge(family);
    }
    if (!this.bound.aborted && performance.now() - this.#startedMs > this.#limits.runMs) this.#endRun(listed);
  }

  #takeNoted(): void {
    for (const noted of takeNotedProcesses(this.#notes.folder)) {
      this.#families.set(noted.pid, new TestFamily(noted));
      this.#processOf.set(noted.program, noted.pid);
    }
  }

  #judge(family: TestFamily): void {
    const nowMs = performance.now();
    const { sinceMs, goneMs, root: { program } } = family;
    if (family.ending) family.end();
    else if (goneMs === null && nowMs - sinceMs > this.#limits.fileMs) {
      const started = family.describe();
      const ended = `${program} was ended from outside after ${seconds(nowMs - sinceMs)}, in ${this.#doing(family)}.`;
      this.#fault(started === '' ? ended : `${ended} It had started: ${started}.`);
      family.end();
    } else if (goneMs !== null && nowMs - goneMs > this.#limits.leftMs) this.#endLeft(family);
    if (family.ending && goneMs !== null && family.describe() === '') this.#families.delete(family.root.pid);
  }

  #endLeft(family: TestFamily): void {
    const started = family.describe();
    const line = `${family.root.program} ended, and what it had started was ended ${seconds(this.#limits.leftMs)} later: ${started}.`;
    if (family.holding().length > 0) this.#fault(`${line} It held the file's output, for whose end the runner waits.`);
    else if (started !== '') this.#say(line);
    family.end();
  }

  #endRun(listed: ReadonlyMap<number, ListedProcess>): void {
    const files = this.#families.values().map((family) => {
      const doing = family.goneMs === null ? `in ${this.#doing(family)}` : 'ended';
      return `${family.root.program}, for ${seconds(performance.now() - family.sinceMs)}, ${doing}`;
    }).toArray();
    const others = listed.values().filter(({ parent }) => parent === process.pid).map(({ pid }) => commandOf(pid)).toArray();
    const running = (files.length > 0 ? files : others).map((line) => `\n  ${line}`).join('');
    this.#fault(`The run did not end within ${seconds(this.#limits.runMs)}. Still running:${running}`);
    this.#bound.abort();
    for (const family of this.#families.values()) family.end();
  }

  #doing(family: TestFamily): string {
    return noteOf(this.#notes.folder, family.root.pid) ?? 'its beginning';
  }

  #fault(line: string): void {
    this.faults.push(line);
    this.#say(line);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(0)} s`;
}
