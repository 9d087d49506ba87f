/**
 * Listens on one address with several sockets, among which the system parts the connections that come. The runtime takes one connection of a socket
 * in a turn of its event loop, in the order in which they came. Behind a burst of another's, a caller's connection waited one turn for each of
 * them, and turns are long while there is a burst. Decision 117.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type ServerOpts, type Socket } from 'node:net';
import { assertFreeAddress, type ListenAt } from './free-address.ts';

/** Sockets of one address; so many connections are taken in a turn at most. */
export const listenersMax = 16;
/**
 * Connections that may wait to be taken, at each socket; systems allow fewer. Beyond that, anybody's are dropped, and are asked for again after a
 * second.
 */
const waitingMax = 16_384;

/** What listens for a server: the server itself first, and what hands its connections over to it. */
export type Listeners = readonly [Server, ...Server[]];

/**
 * Listens. Where the system cannot part connections among sockets, it is one socket. @throws the system's error, with its `code`, if the address
 * cannot be bound, also where what listens there would share it.
 */
export async function listenWide(server: Server, at: ListenAt): Promise<Listeners> {
  // Sockets that share a port do not refuse each other, so who has it already is asked by one that does not share.
  if (at.port !== 0) await assertFreeAddress(at);
  if (!await sharesItsPort(server, at)) await listens(server, { ...at, backlog: waitingMax });
  const { address: host, port } = server.address() as AddressInfo;
  const helpers: Server[] = [];
  while (helpers.length < listenersMax - 1) {
    const helper = createServer(optionsOf(server));
    if (!await sharesItsPort(helper, { host, port })) break;
    helper.on('connection', (socket: Socket) => void server.emit('connection', socket));
    helper.on('error', (error) => void server.emit('error', error));
    helpers.push(helper);
  }
  return [server, ...helpers];
}

/** What a connection gets from the server that takes it. Node has it there, which its types do not say. */
function optionsOf(server: Server): ServerOpts {
  const { allowHalfOpen = false, noDelay = false } = server as ServerOpts;
  return { allowHalfOpen, noDelay };
}

async function sharesItsPort(server: Server, at: ListenAt): Promise<boolean> {
  try {
    await listens(server, { ...at, backlog: waitingMax, reusePort: true });
    return true;
  } catch {
    return false;
  }
}

/** Rejects with the system's error. */
async function listens(server: Server, options: ListenAt & { readonly backlog?: number; readonly reusePort?: boolean }): Promise<void> {
  server.listen(options);
  await once(server, 'listening');
}
