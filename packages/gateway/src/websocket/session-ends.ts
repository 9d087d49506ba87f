/** Both ends of a connection: what is written to each, with backpressure from one to the other, and how they are closed and let go. */
import type { Socket } from 'node:net';
import type { Inflow } from './inflow.ts';
import { closeFrame } from './own-frames.ts';

/** How long an end may take to answer a close. */
export const closingMs = 2_000;

export class SessionEnds {
  readonly caller: Socket;
  readonly provider: Socket;
  toCallerBytes = 0;
  toProviderBytes = 0;
  readonly #toCaller: Sink;
  readonly #toProvider: Sink;

  constructor(caller: Socket, provider: Socket) {
    this.caller = caller;
    this.provider = provider;
    this.#toCaller = new Sink(caller);
    this.#toProvider = new Sink(provider);
  }

  /** `source[from..to)`. `flow`: it is not read while the caller does not read. */
  toCaller(source: Buffer, from: number, to: number, flow: Inflow): void {
    this.toCallerBytes += to - from;
    this.#toCaller.write(source, from, to, flow);
  }

  toProvider(source: Buffer, from: number, to: number, flow: Inflow): void {
    this.toProviderBytes += to - from;
    this.#toProvider.write(source, from, to, flow);
  }

  /** What is written from now on leaves with `leave`, and not before unless an end has enough to do. */
  gather(): void {
    this.#toCaller.gathers = this.#toProvider.gathers = true;
  }

  leave(): void {
    this.#toCaller.leave();
    this.#toProvider.leave();
  }

  /** Both ends are there and have taken all that was written to them. */
  get haveTakenAll(): boolean {
    return this.#toCaller.hasTakenAll && this.#toProvider.hasTakenAll;
  }

  /** Runs it once, at once unless more is written to the caller than it takes, or when it has gone. */
  whenCallerTakes(go: () => void): void {
    this.#toCaller.whenItTakes(go);
  }

  whenProviderTakes(go: () => void): void {
    this.#toProvider.whenItTakes(go);
  }

  closeCaller(code: number, reason: string): void {
    this.#toCaller.flush();
    if (this.caller.writable) this.caller.end(closeFrame(code, reason, 'caller'));
  }

  /** The gateway goes away from it. */
  closeProvider(): void {
    this.#toProvider.flush();
    if (this.provider.writable) this.provider.end(closeFrame(1001, '', 'provider'));
  }

  letGo(): void {
    this.#toCaller.flush();
    this.#toProvider.flush();
    for (const end of [this.caller, this.provider]) letGo(end);
  }
}

/** What is written to one end. What one piece of bytes brought leaves in one piece, and bytes that stood together are written together. */
class Sink {
  readonly #end: Socket;
  /** So many bytes that it has not taken are too many. */
  readonly #bytesMax: number;
  #isCorked = false;
  /** Not yet written: `#source[#from..#to)`. */
  #source: Buffer | null = null;
  #from = 0;
  #to = 0;
  #isLeaving = false;
  /** What is written leaves only when somebody says so. */
  gathers = false;
  /** What is not read until the end takes more. */
  #waiting: Inflow | null = null;

  constructor(end: Socket) {
    this.#end = end;
    this.#bytesMax = end.writableHighWaterMark;
  }

  write(source: Buffer, from: number, to: number, flow: Inflow): void {
    if (this.#source === source && this.#to === from) this.#to = to;
    else {
      if (this.#source !== null) this.#flushWithMore();
      this.#source = source;
      this.#from = from;
      this.#to = to;
    }
    if (!this.#isLeaving && !this.gathers) {
      this.#isLeaving = true;
      process.nextTick(this.leave);
    }
    if (this.#hasTooMuch) this.#waitFor(flow);
  }

  get #hasTooMuch(): boolean {
    return this.#end.writableLength + this.#to - this.#from >= this.#bytesMax;
  }

  whenItTakes(go: () => void): void {
    if (!this.#hasTooMuch) return go();
    const end = this.#end;
    this.flush();
    if (end.destroyed || !end.writableNeedDrain) return go();
    const taken = (): void => {
      end.off('drain', taken).off('close', taken);
      go();
    };
    end.on('drain', taken).on('close', taken);
  }

  flush(): void {
    const source = this.#source;
    if (source === null) return;
    this.#source = null;
    const bytes = source.subarray(this.#from, this.#to);
    this.#from = this.#to = 0;
    if (this.#end.writable) this.#end.write(bytes);
  }

  /** Bytes of several pieces leave in one vectored write. A single piece, which is the rule, needs no cork and is written at once. */
  #flushWithMore(): void {
    if (!this.#isCorked) this.#end.cork();
    this.#isCorked = true;
    this.flush();
  }

  get hasTakenAll(): boolean {
    return this.#source === null && this.#end.writableLength === 0 && !this.#end.destroyed;
  }

  readonly leave = (): void => {
    this.#isLeaving = this.gathers = false;
    this.flush();
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#end.uncork();
  };

  #waitFor(flow: Inflow): void {
    if (this.#waiting !== null) return;
    this.flush();
    if (!this.#end.writableNeedDrain) return;
    this.#waiting = flow;
    flow.pause('sink');
    this.#end.once('drain', () => {
      this.#waiting = null;
      flow.resume('sink');
    });
  }
}

/** What was written leaves, and the end has a moment to answer before its connection is destroyed. */
function letGo(end: Socket): void {
  if (end.destroyed) return;
  if (end.writable) end.end();
  if (end.readableEnded) {
    end.once('finish', () => end.destroy());
    return;
  }
  const timer = setTimeout(() => end.destroy(), closingMs).unref();
  end.once('close', () => clearTimeout(timer)).once('end', () => end.destroy());
}
