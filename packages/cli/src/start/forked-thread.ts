/** Another process of the product, spoken to as a thread is. It ends with this one, however this one ends (`parent-process.ts`). */
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';

/** What is used of a thread by whoever watches it. Its events `message`, `error` and `exit` are those of `Worker`. */
export interface WatchedThread extends Pick<EventEmitter, 'on' | 'once' | 'off'> {
  postMessage(message: unknown): void;
  /** -1: it has ended. */
  readonly threadId: number;
}

/**
 * `exit` comes with the code, and with the signal that ended it, if one did. `line`: what it wrote for people, mostly the runtime's last words; at
 * most `linesMax` of them.
 */
export interface ForkedThread extends WatchedThread {
  /** Ends it at once, whatever it does. */
  kill(): void;
}

/** How a process that could not be started has ended, or one that was killed. */
const failedCode = 1;
const linesMax = 40;
const lineCharactersMax = 500;

/** Begins that file as a process, and sends it `data` first: neither its arguments nor its environment hold what is meant for it alone. */
export function forkedThread(file: string, data: object): ForkedThread {
  const forked = new Forked(file);
  forked.postMessage(data);
  return forked;
}

class Forked extends EventEmitter implements ForkedThread {
  readonly #child: ChildProcess;
  #hasEnded = false;
  threadId: number;

  constructor(file: string) {
    super();
    const child = this.#child = begin(file);
    this.threadId = child.pid ?? -1;
    const kill = (): void => this.kill();
    const end = (code: number, signal: string | null): void => {
      process.off('exit', kill);
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      this.threadId = -1;
      this.emit('exit', code, signal);
    };
    // One that computes for ever does not notice that this process is gone.
    process.on('exit', kill);
    child.on('message', (message) => this.emit('message', message));
    child.on('error', (fault) => {
      this.emit('error', fault);
      if (child.pid === undefined) end(failedCode, null);
    });
    // Behind its last message and line, unlike `exit`.
    child.on('close', (code, signal) => end(code ?? failedCode, signal));
    this.#readLines();
  }

  postMessage(message: object): void {
    // If it is gone, its end reports that.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #readLines(): void {
    const { stderr } = this.#child;
    if (stderr === null) return;
    let lines = 0;
    createInterface({ input: stderr }).on('line', (line) => {
      lines += 1;
      if (lines <= linesMax && line.trim() !== '') this.emit('line', line.slice(0, lineCharactersMax));
    });
  }
}

function begin(file: string): ChildProcess {
  const { execArgv, execPath, env } = process;
  const own = { execPath, execArgv: execArgv.filter((option) => !option.startsWith('--inspect')) };
  return fork(new URL(file), {
    ...endingWithParent(own), serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SVC_'))),
  });
}

interface Command { readonly execPath: string; readonly execArgv: readonly string[] }

/** Has the system end a process when who began it ends. Of util-linux; others of the name may not know the option. */
const endingWithParentOf = ['--pdeathsig', 'KILL'];

/**
 * On Linux the system itself ends the process when its parent is gone, even one that is stopped or computes for ever, if there is the `setpriv` that
 * most distributions have.
 */
function endingWithParent({ execPath, execArgv }: Command): { execPath: string; execArgv: string[] } {
  if (!knowsParents()) return { execPath, execArgv: [...execArgv] };
  return { execPath: 'setpriv', execArgv: [...endingWithParentOf, execPath, ...execArgv] };
}

let isKnown: boolean | null = null;

function knowsParents(): boolean {
  if (process.platform !== 'linux') return false;
  isKnown ??= spawnSync('setpriv', [...endingWithParentOf, 'true'], { stdio: 'ignore', timeout: 5_000 }).status === 0;
  return isKnown;
}
