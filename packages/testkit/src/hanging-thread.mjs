/**
 * Loaded by Node into a product under test (`hanging-gateway.ts`): once the file that METERGATE_TEST_HANG names is there, the gateway thread computes
 * for ever.
 */
import { existsSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const file = process.env['METERGATE_TEST_HANG'];

/** Most of each moment it stands still within the loop: the thread is as lost as if it computed, and other tests have the processor. */
function computesForEver() {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) Atomics.wait(nothing, 0, 0, 5);
}

if (!isMainThread && file !== undefined && workerData?.storePort !== undefined) {
  setInterval(function looksForTheFile() { if (existsSync(file)) computesForEver(); }, 50).unref();
}
