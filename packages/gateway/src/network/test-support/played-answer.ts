/**
 * For tests: an answer played byte for byte to a client, in pieces, and what the client made of it, so that two clients can be compared.
 */
import type { Socket } from 'node:net';
import type { DestinationOptions } from '../destination-options.ts';
import type { Destination } from '../destination.ts';
import { ask, listen, startRawPeer, type ReceivedAnswer } from './raw-peer.ts';

export type Client = (options: DestinationOptions) => Destination;

export interface Played {
  readonly method?: string;
  readonly bytes: Buffer;
  /** Where the bytes are cut, ascending. Each piece is sent in separate turns of the event loop. */
  readonly cuts?: readonly number[];
  /** The peer closes the connection, in order, behind them. */
  readonly closing: boolean;
}

/** The client's result. */
export interface Made {
  readonly status: number | null;
  readonly reason: string;
  readonly headers: readonly string[];
  readonly body: string;
  /** `open`: it waits for more. */
  readonly ending: ReceivedAnswer['ending'] | 'open';
  /** The next exchange went over the same connection. */
  readonly reused: boolean;
  /** What the next exchange received: only its own answer may reach it. */
  readonly next: string;
}

const patient = { connectMs: 30_000, headMs: 30_000, idleBodyMs: 30_000 };
const nextAnswer = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext';

/** A peer that plays answers, one after the other. */
export async function startPlayer(): Promise<{ play(client: Client, played: Played): Promise<Made>; close(): Promise<void> }> {
  let onRequest: (socket: Socket) => void = () => {};
  const peer = await startRawPeer((socket) => onRequest(socket));

  return {
    close: () => peer.close(),
    async play(client, { method = 'GET', bytes, cuts = [], closing }) {
      const destination = client({ origin: peer.origin, timeouts: patient, guard: null });
      const atPeer = Promise.withResolvers<Socket>();
      onRequest = atPeer.resolve;
      const { heard, exchange } = listen(destination, { method });
      let ending: Made['ending'] = 'open';
      void heard.finally(async () => { ({ ending } = await heard); });
      const first = await atPeer.promise;
      await write(first, bytes, cuts);
      if (closing) first.end();
      await turns(12);
      // An exchange that is not over by now waits for more bytes.
      const known = ending;
      exchange.abort();
      const { status, reason, headers, body } = await heard;
      let second: Socket | null = null;
      onRequest = (socket) => {
        second = socket;
        socket.write(nextAnswer);
      };
      const next = await ask(destination);
      const made = {
        status, reason, headers, body: body.toString('latin1'), ending: known, reused: second === first,
        next: next.ending === 'end' ? String(next.body) : next.ending,
      };
      const closed = destination.close();
      first.destroy();
      await closed;
      return made;
    },
  };
}

async function write(socket: Socket, bytes: Buffer, cuts: readonly number[]): Promise<void> {
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    const piece = bytes.subarray(from, to);
    from = to;
    if (piece.length === 0) continue;
    // A client that has had enough closes the connection: the rest is lost, as it should be.
    await new Promise<void>((done) => { socket.write(piece, () => done()); });
    await turns(2);
  }
}

/** One promise for all of them: the test runner's account of every promise costs more than a turn. */
function turns(count: number): Promise<void> {
  return new Promise((resolve) => {
    const turn = (left: number): void => void (left === 0 ? resolve() : setImmediate(turn, left - 1));
    setImmediate(turn, count - 1);
  });
}
