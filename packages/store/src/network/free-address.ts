/**
 * Whether an address can be listened on, found out without listening: whoever connected to a listener that ends at once would be reset, and
 * callers of a node that is started again try in every moment of it. Decision 0106.
 */
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';

/** An address to listen on. */
export interface ListenAt {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** The TCP port service multiplexer's: out of use for decades. */
const unusedPort = 1;
/** Binding takes microseconds. */
const boundMs = 200;

/**
 * Binds the address for a moment: a socket binds its own side before it connects, so this one connects to a port that hardly anybody listens on,
 * and how that ends does not matter. @throws the system's error, with its `code`, if the address cannot be bound or its host has no address.
 */
export async function assertFreeAddress(at: ListenAt): Promise<void> {
  const { address: localAddress, family } = await lookup(at.host);
  const loopback = family === 6 ? '::1' : '127.0.0.1';
  const host = localAddress === '0.0.0.0' || localAddress === '::' ? loopback : localAddress;
  const probe = connect({ host, port: unusedPort, localAddress, localPort: at.port });
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => (error.syscall === 'bind' ? reject(error) : resolve()));
    probe.once('connect', resolve);
    // A firewall may answer nothing at all. It was bound long before.
    probe.setTimeout(boundMs, resolve);
  }).finally(() => probe.destroy());
}
