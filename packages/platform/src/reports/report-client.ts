/**
 * Reports as the platform thread asks for them: as questions to the report thread, which starts with the first one and ends with the
 * platform. If it dies, open questions fail, and the next one starts a new thread.
 */
import type { CallExport } from '../use-cases/exports.ts';
import type { Download } from '../http/download.ts';
import { faultOfMessage, type FileHead, type FromReports, type Piece, type ReportRequest, type ToReports } from './messages.ts';

/** Runs reading operations somewhere else. */
export interface Reports {
  /** What the operation of this name answers to that request: its result, a refusal, or a file. */
  run(operation: string, request: ReportRequest): Promise<unknown>;
  /** Starts the thread where it does not run yet: somebody will ask soon, and need not wait for it then. */
  begin(): void;
  /** Nothing may be asked afterwards. */
  close(): Promise<void>;
}

/** What is used of a worker. */
export interface ReportWorker {
  postMessage(message: ToReports): void;
  on(event: 'message', listener: (message: FromReports) => void): unknown;
  on(event: 'error', listener: (fault: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
}

interface Question {
  readonly resolve: (answer: Exclude<FromReports, { readonly kind: 'fault' }>) => void;
  readonly reject: (fault: Error) => void;
}

/** A thread with what was asked of it. */
interface Running {
  readonly worker: ReportWorker;
  readonly questions: Map<number, Question>;
  readonly ended: Promise<void>;
}

/** `start`: makes a thread. */
export function createReports(start: () => ReportWorker): Reports {
  let running: Running | null = null;
  let asked = 0;
  let closed = false;

  function begin(): Running {
    const worker = start();
    const questions = new Map<number, Question>();
    const ended = new Promise<void>((resolve) => {
      let cause = new Error('The report thread has ended.');
      worker.on('error', (fault) => { cause = fault instanceof Error ? fault : new Error(String(fault)); });
      worker.on('exit', () => {
        if (running?.worker === worker) running = null;
        for (const { reject } of questions.values()) reject(cause);
        questions.clear();
        resolve();
      });
    });
    worker.on('message', (message) => {
      const question = questions.get(message.number);
      questions.delete(message.number);
      if (message.kind === 'fault') question?.reject(faultOfMessage(message.fault));
      else question?.resolve(message);
    });
    return { worker, questions, ended };
  }

  function ask({ worker, questions }: Running, message: Extract<ToReports, { readonly number: number }>) {
    return new Promise<Exclude<FromReports, { readonly kind: 'fault' }>>((resolve, reject) => {
      questions.set(message.number, { resolve, reject });
      worker.postMessage(message);
    });
  }

  async function* piecesOf(thread: Running, file: number): AsyncGenerator<Piece, void, undefined> {
    let whole = false;
    try {
      for (;;) {
        if (running !== thread) throw new Error('The report thread ended before the file was made.');
        const answer = await ask(thread, { kind: 'piece', number: ++asked, file });
        const piece = answer.kind === 'piece' ? answer.piece : null;
        whole = piece === null;
        if (piece === null) return;
        yield piece;
      }
    } finally {
      if (!whole && running === thread) thread.worker.postMessage({ kind: 'let_go', file });
    }
  }

  function fileOf(thread: Running, file: number, { contentType, fileName }: FileHead): Download {
    const pieces = piecesOf(thread, file);
    return { download: { contentType, fileName, pieces } satisfies CallExport };
  }

  return {
    begin() {
      if (!closed) running ??= begin();
    },
    async run(operation, request) {
      if (closed) throw new Error('The platform is ending.');
      const thread = running ??= begin();
      const answer = await ask(thread, { kind: 'run', number: ++asked, operation, request });
      return answer.kind === 'file' ? fileOf(thread, answer.number, answer.head) : answer.kind === 'result' ? answer.result : undefined;
    },
    async close() {
      closed = true;
      if (running === null) return;
      const { worker, ended } = running;
      worker.postMessage({ kind: 'stop' });
      await ended;
    },
  };
}
