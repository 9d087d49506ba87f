/**
 * Stops one thread of a running product where it is, by Node's own debugger: all else of the process goes on. It also tells what a thread's heap
 * holds. The product must have been started with `inspected` in its environment.
 */
import type { System } from './system.ts';

/** Has Node listen for a debugger, on a free port of this machine. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

export interface ThreadDebugger {
  /** Stops the thread whose file has this in its name; resolves when it stands. */
  pause(file: string): Promise<void>;
  /** Lets it go on. */
  resume(file: string): Promise<void>;
  /** What its heap holds after a collection, bytes. */
  heapBytes(file: string): Promise<number>;
  close(): void;
}

/** What is answered to a message for a thread. */
interface Answered {
  readonly id: number;
  readonly result: { readonly usedSize?: number };
}

interface Told {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly message?: string; readonly workerInfo?: { readonly url: string } };
  readonly error?: { readonly message: string };
}

/** Attaches to every thread of the product. @throws Error if it does not listen for a debugger */
export async function debugThreads({ stderr }: System): Promise<ThreadDebugger> {
  const url = /Debugger listening on (ws:\S+)/.exec(stderr())?.[1];
  if (url === undefined) throw new Error('testkit: the product was not started with `inspected`');
  const socket = new WebSocket(url);
  const sessions = new Map<string, string>();
  const waiting: { readonly holds: (told: Told) => boolean; readonly resolve: (told: Told) => void }[] = [];
  const heard = (holds: (told: Told) => boolean): Promise<Told> => new Promise((resolve) => { waiting.push({ holds, resolve }); });
  let sent = 0;
  const take = (told: Told): void => {
    if (told.method === 'NodeWorker.attachedToWorker') sessions.set(told.params!.workerInfo!.url, told.params!.sessionId!);
    for (const each of waiting.filter(({ holds }) => holds(told))) {
      waiting.splice(waiting.indexOf(each), 1);
      each.resolve(told);
    }
  };
  socket.addEventListener('message', ({ data }) => take(JSON.parse(String(data)) as Told));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('testkit: the debugger did not answer')));
  });
  const ask = (method: string, params: object = {}): Promise<Told> => {
    sent += 1;
    const id = sent;
    const answered = heard((told) => told.id === id);
    socket.send(JSON.stringify({ id, method, params }));
    return answered;
  };
  const tell = async (file: string, method: string, params: object = {}): Promise<Answered['result']> => {
    const [, sessionId] = [...sessions].find(([each]) => each.includes(file)) ?? [];
    if (sessionId === undefined) throw new Error(`testkit: no thread runs ${file}, only ${[...sessions.keys()].join(', ')}`);
    sent += 1;
    const id = sent;
    const answered = heard(({ params: told }) => told?.message?.startsWith(`{"id":${id},`) === true);
    await ask('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method, params }) });
    return (JSON.parse((await answered).params!.message!) as Answered).result;
  };
  const said = (method: string): Promise<Told> => heard(({ params }) => params?.message?.includes(`"${method}"`) === true);
  await ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return {
    async pause(file) {
      const stands = said('Debugger.paused');
      await tell(file, 'Debugger.enable');
      await tell(file, 'Debugger.pause');
      await stands;
    },
    async resume(file) {
      const goesOn = said('Debugger.resumed');
      await tell(file, 'Debugger.resume');
      await goesOn;
    },
    async heapBytes(file) {
      await tell(file, 'HeapProfiler.collectGarbage');
      return (await tell(file, 'Runtime.getHeapUsage')).usedSize!;
    },
    close: () => socket.close(),
  };
}
