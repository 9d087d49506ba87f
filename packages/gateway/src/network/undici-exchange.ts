/**
 * One dispatched request: the client's callbacks → the observer's `head`, `data`, `end` or `failed`. Interim responses are swallowed. An
 * invalid status or an unrequested switch of protocols ends the exchange. Nothing is called after the end. An observer must not throw.
 */
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { interimResponsesMax } from './destination-options.ts';
import type { Exchange, ExchangeObserver } from './destination.ts';
import { ExchangeError, classifyFault, isLengthInTrailers } from './exchange-fault.ts';
import { reasonBytes } from './undici-parser.ts';

/**
 * How deep we are inside the client's response parser. It is one shared machine: resuming a second connection from within
 * a callback of the first would re-enter it, so that is put off until the stack is empty.
 */
let parserDepth = 0;

export class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #observer: ExchangeObserver;
  #controller: Dispatcher.DispatchController | null = null;
  #paused = false;
  #over = false;
  #body: Readable | null = null;
  #interimResponses = 0;
  #hasHead = false;

  constructor(observer: ExchangeObserver) {
    this.#observer = observer;
  }

  /** The stream this exchange reads its request body from: released when the exchange is over; if it breaks, the exchange ends. */
  carry(body: Readable): Readable {
    this.#body = body;
    return body.on('error', () => this.fail(new ExchangeError('aborted', 'The request body broke off.')));
  }

  /** True once no event will follow; such an exchange needs no dispatch. */
  get over(): boolean {
    return this.#over;
  }

  pause(): void {
    this.#paused = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#paused = false;
    if (parserDepth > 0) queueMicrotask(() => this.#resumeNow());
    else this.#resumeNow();
  }

  /** `failed` with kind `aborted` is emitted before this returns. */
  abort(): void {
    this.fail(new ExchangeError('aborted', 'The exchange was given up by the gateway.'));
  }

  /** Ends the exchange with this fault, wherever it stands; before a connection is there, nothing is ever sent. */
  fail(cause: Error): void {
    if (this.#over) return;
    if (this.#controller === null) this.#say(cause);
    else this.#controller.abort(cause);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new ExchangeError('aborted', 'The exchange was given up before it was sent.'));
    else if (this.#paused) controller.pause();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _headers: unknown, reason = ''): void {
    if (this.#over) return;
    const oddity = this.#oddityOf(status);
    if (oddity !== null) controller.abort(new ExchangeError('protocol', oddity));
    else if (status >= 200) {
      this.#hasHead = true;
      inParser(() => this.#observer.head(status, reasonBytes(reason), latin1Pairs(controller.rawHeaders)));
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // After a pause the parser hands over an empty piece; an observer that pauses at each piece would never resume.
    if (!this.#over && chunk.length > 0) inParser(() => this.#observer.data(chunk));
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#finish();
    inParser(() => this.#observer.end());
  }

  onResponseError(_controller: unknown, cause: Error): void {
    if (this.#hasHead && isLengthInTrailers(cause)) this.onResponseEnd();
    else this.#say(cause);
  }

  #say(cause: Error): void {
    if (this.#over) return;
    this.#finish();
    this.#observer.failed(classifyFault(cause, this.#controller !== null));
  }

  #finish(): void {
    this.#over = true;
    this.#body?.destroy();
    this.#body = null;
  }

  #resumeNow(): void {
    if (!this.#paused && !this.#over) this.#controller?.resume();
  }

  /** Why a status cannot be relayed; null for final ones and for interim ones within the bound. */
  #oddityOf(status: number): string | null {
    if (status < 100) return `The destination answered with status ${status}, which is not valid.`;
    if (status === 101) return 'The destination switched protocols unasked.';
    if (status < 200 && ++this.#interimResponses > interimResponsesMax) return 'The destination sent interim responses without end.';
    return null;
  }
}

function inParser(tell: () => void): void {
  parserDepth++;
  try {
    tell();
  } finally {
    parserDepth--;
  }
}

function latin1Pairs(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
}
