/** Both ends of a connection: what is written to each, with backpressure from one to the other, and how they are closed and let go. */
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { Inflow } from './inflow.ts';
import { closeFrame } from './own-frames.ts';

/** How long an end may take to answer a close. */
export const closingMs = 2_000;

export class SessionEnds {
  readonly caller: Socket;
  readonly provider: Duplex;
  toCallerBytes = 0;
  toProviderBytes = 0;
  readonly #waitedFor = new Set<Duplex>();

  constructor(caller: Socket, provider: Duplex) {
    this.caller = caller;
    this.provider = provider;
  }

  /** `from`: the flow that is not read while the caller does not read. */
  toCaller(bytes: Buffer, from: Inflow): void {
    this.toCallerBytes += bytes.length;
    this.#write(this.caller, bytes, from);
  }

  /** `from`: the flow that is not read while the provider does not read. */
  toProvider(bytes: Buffer, from: Inflow): void {
    this.toProviderBytes += bytes.length;
    this.#write(this.provider, bytes, from);
  }

  /** Runs it once, at once unless more is written to the caller than it takes, or when it has gone. */
  whenCallerTakes(go: () => void): void {
    const { caller } = this;
    if (caller.destroyed || !caller.writableNeedDrain) return go();
    const taken = (): void => {
      caller.off('drain', taken).off('close', taken);
      go();
    };
    caller.on('drain', taken).on('close', taken);
  }

  closeCaller(code: number, reason: string): void {
    if (this.caller.writable) this.caller.end(closeFrame(code, reason, 'caller'));
  }

  /** The gateway goes away from it. */
  closeProvider(): void {
    if (this.provider.writable) this.provider.end(closeFrame(1001, '', 'provider'));
  }

  letGo(): void {
    for (const end of [this.caller, this.provider]) letGo(end);
  }

  #write(sink: Duplex, bytes: Buffer, from: Inflow): void {
    if (!sink.writable) return;
    // What one piece of bytes brought leaves in one piece.
    if (sink.writableCorked === 0) {
      sink.cork();
      process.nextTick(() => sink.uncork());
    }
    if (sink.write(bytes) || this.#waitedFor.has(sink)) return;
    this.#waitedFor.add(sink);
    from.pause('sink');
    sink.once('drain', () => {
      this.#waitedFor.delete(sink);
      from.resume('sink');
    });
  }
}

/** What was written leaves, and the end has a moment to answer before its connection is destroyed. */
function letGo(end: Duplex): void {
  if (end.destroyed) return;
  if (end.writable) end.end();
  if (end.readableEnded) {
    end.once('finish', () => end.destroy());
    return;
  }
  const timer = setTimeout(() => end.destroy(), closingMs).unref();
  end.once('close', () => clearTimeout(timer)).once('end', () => end.destroy());
}
