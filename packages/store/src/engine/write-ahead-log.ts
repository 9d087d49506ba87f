/**
 * The write-ahead log of an embedded store, forced to the disk beside the thread that writes it. SQLite would let the thread wait with each commit,
 * and everybody whom the thread serves: 0.1 ms on a quiet disk, half a second on one that others write to. Decision 0337.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { StoreFault } from './fault.ts';

/** What it asks of the system; given in tests. */
interface LogFile {
  readonly open: (path: string) => number;
  readonly sync: (descriptor: number) => Promise<void>;
  readonly close: (descriptor: number) => void;
}

const onDisk: LogFile = { open: (path) => openSync(path, 'r+'), sync: promisify(fdatasync), close: closeSync };

export class WriteAheadLog {
  readonly #path: string;
  readonly #file: LogFile;
  /** It stays the same file for as long as a connection of this process is open. */
  #descriptor: number | null = null;
  /** Under way. It may have begun before what its askers wrote. */
  #current: Promise<void> | null = null;
  /** Begins when the current one ends. All who ask meanwhile share it. */
  #next: Promise<void> | null = null;
  #lost: StoreFault | null = null;
  #isClosing = false;

  /** `store`: the path of the store's file. */
  constructor(store: string, file: LogFile = onDisk) {
    this.#path = `${store}-wal`;
    this.#file = file;
  }

  /**
   * Resolves when the disk has all that was committed before the call, by whomever. Once the disk failed to take something, the system forgets that
   * it has not taken it, and would say yes to the next question: from then on this rejects always. @throws StoreFault
   */
  force(): Promise<void> {
    if (this.#current === null) return this.#begin();
    this.#next ??= this.#current.catch(() => {}).then(() => {
      this.#next = null;
      return this.#begin();
    });
    return this.#next;
  }

  /** Who waits is still answered: the file is closed behind the last of them, since its number would be another file's by then. */
  close(): void {
    this.#isClosing = true;
    this.#closeUnlessAsked();
  }

  #closeUnlessAsked(): void {
    if (!this.#isClosing || this.#descriptor === null || this.#current !== null || this.#next !== null) return;
    this.#file.close(this.#descriptor);
    this.#descriptor = null;
  }

  #begin(): Promise<void> {
    const forcing = this.#sync();
    this.#current = forcing;
    const ended = (): void => {
      if (this.#current === forcing) this.#current = null;
      this.#closeUnlessAsked();
    };
    forcing.then(ended, ended);
    return forcing;
  }

  async #sync(): Promise<void> {
    if (this.#lost !== null) throw this.#lost;
    this.#descriptor ??= this.#opened();
    try {
      await this.#file.sync(this.#descriptor);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      this.#lost = new StoreFault('store_failed', `The disk did not take what was written to ${this.#path} (${code}). Nothing more is taken by this `
        + 'process. Check that the disk has room and is sound, then start again.');
      throw this.#lost;
    }
  }

  #opened(): number {
    try {
      return this.#file.open(this.#path);
    } catch (error) {
      throw new StoreFault('store_failed', `The log ${this.#path} cannot be opened (${(error as NodeJS.ErrnoException).code}), so it is not `
        + 'certain that the disk has what was written. Try again.');
    }
  }
}
