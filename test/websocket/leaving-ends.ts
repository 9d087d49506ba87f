/** Ends of connections that leave at ever other points of their conversations, in each way that there is. */
import { resetSocket } from '@metergate/store/network/reset-socket.ts';
import type { Peer } from '@metergate/testkit/websocket/peer.ts';
import { closeOf } from '@metergate/testkit/websocket/wire.ts';

export class LeavingEnds {
  readonly #every: number;
  readonly #ways: readonly ((peer: Peer) => void)[];
  #steps = 0;
  left = 0;

  /** `every`: so many steps of all conversations lie between two that leave. `mask`: a caller's. */
  constructor(every: number, mask: Buffer | null = null) {
    this.#every = every;
    this.#ways = [
      ({ socket }) => resetSocket(socket),
      ({ socket }) => void socket.end(),
      (peer) => peer.send(closeOf(1000, '', mask)),
      ({ socket }) => void socket.destroy(),
    ];
  }

  /** A conversation has come to its next step. True: this end leaves here. */
  step(peer: Peer): boolean {
    this.#steps += 1;
    if (this.#steps % this.#every !== 0) return false;
    this.#ways[this.left % this.#ways.length]!(peer);
    this.left += 1;
    return true;
  }
}
