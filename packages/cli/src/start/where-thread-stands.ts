/**
 * Where a thread stands that does not answer: its functions, newest first, without a value of any of them. Node's own debugger stops it there, also
 * in the middle of an endless loop; the thread is to be ended afterwards. Decision 0206.
 */
import { Session } from 'node:inspector';
import type { Worker } from 'node:worker_threads';

/** The thread is ended without its stack if the debugger does not have it by then. */
const waitMs = 2_000;
const framesMax = 20;

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly location: { readonly lineNumber: number; readonly columnNumber: number };
}

interface Attached {
  readonly sessionId: string;
  readonly workerInfo: { readonly workerId: string };
}

/** One line for each function; null: it could not be stopped. */
export async function whereThreadStands(worker: Worker): Promise<readonly string[] | null> {
  const session = new Session();
  const given = new AbortController();
  try {
    session.connect();
    return await new Promise((resolve) => {
      const late = setTimeout(() => resolve(null), waitMs);
      given.signal.addEventListener('abort', () => clearTimeout(late));
      session.on('NodeWorker.attachedToWorker', ({ params }: { readonly params: Attached }) => {
        if (params.workerInfo.workerId !== String(worker.threadId)) return;
        for (const [id, method] of ['Debugger.enable', 'Debugger.pause'].entries()) {
          session.post('NodeWorker.sendMessageToWorker', { sessionId: params.sessionId, message: JSON.stringify({ id: id + 1, method }) });
        }
      });
      session.on('NodeWorker.receivedMessageFromWorker', ({ params }: { readonly params: { readonly message: string } }) => {
        const told = JSON.parse(params.message) as { readonly method?: string; readonly params?: { readonly callFrames: readonly Frame[] } };
        if (told.method === 'Debugger.paused') resolve(told.params!.callFrames.slice(0, framesMax).map(lineOf));
      });
      session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, (error) => { if (error !== null) resolve(null); });
    });
  } catch {
    // Another debugger, or a Node that was built without one.
    return null;
  } finally {
    given.abort();
    session.disconnect();
  }
}

function lineOf({ functionName, url, location }: Frame): string {
  return `at ${functionName === '' ? '(anonymous)' : functionName} (${url}:${location.lineNumber + 1}:${location.columnNumber + 1})`;
}
