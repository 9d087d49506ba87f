/**
 * Reports as the platform thread asks for them: as questions to the report thread, which starts with the first one and ends when nobody asked
 * for a while, or with the platform. If it dies, open questions fail. The next question starts a new thread.
 */
import { UnwantedWork } from '@metergate/store/threads/others-first.ts';
import type { CallExport } from '../use-cases/exports.ts';
import type { Download } from '../http/download.ts';
import { RunningThread, type ReportWorker } from './running-thread.ts';
import { JsonText, type FileHead, type ReportRequest } from './messages.ts';

/** Runs reading operations on another thread. */
export interface Reports {
  /**
   * What the operation of this name answers to that request: its result as text, a refusal, or a file. @throws UnwantedWork once `left` aborts
   * before; then the work ends before its next slice.
   */
  run(operation: string, request: ReportRequest, left?: AbortSignal): Promise<unknown>;
  /** Starts the thread if it is not running: somebody will ask soon, and need not wait for it then. */
  begin(): void;
  /** Ask nothing afterwards. */
  close(): Promise<void>;
}

/** Those of one thread. */
export interface ReportThreadOwner extends Reports {
  /** The thread runs and has its store: what is asked now begins at once. */
  readonly isReady: boolean;
}

/** A thread that is idle for this long ends: it holds some 20 MB, and the next one starts in a fraction of a second. */
export const idleMs = 300_000;

/**
 * What a thread may hold, in mebibytes; a comparison of the largest bill takes a fifth (decision 324). Past it the thread ends alone, and those who
 * asked it are answered with 503.
 */
export const reportThreadHeap = { maxOldGenerationSizeMb: 1_024 } as const;

/** Runs a task once after a time, unless the returned function is called before. Tests pass their own. */
export type After = (delayMs: number, task: () => void) => () => void;

const afterTimer: After = (delayMs, task) => {
  const timer = setTimeout(task, delayMs).unref();
  return () => clearTimeout(timer);
};

/** `start`: makes a thread. */
export function createReports(start: () => ReportWorker, after: After = afterTimer): ReportThreadOwner {
  let running: RunningThread | null = null;
  /** Including those that were asked to end. */
  const alive = new Set<RunningThread>();
  let stayAlive = (): void => {};
  let closed = false;

  function begin(): RunningThread {
    const thread = new RunningThread(start(), {
      answered: () => {
        if (running === thread) endLater(thread);
      },
      over: () => {
        alive.delete(thread);
        if (running === thread) running = null;
      },
    });
    alive.add(thread);
    endLater(thread);
    return thread;
  }

  /** Counts from now on, unless somebody asks meanwhile. */
  function endLater(thread: RunningThread): void {
    stayAlive();
    stayAlive = after(idleMs, () => {
      if (running !== thread || !thread.isIdle) return;
      running = null;
      thread.stop();
    });
  }

  return {
    get isReady() {
      return running?.isReady === true;
    },
    begin() {
      if (!closed) running ??= begin();
    },
    async run(operation, request, left) {
      if (closed) throw new Error('The platform is ending.');
      if (left?.aborted === true) throw new UnwantedWork();
      const thread = running ??= begin();
      const answer = await thread.ask({ kind: 'run', operation, request }, left);
      switch (answer.kind) {
        case 'file': return fileOf(thread, answer.number, answer.head);
        case 'json': return new JsonText(answer.json);
        case 'result': return answer.result;
        case 'piece': throw new Error('A piece answers no question.');
      }
    },
    async close() {
      closed = true;
      stayAlive();
      running?.stop();
      await Promise.all([...alive].map(({ ended }) => ended));
    },
  };
}

function fileOf(thread: RunningThread, file: number, { contentType, fileName }: FileHead): Download {
  return { download: { contentType, fileName, pieces: thread.pieces(file) } satisfies CallExport };
}
