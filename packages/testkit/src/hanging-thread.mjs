/**
 * Loaded by Node into a product under test (`hanging-gateway.ts`): once the file that METERGATE_TEST_HANG names is there, the gateway thread computes
 * for ever.
 */
import { existsSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const file = process.env['METERGATE_TEST_HANG'];

function computesForEver() {
  for (;;);
}

if (!isMainThread && file !== undefined && workerData?.storePort !== undefined) {
  setInterval(function looksForTheFile() { if (existsSync(file)) computesForEver(); }, 50).unref();
}
