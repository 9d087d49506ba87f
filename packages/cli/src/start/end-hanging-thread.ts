/**
 * Ends a thread that does not answer, and says where it stood: its functions, newest first, without a value of any of them. Node's own debugger stops
 * it there, also in the middle of an endless loop. Decision 0206.
 */
import { Session } from 'node:inspector';
import type { Worker } from 'node:worker_threads';

/** The thread is ended without its stack if the debugger does not have it by then. */
const waitMs = 2_000;
const framesMax = 20;

interface Frame {
  readonly functionName: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber: number };
}

interface Told {
  readonly method?: string;
  readonly params?: { readonly scriptId?: string; readonly url?: string; readonly callFrames?: readonly Frame[] };
}

interface Attached {
  readonly sessionId: string;
  readonly workerInfo: { readonly url: string };
}

/** `file`: what the thread runs. `told` is called before it ends, with one line for each function; null: it could not be stopped. */
export async function endHangingThread(
  { worker, file }: { readonly worker: Worker; readonly file: string }, told: (stack: readonly string[] | null) => void,
): Promise<void> {
  const debugging = debugThread(file);
  told(await debugging.stack);
  const ended = worker.terminate();
  // Only then is it resumed: a thread that is resumed before goes on with its loop, and is then not ended any more.
  debugging.resume();
  await ended;
  debugging.close();
}

interface Debugging {
  readonly stack: Promise<readonly string[] | null>;
  resume(): void;
  close(): void;
}

function debugThread(file: string): Debugging {
  const session = new Session();
  const scripts = new Map<string, string>();
  const { promise: stack, resolve } = Promise.withResolvers<readonly string[] | null>();
  const late = setTimeout(() => resolve(null), waitMs);
  let sent = 0;
  let thread: string | null = null;
  const send = (method: string): void => {
    if (thread === null) return;
    sent += 1;
    session.post('NodeWorker.sendMessageToWorker', { sessionId: thread, message: JSON.stringify({ id: sent, method }) });
  };
  session.on('NodeWorker.attachedToWorker', ({ params }: { readonly params: Attached }) => {
    if (params.workerInfo.url !== file) return;
    thread = params.sessionId;
    send('Debugger.enable');
    send('Debugger.pause');
  });
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }: { readonly params: { readonly message: string } }) => {
    const { method, params } = JSON.parse(message) as Told;
    if (method === 'Debugger.scriptParsed') scripts.set(params!.scriptId!, params!.url!);
    if (method === 'Debugger.paused') resolve(params!.callFrames!.slice(0, framesMax).map((frame) => lineOf(frame, scripts)));
  });
  try {
    session.connect();
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, (error) => { if (error !== null) resolve(null); });
  } catch {
    // A Node that was built without a debugger.
    resolve(null);
  }
  void stack.then(() => clearTimeout(late));
  return { stack, resume: () => send('Debugger.resume'), close: () => session.disconnect() };
}

function lineOf({ functionName, location: { scriptId, lineNumber, columnNumber } }: Frame, scripts: ReadonlyMap<string, string>): string {
  return `at ${functionName === '' ? '(anonymous)' : functionName} (${scripts.get(scriptId) ?? ''}:${lineNumber + 1}:${columnNumber + 1})`;
}
