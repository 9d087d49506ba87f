/**
 * Who may use the one SQLite connection of a thread now: a transaction alone, from its beginning to its end, and otherwise whoever comes.
 * Writers take the lock of the file in the order in which they came. While the first of them waits for another connection to give it up, no
 * transaction is open here, so reads continue. A thread that writes without end leaves the others room.
 */

/** Between two attempts to take the lock, milliseconds. */
const lockTryMs = 2;
/**
 * A connection that has held the lock for `heldMsMax` more than it left it free leaves it alone for this long, which is longer than others wait
 * between two tries.
 */
const leaveMs = 5;
const heldMsMax = 20;

/** A user of the connection: a transaction, or a single statement. */
type User = object;

export class SqliteTurns {
  /** The one whose transaction is open. */
  #open: User | null = null;
  #openedMs = 0;
  #closedMs = 0;
  /** How much longer this thread held the lock than left it free. */
  #heldMs = 0;
  readonly #writers: User[] = [];
  #waiting: (() => void)[] = [];

  /** Whether a transaction is open that is not `user`'s own. */
  isTaken(user: User): boolean {
    return this.#open !== null && this.#open !== user;
  }

  /** Whether the open transaction is `user`'s. */
  isOpen(user: User): boolean {
    return this.#open === user;
  }

  /** Resolves when something changed. Ask again then, in the same synchronous step as the use. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Opens the transaction of `user` by `begin`, which throws if another connection has the lock; then `isBusy` says so, and it is tried
   * again for at most `patienceMs`.
   */
  async open(user: User, begin: () => void, { isBusy, patienceMs }: {
    readonly isBusy: (error: unknown) => boolean; readonly patienceMs: number;
  }): Promise<void> {
    this.#writers.push(user);
    try {
      for (let waitedMs = 0; ; waitedMs += lockTryMs) {
        while (this.#open !== null || this.#writers[0] !== user) await this.changed();
        await this.#leaveAlone();
        try {
          begin();
          this.#open = user;
          this.#openedMs = performance.now();
          return;
        } catch (error) {
          if (!isBusy(error) || waitedMs >= patienceMs) throw error;
        }
        await new Promise((resume) => setTimeout(resume, lockTryMs));
      }
    } finally {
      this.#writers.splice(this.#writers.indexOf(user), 1);
      this.#tell();
    }
  }

  /** The transaction of `user`, if one is open, has ended. */
  close(user: User): void {
    if (this.#open !== user) return;
    this.#open = null;
    this.#closedMs = performance.now();
    this.#heldMs += this.#closedMs - this.#openedMs;
    this.#tell();
  }

  async #leaveAlone(): Promise<void> {
    const leftMs = performance.now() - this.#closedMs;
    this.#heldMs = leftMs < leaveMs ? Math.max(0, this.#heldMs - leftMs) : 0;
    if (this.#heldMs < heldMsMax) return;
    await new Promise((resume) => setTimeout(resume, leaveMs - leftMs));
    this.#heldMs = 0;
  }

  #tell(): void {
    const told = this.#waiting;
    this.#waiting = [];
    for (const each of told) each();
  }
}
