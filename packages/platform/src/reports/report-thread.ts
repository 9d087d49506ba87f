/**
 * Entry of the report thread: reading operations on a separate connection to the store, so that a report over millions of calls
 * holds up neither sign-in nor the tap (rules: Processes). It changes nothing. Between reports
 * it moves an embedded store's log into its file, so that no thread which writes has to wait for that.
 */
import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { giveBackWhenIdle } from '@metergate/store/threads/idle-memory.ts';
import { openStore } from '@metergate/store/store.ts';
import { workAs } from '@metergate/store/threads/thread-priority.ts';
import type { FromReports, ToReports } from './messages.ts';
import { createReportDesk } from './report-desk.ts';
import { readingOperations } from './reading-operations.ts';

/** What the platform thread passes. */
export interface ReportThreadData {
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
}

/** In a second of hard work a few MB are written. */
const checkpointMs = 1_000;

const data = workerData as ReportThreadData;
const parent = parentPort!;

workAs('reports');
const store = await openStore({ url: data.databaseUrl, masterKey: data.masterKey, clock: Date.now, randomBytes, create: false });
const desk = createReportDesk({
  operations: readingOperations, context: { store, randomBytes: (n) => randomBytes(n) },
  post: (message: FromReports) => parent.postMessage(message),
});
parent.on('message', (message: ToReports) => {
  if (message.kind === 'stop') {
    clearInterval(checkpoints);
    void store.close().then(() => parent.close());
  } else {
    desk.answer(message);
  }
});
// Whoever writes to the disk reports that it is full or away.
const checkpoints = setInterval(() => void store.checkpoint().catch(() => {}), checkpointMs);
giveBackWhenIdle();
parent.postMessage({ kind: 'ready' } satisfies FromReports);
