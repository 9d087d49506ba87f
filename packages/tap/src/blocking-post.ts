/**
 * Posts while the calling thread stands still, for the moments after which nothing runs any more: `process.exit`, an uncaught
 * exception, a signal. A thread of its own posts; the caller waits on shared memory, a second at most in all.
 * Only on Node, from 20.16: elsewhere nothing is posted then. Whatever fails ends it quietly.
 */
import type { Answer } from './answer.ts';
import { answerBytesMax, headersOf, type Destination } from './fetch-post.ts';
import { retryWaitsMs, type NextPost } from './reporter.ts';
import { hostProcess, monotonicMs } from './runtime.ts';

export const blockingBudgetMs = 1_000;

/** Cells of the shared memory. The caller writes `index` and gives the turn away; the thread writes the rest and gives it back. */
const cell = { turn: 0, index: 1, status: 2, closed: 3 } as const;
const turnOf = { caller: 0, thread: 1 } as const;

/** What the thread runs. Plain script in a realm of its own: nothing that the host patched is there. */
const script = `const { cells, bodies, endpoint, headers, max } = require('node:worker_threads').workerData;
const post = async (body) => {
  try {
    const response = await fetch(endpoint, { method: 'POST', headers, body, redirect: 'manual' });
    cells[2] = response.status;
    if (response.status !== 410) return void response.body?.cancel().catch(() => {});
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of response.body) if ((text += decoder.decode(part, { stream: true })).length > max) return;
    cells[3] = JSON.parse(text).error.code === 'baseline_closed' ? 1 : 0;
  } catch {}
};
(async () => {
  for (;;) {
    cells[2] = cells[3] = 0;
    await post(bodies[cells[1]]);
    Atomics.store(cells, 0, 0);
    Atomics.notify(cells, 0);
    Atomics.wait(cells, 0, 0);
  }
})();`;

/** True where posts can be made while the thread stands still. */
export function canBlock(): boolean {
  const { versions, release } = hostProcess ?? {};
  return release?.name === 'node' && versions?.['bun'] === undefined && versions?.['deno'] === undefined
    && typeof hostProcess?.getBuiltinModule === 'function' && typeof SharedArrayBuffer === 'function';
}

/** Posts the bodies in turn; `answered` says after each attempt, counted from 0 for each body, how to go on. */
export function postBlocking(
  destination: Destination, bodies: readonly string[], answered: (answer: Answer, attempt: number) => NextPost,
): void {
  if (!canBlock()) return;
  const deadlineMs = monotonicMs() + blockingBudgetMs;
  const cells = new Int32Array(new SharedArrayBuffer(16));
  Atomics.store(cells, cell.turn, turnOf.thread);
  const { Worker } = hostProcess!.getBuiltinModule('node:worker_threads');
  const worker = new Worker(script, {
    eval: true, execArgv: [], env: {}, stdout: true, stderr: true,
    workerData: { cells, bodies, endpoint: destination.endpoint, headers: headersOf(destination), max: answerBytesMax },
  });
  worker.on('error', () => undefined);
  worker.unref();
  for (let index = 0, attempt = 0; index < bodies.length;) {
    if (Atomics.wait(cells, cell.turn, turnOf.thread, deadlineMs - monotonicMs()) === 'timed-out') break;
    const next = answered({ status: cells[cell.status]!, code: cells[cell.closed] === 1 ? 'baseline_closed' : null }, attempt);
    if (next === 'end') break;
    if (next === 'again' && !slept(retryWaitsMs[attempt]!, deadlineMs)) break;
    attempt = next === 'again' ? attempt + 1 : 0;
    index += next === 'again' ? 0 : 1;
    if (index === bodies.length) break;
    Atomics.store(cells, cell.index, index);
    Atomics.store(cells, cell.turn, turnOf.thread);
    Atomics.notify(cells, cell.turn);
  }
  void worker.terminate();
}

/** Stands still for so long; false, at once, where the deadline comes before. */
function slept(delayMs: number, deadlineMs: number): boolean {
  if (monotonicMs() + delayMs >= deadlineMs) return false;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs);
  return true;
}
