/**
 * Posts while the calling thread blocks: at the end of a process nothing asynchronous runs any more. A separate thread posts with its own
 * unpatched fetch; the caller waits on shared memory until a deadline. Throws if no thread can be started.
 */
import type { Settle } from './answer.ts';
import { ignore } from '../observe/look.ts';
import { postOf, type PostTarget } from './post.ts';
import { monotonicMs, nodeModule } from '../runtime.ts';

/**
 * What the thread runs: plain script, in a realm that contains nothing the host patched. Cells of the shared memory `c`: 0 is 1 while
 * it is the thread's turn; 1 is the index of the body to post; then the answer: 2 its status, 3 whether its code is `baseline_closed`.
 * An answer's body is read only for a 410, up to 16,384 characters.
 */
const script = `const{c,b,e,p}=require('worker_threads').workerData
;(async()=>{for(;;){c[2]=c[3]=0
try{const r=await fetch(e,{...p,redirect:'manual',body:b[c[1]]});c[2]=r.status
if(c[2]==410){let t='';for await(const x of r.body)if((t+=Buffer.from(x)).length>16384)break
c[3]=JSON.parse(t).error.code=='baseline_closed'}else await r.body?.cancel()}catch{}
Atomics.store(c,0,0);Atomics.notify(c,0);Atomics.wait(c,0,0)}})()`;

/** Posts the bodies one after another, as `Transport` describes; attempts are counted from 0 for each body. */
export function postBlocking(destination: PostTarget, bodies: readonly string[], answered: Settle, deadlineMs: number): void {
  const leftMs = (): number => deadlineMs - monotonicMs();
  const cells = new Int32Array(new SharedArrayBuffer(20));
  const { wait, store, notify } = Atomics;
  cells[0] = 1;
  const worker = new (nodeModule('worker_threads').Worker)(script, {
    eval: true, execArgv: [], env: {}, stdout: true, stderr: true,
    workerData: { c: cells, b: bodies, e: destination.endpoint, p: postOf(destination) },
  });
  worker.on('error', ignore).unref();
  for (let attempt = 0; wait(cells, 0, 1, leftMs()) !== 'timed-out'; attempt += 1) {
    const waitMs = answered({ status: cells[2]!, closed: !!cells[3] }, attempt);
    if (waitMs === undefined || waitMs >= leftMs()) break;
    // Nobody changes this cell: waiting on it is a blocking sleep.
    if (waitMs) wait(cells, 4, 0, waitMs);
    else {
      attempt = -1;
      if ((cells[1]! += 1) === bodies.length) break;
    }
    store(cells, 0, 1);
    notify(cells, 0);
  }
  void worker.terminate();
}
