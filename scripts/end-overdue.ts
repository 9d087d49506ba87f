/**
 * Loaded before a test file: notes which test runs, and ends the process once it is overdue. The runner asks a process to end at its time limit,
 * but one that left a server open does not hear that and would keep the whole run waiting. A process whose thread computes for ever cannot end
 * itself either: `watch-tests.ts` ends that one from outside.
 */
import { flushCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { followTestsByContext } from './test-context.ts';
import { noteCost, processorSeconds } from './test-costs.ts';
import { overdueMs } from './test-limits.ts';
import { isTestProcess, itsEnd, noteProcess, noteRunning } from './test-notes.ts';

// Threads and processes that a test starts may load this too.
if (isMainThread && isTestProcess()) {
  followTestsByContext();
  const { after, before, beforeEach } = await import('node:test');
  noteProcess();
  // What was compiled for this file is there for the processes that it starts, not only when it ends: a killed process keeps nothing.
  before(() => flushCompileCache());
  beforeEach((test) => noteRunning(`"${test.fullName}"`));
  after(() => noteRunning(itsEnd));
  process.once('exit', () => noteCost({ program: process.argv[1] ?? '', processorSeconds: processorSeconds() }));
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`${process.argv[1] ?? 'A test file'} was ended after ${overdueMs / 1_000} s. Still open: ${open}.`);
    process.kill(process.pid, 'SIGKILL');
  }, overdueMs).unref();
}
