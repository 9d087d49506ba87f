/** The process that resolves names, as its parent sees it. It ends with its parent, however that ends. */
import { fork } from 'node:child_process';
import { getDefaultResultOrder, type LookupAddress } from 'node:dns';
import { namePlaces } from './name-places.ts';
import type { FromNameProcess, ToNameProcess } from './name-process.ts';

export interface NameProcess {
  ask(id: number, hostname: string): void;
  /** Ends it at once, with everything that it resolves. No answer comes after this. */
  kill(): void;
}

export interface NameProcessEvents {
  readonly answered: (id: number, addresses: readonly LookupAddress[] | null) => void;
  /** It ended by itself, or could not be started. `why`: half a sentence. */
  readonly ended: (why: string) => void;
}

export type StartNameProcess = (events: NameProcessEvents) => NameProcess;

/** Variables that the system's resolver and the loader read. Nothing else is handed on: the parent's environment holds secrets. */
const handedOn = /^(?:PATH|HOME|TZ|LANG|LC_.*|LD_.*|DYLD_.*|LOCALDOMAIN|HOSTALIASES|RES_OPTIONS|RESOLV_.*|NSS_.*|GETCONF_DIR|SystemRoot|windir)$/;

/** Node resolves names on half of its threads at most; the other half is never begun. */
const threads = 2 * namePlaces;

/** It compiles nothing worth keeping and holds a few names, so it gets by with little memory. */
const smallHeap = ['--max-old-space-size=32', '--max-semi-space-size=1', '--v8-pool-size=1', '--no-opt'];

export const startNameProcess: StartNameProcess = ({ answered, ended }) => {
  const child = fork(new URL('./name-process.ts', import.meta.url), {
    env: { ...inherited(), UV_THREADPOOL_SIZE: String(threads) },
    execArgv: [...smallHeap, `--dns-result-order=${getDefaultResultOrder()}`], stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let over = false;
  const end = (why: string): void => {
    if (over) return;
    over = true;
    child.kill('SIGKILL');
    ended(why);
  };
  child.on('message', (message: FromNameProcess) => {
    if (!over && 'id' in message) answered(message.id, message.addresses);
  });
  child.on('error', (error: NodeJS.ErrnoException) => end(`it could not be started or reached (${error.code ?? error.name})`));
  child.on('exit', (code, signal) => end(`it ended (${signal ?? `code ${code}`})`));
  // It keeps no process alive.
  child.unref();
  child.channel?.unref();
  return {
    ask(id, hostname) {
      const question: ToNameProcess = { id, hostname };
      // If it is already gone, its `exit` event reports that.
      if (!over && child.connected) child.send(question, () => {});
    },
    kill() {
      over = true;
      child.kill('SIGKILL');
    },
  };
};

function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => handedOn.test(name)));
}
