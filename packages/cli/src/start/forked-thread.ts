/** Another process of the product, spoken to as a thread is. It ends with this one, however this one ends (`parent-process.ts`). */
import { fork, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';

/** What is used of a thread by whoever watches it. Its events `message`, `error` and `exit` are those of `Worker`. */
export interface WatchedThread extends Pick<EventEmitter, 'on' | 'once' | 'off'> {
  postMessage(message: unknown): void;
  /** -1: it has ended. */
  readonly threadId: number;
}

/** How a process that could not be started has ended, or one that was killed. */
const failedCode = 1;

class ForkedThread extends EventEmitter implements WatchedThread {
  readonly #child: ChildProcess;
  #hasEnded = false;
  threadId: number;

  constructor(file: string) {
    super();
    const child = this.#child = fork(new URL(file), { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.threadId = child.pid ?? -1;
    // One that computes for ever does not notice that this process is gone.
    const kill = (): void => void child.kill('SIGKILL');
    const end = (code: number): void => {
      process.off('exit', kill);
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      this.threadId = -1;
      this.emit('exit', code);
    };
    process.on('exit', kill);
    child.on('message', (message) => this.emit('message', message));
    child.on('error', (fault) => {
      this.emit('error', fault);
      if (child.pid === undefined) end(failedCode);
    });
    // Behind its last message, unlike `exit`.
    child.on('close', (code) => end(code ?? failedCode));
  }

  postMessage(message: object): void {
    // If it is gone, its end reports that.
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}

/** Begins that file as a process, and sends it `data` first. */
export function forkedThread(file: string, data: object): WatchedThread {
  const forked = new ForkedThread(file);
  forked.postMessage(data);
  return forked;
}
