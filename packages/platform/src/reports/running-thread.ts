/** One report thread, with the requests that it has not answered yet. When it ends, they fail. */
import { UnwantedWork } from '@metergate/store/threads/others-first.ts';
import { faultOfMessage, type FromReports, type Piece, type ToReports } from './messages.ts';

/** The part of a worker that is used. */
export interface ReportWorker {
  postMessage(message: ToReports): void;
  on(event: 'message', listener: (message: FromReports) => void): unknown;
  on(event: 'error', listener: (fault: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
}

type Answer = Exclude<FromReports, { readonly kind: 'fault' | 'ready' }>;
type Asked = Extract<ToReports, { readonly number: number }>;
type WithoutNumber<Message> = Message extends { readonly number: number } ? Omit<Message, 'number'> : never;

interface Question {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (fault: Error) => void;
  /** Whoever asked has left. It counts until the thread has heard so and says that it has ended. */
  isGivenUp: boolean;
}

/** The thread needed more memory than it may have, and ended. All that it was asked fails; what took so much need not be among it. */
export class ReportsOutOfMemory extends Error {
  constructor(cause: unknown) {
    super('A report needed more memory than reports may have, and its thread ended. Open questions to it were answered with 503.', { cause });
    this.name = 'ReportsOutOfMemory';
  }
}

function isOutOfMemory(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && fault.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** What happens to a thread. */
interface ThreadNews {
  /** After each answer, and when a file is dropped. */
  readonly answered: () => void;
  /** The thread has ended; called before open requests are rejected. */
  readonly over: () => void;
}

export class RunningThread {
  readonly #worker: ReportWorker;
  readonly #questions = new Map<number, Question>();
  readonly #tell: ThreadNews;
  #asked = 0;
  /** Files that somebody is reading. */
  #files = 0;
  #hasEnded = false;
  #isReady = false;
  readonly ended: Promise<void>;

  constructor(worker: ReportWorker, tell: ThreadNews) {
    this.#worker = worker;
    this.#tell = tell;
    worker.on('message', (message) => this.#take(message));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    let cause = new Error('The report thread has ended.');
    worker.on('error', (fault) => {
      cause = isOutOfMemory(fault) ? new ReportsOutOfMemory(fault) : fault instanceof Error ? fault : new Error(String(fault));
    });
    worker.on('exit', () => {
      this.#hasEnded = true;
      tell.over();
      for (const { reject, isGivenUp } of this.#questions.values()) reject(isGivenUp ? new UnwantedWork() : cause);
      this.#questions.clear();
      resolve();
    });
  }

  /** It has its store, and answers what it is asked. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Nobody waits for an answer, or reads a file. */
  get isIdle(): boolean {
    return this.#questions.size === 0 && this.#files === 0;
  }

  /** Once `left` aborts nothing more is done for an answer. @throws UnwantedWork then, when the thread has ended it */
  ask(question: WithoutNumber<Asked>, left?: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const number = ++this.#asked;
      this.#questions.set(number, { resolve, reject, isGivenUp: false });
      this.#worker.postMessage({ ...question, number });
      left?.addEventListener('abort', () => this.#giveUp(number), { once: true });
    });
  }

  #giveUp(number: number): void {
    const question = this.#questions.get(number);
    if (question === undefined) return;
    question.isGivenUp = true;
    this.#worker.postMessage({ kind: 'give_up', of: number });
  }

  /**
   * The file that question number `file` was answered with; released if it is not read to its end. No generator: that would hear of a reader who left
   * only when the piece is made.
   */
  pieces(file: number): AsyncIterableIterator<Piece, void> {
    let [isOpen, isBegun] = [true, false];
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      if (isBegun) this.#files -= 1;
      this.#tell.answered();
    };
    const over = { done: true, value: undefined } as const;
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: async () => {
        if (!isOpen) return over;
        if (!isBegun) this.#files += 1;
        isBegun = true;
        try {
          if (this.#hasEnded) throw new Error('The report thread ended before the file was made.');
          const answer = await this.ask({ kind: 'piece', file });
          if (answer.kind === 'piece' && answer.piece !== null) return { done: false, value: answer.piece };
          close();
          return over;
        } catch (fault) {
          this.#letGo(file, isOpen);
          close();
          throw fault;
        }
      },
      return: async () => {
        this.#letGo(file, isOpen);
        close();
        return over;
      },
    };
  }

  #letGo(file: number, isOpen: boolean): void {
    if (isOpen && !this.#hasEnded) this.#worker.postMessage({ kind: 'let_go', file });
  }

  stop(): void {
    this.#worker.postMessage({ kind: 'stop' });
  }

  #take(message: FromReports): void {
    if (message.kind === 'ready') {
      this.#isReady = true;
      return;
    }
    const question = this.#questions.get(message.number);
    this.#questions.delete(message.number);
    if (question?.isGivenUp === true) {
      // It was on its way when who asked for it left.
      if (message.kind === 'file') this.#letGo(message.number, true);
      question.reject(new UnwantedWork());
    } else if (message.kind === 'fault') question?.reject(faultOfMessage(message.fault));
    else question?.resolve(message);
    this.#tell.answered();
  }
}
