/**
 * Posts while the calling thread stands still, for the moments after which nothing runs any more: the end of a process, however it
 * comes. A thread of its own posts, with fetch, which nobody has patched there; the caller waits on shared memory, 1.5 s at most
 * in all: both retries of one batch and a little. Throws where no thread can be made.
 */
import type { Answer } from './answer.ts';
import { postOf, type Destination } from './post.ts';
import { retryWaitsMs } from './batch-delivery.ts';
import type { NextPost } from './reporter.ts';
import { monotonicMs, nodeModule } from './runtime.ts';

export const blockingBudgetMs = 1_500;

/**
 * What the thread runs: plain script, in a realm where nothing is that the host patched. Cells of the shared memory `c`: 0 is 1 while
 * it is the thread's turn; 1 the body to post; then the answer: 2 its status, 3 whether its code is `baseline_closed`.
 * Of the answer's body, only a 410's is read, to 16,384 characters.
 */
const script = `const{c,b,e,p}=require('worker_threads').workerData;
(async()=>{for(;;){c[2]=c[3]=0;
try{const r=await fetch(e,{...p,redirect:'manual',body:b[c[1]]});c[2]=r.status;
if(r.status==410){let t='';const d=new TextDecoder;for await(const x of r.body)if((t+=d.decode(x,{stream:true})).length>16384)break;
c[3]=+(JSON.parse(t).error.code=='baseline_closed')}else r.body?.cancel().catch(()=>{})}catch{}
Atomics.store(c,0,0);Atomics.notify(c,0);Atomics.wait(c,0,0)}})()`;

/** Posts the bodies in turn; `answered` says after each attempt, counted from 0 for each body, how to go on. */
export function postBlocking(
  destination: Destination, bodies: readonly string[], answered: (answer: Answer, attempt: number) => NextPost,
): void {
  const deadlineMs = monotonicMs() + blockingBudgetMs;
  const cells = new Int32Array(new SharedArrayBuffer(20));
  const wait = (cell: number, while_: number, untilMs: number): string => Atomics.wait(cells, cell, while_, untilMs - monotonicMs());
  cells[0] = 1;
  const { Worker } = nodeModule('node:worker_threads');
  const worker = new Worker(script, {
    eval: true, execArgv: [], env: {}, stdout: true, stderr: true,
    workerData: { c: cells, b: bodies, e: destination.endpoint, p: postOf(destination) },
  });
  worker.on('error', () => undefined);
  worker.unref();
  for (let attempt = 0; cells[1]! < bodies.length;) {
    if (wait(0, 1, deadlineMs) === 'timed-out') break;
    const next = answered({ status: cells[2]!, code: cells[3] === 1 ? 'baseline_closed' : null }, attempt);
    if (next === 'end') break;
    const resumeMs = next === 'again' ? monotonicMs() + retryWaitsMs[attempt]! : 0;
    if (resumeMs >= deadlineMs) break;
    attempt = next === 'again' ? attempt + 1 : 0;
    if (next === 'next' && (cells[1]! += 1) === bodies.length) break;
    // A cell nobody changes: standing still till then.
    if (resumeMs > 0) wait(4, 0, resumeMs);
    Atomics.store(cells, 0, 1);
    Atomics.notify(cells, 0);
  }
  void worker.terminate();
}
