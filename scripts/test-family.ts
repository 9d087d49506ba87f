/** A test file's process and everything that it started, which can be ended together. */
import { commandOf, descendantsOf, endProcess, holdersOf, type ListedProcess } from './processes.ts';
import type { NotedProcess } from './test-notes.ts';

type Listed = ReadonlyMap<number, ListedProcess>;

/** Seen from outside, at each look at the processes of the machine. */
export class TestFamily {
  readonly root: NotedProcess;
  /** When it was first seen, by `performance.now()`. */
  readonly sinceMs = performance.now();
  /** When the file's own process was found gone. */
  goneMs: number | null = null;
  /** Whether all of it is being ended from outside. */
  ending = false;
  readonly #outputs: ReadonlySet<string>;
  /** Births by process id: kept when a parent ends, which hides its children from the tree. */
  readonly #members = new Map<number, string>();
  #left: readonly number[] = [];

  constructor(root: NotedProcess) {
    this.root = root;
    this.#outputs = new Set(root.outputs);
  }

  /** Takes note of what it has started since the last look, and of what has ended. */
  update(listed: Listed): void {
    const lives = (pid: number, born: string): boolean => listed.get(pid)?.born === born;
    for (const [pid, born] of [[this.root.pid, this.root.born] as const, ...this.#members]) {
      if (!lives(pid, born)) this.#members.delete(pid);
      else for (const found of descendantsOf(pid, listed)) this.#members.set(found.pid, found.born);
    }
    this.#left = [...this.#members.keys()];
    if (!lives(this.root.pid, this.root.born)) this.goneMs ??= performance.now();
  }

  /** What it started and still runs, in words; empty if there is nothing. */
  describe(): string {
    return [...this.#left, ...this.holding()].filter((pid, at, all) => all.indexOf(pid) === at)
      .map((pid) => `${pid} ${commandOf(pid).slice(0, 200)}`).join('; ');
  }

  /** Those other than the file's own process that hold its output open: the runner waits for its end. */
  holding(): number[] {
    return holdersOf(this.#outputs).filter((pid) => pid !== process.pid && pid !== this.root.pid);
  }

  /** Ends all of it, as far as it lives. Repeated at each look, since what is being ended may still start something. */
  end(): void {
    this.ending = true;
    if (this.goneMs === null) endProcess(this.root.pid);
    for (const pid of new Set([...this.#left, ...this.holding()])) endProcess(pid);
  }
}
