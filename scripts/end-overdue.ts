/**
 * Loaded before a test file: ends its process once it is overdue, and says what kept it. The runner asks a process to end at its time limit, but
 * one that left a server open does not hear that and would keep the whole run waiting.
 */
import { isMainThread, threadId } from 'node:worker_threads';
import { overdueMs } from './test-limits.ts';

// Threads of a test load this too; the process has one such timer.
if (isMainThread && threadId === 0) {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`${process.argv[1] ?? 'A test file'} was ended after ${overdueMs / 1_000} s. Still open: ${open}.`);
    process.kill(process.pid, 'SIGKILL');
  }, overdueMs).unref();
}
