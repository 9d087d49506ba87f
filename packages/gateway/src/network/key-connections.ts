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
  /** Those that are idle; the one that is idle the longest comes first. */
  readonly #idle = new Set<SocketConnection>();

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
    if (connection !== undefined) this.#idle.delete(connection);
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
    this.#idle.add(connection);
    if (this.#idle.size > this.#idleMax) this.#idle.values().next().value!.destroy();
  }

  gone(connection: SocketConnection): void {
    if (!this.#all.delete(connection)) return;
    const lane = this.#lanes.get(connection.keyId)!;
    if (this.#idle.delete(connection)) lane.idle.splice(lane.idle.lastIndexOf(connection), 1);
    lane.open -= 1;
    if (lane.open === 0) this.#lanes.delete(connection.keyId);
  }

  /** Those under way stay. */
  closeIdle(): void {
    for (const connection of this.#idle) connection.destroy();
  }
}
