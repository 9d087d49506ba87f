/**
 * A relay in front of the platform that plays a network which loses what is sent: connections are accepted, and nothing comes of them. What it was
 * given in that time is lost, so a connection that carried something then is silent for ever, also after it carries again.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface SilentNetwork {
  readonly url: string;
  /** Nothing passes from now on, either way. */
  fallSilent(): void;
  /** New connections pass again. Old ones of which nothing was lost are closed, as a browser notices; the others stay silent. */
  carryAgain(): void;
  /** How many connections were given something that was lost. */
  lost(): number;
  close(): Promise<void>;
}

export async function startSilentNetwork(target: string): Promise<SilentNetwork> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const nears = new Set<Socket>();
  const dead = new Set<Socket>();
  let silent = false;
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    nears.add(near);
    near.on('close', () => { nears.delete(near); });
    for (const [from, to] of [[near, far], [far, near]] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', (bytes) => {
        if (silent && from === near) dead.add(near);
        if (!silent && !dead.has(near)) to.write(bytes);
      });
      from.on('close', () => {
        sockets.delete(from);
        // Its end is lost too.
        if (!silent && !dead.has(near)) to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fallSilent: () => { silent = true; },
    carryAgain() {
      silent = false;
      for (const near of nears) if (!dead.has(near)) near.destroy();
    },
    lost: () => dead.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
