/**
 * One request and its answer on one of our connections: what the data path holds of it. Nothing is reported after the end, and the connection,
 * which then serves others, is out of its reach.
 */
import { Readable } from 'node:stream';
import type { Exchange, ExchangeObserver, OutboundRequest } from './destination.ts';
import { ExchangeError, classifyFault } from './exchange-fault.ts';
import { RequestBody } from './request-body.ts';

/** The connection that carries an exchange. */
export interface Carrier {
  /** Stops reading; only where the head of the answer is there. */
  hold(): void;
  resume(): void;
  destroy(): void;
}

let underWay = 0;

/** Exchanges of this thread that are not over. */
export function exchangesUnderWay(): number {
  return underWay;
}

export class SocketExchange implements Exchange {
  readonly request: OutboundRequest;
  /** Null if the body is whole, or there is none, or it has been let go. */
  body: RequestBody | null = null;
  readonly #observer: ExchangeObserver;
  #carrier: Carrier | null = null;
  #written = false;
  #paused = false;
  #over = false;

  constructor(request: OutboundRequest, observer: ExchangeObserver) {
    this.request = request;
    this.#observer = observer;
    underWay += 1;
    if (request.body instanceof Readable) this.body = new RequestBody(request.body, (cause) => this.fail(cause));
  }

  /** True once no event will follow; such an exchange is not sent. */
  get over(): boolean {
    return this.#over;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** This connection is dialled for it, or kept for it. */
  isCarriedBy(carrier: Carrier): void {
    this.#carrier = carrier;
  }

  /** From now on it counts as sent. */
  isWritten(): void {
    this.#written = true;
  }

  pause(): void {
    this.#paused = true;
    this.#carrier?.hold();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#carrier?.resume();
  }

  /** `failed` with kind `aborted` is emitted before this returns. */
  abort(): void {
    if (!this.#over) this.fail(new ExchangeError('aborted', 'The exchange was given up by the gateway.'));
  }

  /** Ends the exchange with this fault, wherever it stands, and its connection with it. */
  fail(cause: Error): void {
    if (this.#over) return;
    const carrier = this.#finish();
    this.#observer.failed(classifyFault(cause, this.#written));
    carrier?.destroy();
  }

  head(status: number, reason: string, pairs: string[]): void {
    this.#observer.head(status, reason, pairs);
  }

  data(chunk: Buffer, cameIn?: Buffer): void {
    this.#observer.data(chunk, cameIn);
  }

  end(): void {
    this.#finish();
    this.#observer.end();
  }

  /** Its connection is no longer HTTP's: no event follows here, and the connection stays. */
  leave(): void {
    this.#finish();
  }

  #finish(): Carrier | null {
    if (!this.#over) underWay -= 1;
    this.#over = true;
    this.body?.release();
    this.body = null;
    const carrier = this.#carrier;
    this.#carrier = null;
    return carrier;
  }
}
