/**
 * Who may use the one SQLite connection of a thread now: a transaction alone, from its beginning to its end, and otherwise whoever comes.
 * Writers take the lock of the file in the order in which they came. While the first of them waits for another connection to give it up, no
 * transaction is open here, so reads go on.
 */

/** Between two tries for the lock: whoever writes again and again leaves it alone for longer. Milliseconds. */
const lockTryMs = 2;

/** One who uses the connection: a transaction, or a statement by itself. */
export type User = object;

export class SqliteTurns {
  /** The one whose transaction is open. */
  #open: User | null = null;
  readonly #writers: User[] = [];
  #waiting: (() => void)[] = [];

  /** Whether a transaction is open that is not `user`'s own. */
  isTaken(user: User): boolean {
    return this.#open !== null && this.#open !== user;
  }

  /** Resolves when something changed; it is to be asked again then, in the same breath as what is done. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Opens the transaction of `user` by `begin`, which throws where another connection has the lock; then `isBusy` says so, and it is tried
   * again for at most `patienceMs`.
   */
  async open(user: User, begin: () => void, { isBusy, patienceMs }: {
    readonly isBusy: (error: unknown) => boolean; readonly patienceMs: number;
  }): Promise<void> {
    this.#writers.push(user);
    try {
      for (let waitedMs = 0; ; waitedMs += lockTryMs) {
        while (this.#open !== null || this.#writers[0] !== user) await this.changed();
        try {
          begin();
          this.#open = user;
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
    this.#tell();
  }

  #tell(): void {
    const told = this.#waiting;
    this.#waiting = [];
    for (const each of told) each();
  }
}
