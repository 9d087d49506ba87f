/**
 * The connections to one destination, each of which serves the calls of one service key, from its first call to its last: what a provider
 * answers too late, or twice, can only reach a call of the key that it was meant for. Decision 0108. How many may be idle is bounded, for all
 * keys together; past that the one that is idle the longest is closed.
 */
import type { SocketConnection } from './socket-connection.ts';

/** Of one key. */
interface Lane {
  /** The last one is used first. */
  readonly idle: SocketConnection[];
  /** Those under way and idle. */
  open: number;
}

export class KeyConnections {
  readonly #idleMax: number;
  readonly #lanes = new Map<string, Lane>();
  readonly #all = new Set<SocketConnection>();
  #idle = 0;

  /** @param idleMax connections that may be idle at once. */
  constructor(idleMax: number) {
    this.#idleMax = idleMax;
  }

  get size(): number {
    return this.#all.size;
  }

  /** An idle connection of that key, which then is no longer idle. */
  take(keyId: string): SocketConnection | undefined {
    const connection = this.#lanes.get(keyId)?.idle.pop();
    if (connection !== undefined) this.#idle -= 1;
    return connection;
  }

  opened(connection: SocketConnection): void {
    this.#all.add(connection);
    const lane = this.#lanes.get(connection.keyId);
    if (lane === undefined) this.#lanes.set(connection.keyId, { idle: [], open: 1 });
    else lane.open += 1;
  }

  /** It waits for the next call of its key. */
  rests(connection: SocketConnection): void {
    this.#lanes.get(connection.keyId)!.idle.push(connection);
    this.#idle += 1;
    if (this.#idle > this.#idleMax) this.#longestIdle()?.destroy();
  }

  gone(connection: SocketConnection): void {
    if (!this.#all.delete(connection)) return;
    const lane = this.#lanes.get(connection.keyId)!;
    const at = lane.idle.lastIndexOf(connection);
    if (at >= 0) {
      lane.idle.splice(at, 1);
      this.#idle -= 1;
    }
    lane.open -= 1;
    if (lane.open === 0) this.#lanes.delete(connection.keyId);
  }

  /** Those under way stay. */
  closeIdle(): void {
    this.#idle = 0;
    for (const { idle } of this.#lanes.values()) for (const connection of idle.splice(0)) connection.destroy();
  }

  #longestIdle(): SocketConnection | undefined {
    let longest: SocketConnection | undefined;
    for (const { idle: [first] } of this.#lanes.values()) {
      if (first !== undefined && (longest === undefined || first.sinceMs < longest.sinceMs)) longest = first;
    }
    return longest;
  }
}
