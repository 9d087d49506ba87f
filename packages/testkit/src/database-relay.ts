/**
 * A TCP relay in front of a database server. It plays the network between a node and its store: it can be slow, be cut and restored, and die
 * in the middle of an exchange. While it is cut, sent bytes wait, and they continue when it is restored, as with TCP.
 */
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

export interface DatabaseRelay {
  /** The URL of the same database through the relay. */
  readonly url: string;
  /** Bytes sent from now on take this long, each way. Milliseconds. */
  slowTo(delayMs: number): void;
  /** Nothing passes, either way, until `mend`. */
  cut(): void;
  mend(): void;
  /** After the next client message that holds `text`, the server's answers are no longer passed on, and the connections die. Resolves then. */
  cutAnswerTo(text: string): Promise<void>;
  close(): Promise<void>;
}

interface Wanted {
  readonly text: string;
  readonly cut: () => void;
}

class Relay {
  readonly server: Server;
  readonly sockets = new Set<Socket>();
  readonly #target: URL;
  /** What is passed on once the cut is mended. */
  #held: (() => void)[] | null = null;
  wanted: Wanted | null = null;
  delayMs = 0;

  constructor(target: URL) {
    this.#target = target;
    this.server = createServer((near) => this.#join(near));
  }

  cut(): void {
    this.#held ??= [];
  }

  mend(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const send of held) send();
  }

  #join(near: Socket): void {
    const far = connect({ host: this.#target.hostname, port: Number(this.#target.port) });
    let silent = false;
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    const [toServer, toClient] = [this.#lane(far), this.#lane(near)];
    near.on('data', (bytes: Buffer) => {
      if (this.wanted !== null && bytes.includes(this.wanted.text)) {
        silent = true;
        const { cut } = this.wanted;
        this.wanted = null;
        // The server gets the message, and its answer is read before the caller's side dies: so the work is done by then.
        far.once('data', () => {
          near.destroy();
          cut();
        });
      }
      toServer(bytes);
    });
    far.on('data', (bytes: Buffer) => {
      if (!silent) toClient(bytes);
    });
  }

  /**
   * Passes bytes on in order, however long each is delayed. There is one timer at a time, for the oldest bytes: two timers that are due in
   * the same millisecond may run in either order, and TCP never reorders bytes.
   */
  #lane(to: Socket): (bytes: Buffer) => void {
    const underWay: { readonly dueMs: number; readonly arrive: () => void }[] = [];
    const wait = (): void => {
      const [eldest] = underWay;
      if (eldest === undefined) return;
      setTimeout(() => {
        const nowMs = performance.now();
        while (underWay.length > 0 && underWay[0]!.dueMs <= nowMs) underWay.shift()!.arrive();
        wait();
      }, Math.max(0, Math.ceil(eldest.dueMs - performance.now())));
    };
    return (bytes) => {
      const send = (): void => void (to.destroyed || to.write(bytes));
      const arrive = (): void => void (this.#held === null ? send() : this.#held.push(send));
      if (this.delayMs === 0 && underWay.length === 0) return arrive();
      underWay.push({ dueMs: performance.now() + this.delayMs, arrive });
      if (underWay.length === 1) wait();
    };
  }
}

/** Listens on a free port of this machine; `databaseUrl` is that of the server behind it. */
export async function startDatabaseRelay(databaseUrl: string): Promise<DatabaseRelay> {
  const relay = new Relay(new URL(databaseUrl));
  await new Promise<void>((resolve) => { relay.server.listen(0, '127.0.0.1', resolve); });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(relay.server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    slowTo(delayMs) { relay.delayMs = delayMs; },
    cut: () => relay.cut(),
    mend: () => relay.mend(),
    cutAnswerTo: (text) => new Promise((cut) => { relay.wanted = { text, cut }; }),
    close: () => new Promise((resolve) => {
      relay.server.close(() => resolve());
      for (const socket of relay.sockets) socket.destroy();
    }),
  };
}
