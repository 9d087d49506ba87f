/**
 * Checks that every address can be listened on before anything is written, so that a taken port leaves nothing behind. Decision 0106.
 */
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import type { Config, ListenAddress } from '../config/config.ts';
import { StartFault } from '../config/start-fault.ts';

export type ListenerName = 'gateway' | 'platform' | 'ops';

/** The TCP port service multiplexer's: out of use for decades. */
const unusedPort = 1;
/** Binding takes microseconds. */
const boundMs = 200;

const listeners = [
  ['gateway', 'SVC_GATEWAY_PORT', 'SVC_HOST'],
  ['platform', 'SVC_PLATFORM_PORT', 'SVC_PLATFORM_HOST'],
  ['ops', 'SVC_OPS_PORT', 'SVC_OPS_HOST'],
] as const;

/** Checks the listeners that are wanted. @throws StartFault naming the address and its variables. */
export async function assertAddressesFree(config: Config, wanted: readonly ListenerName[]): Promise<void> {
  const taken = new Set<string>();
  for (const [name, portVariable, hostVariable] of listeners.filter((listener) => wanted.includes(listener[0]))) {
    const { host, port } = config[name];
    if (port !== 0 && taken.has(`${host}:${port}`)) {
      throw new StartFault(`Port ${port} is set twice. Set ${portVariable} to another one.`);
    }
    taken.add(`${host}:${port}`);
    await tryBinding(config[name], portVariable, hostVariable);
  }
}

/** The sentence for a failed listen. */
export function listenFault(
  code: string | undefined, { host, port }: ListenAddress, portVariable: string, hostVariable: string,
): StartFault {
  if (code === 'EADDRINUSE') {
    return new StartFault(`Port ${port} on ${host} is in use. Stop what uses it, or set ${portVariable} to another one.`);
  }
  if (code === 'EACCES') return new StartFault(`Port ${port} cannot be opened by this user. Set ${portVariable} to another one.`);
  return new StartFault(`${host}:${port} cannot be listened on (${code ?? 'unknown reason'}). Check ${hostVariable} and ${portVariable}.`);
}

/**
 * Binds the address without listening on it: whoever connects meanwhile is refused, where a listener that ends would reset them. A socket binds
 * its own side before it connects, so this one connects to a port that hardly anybody listens on; how that ends does not matter.
 */
async function tryBinding(address: ListenAddress, portVariable: string, hostVariable: string): Promise<void> {
  const fault = (error: NodeJS.ErrnoException): StartFault => listenFault(error.code, address, portVariable, hostVariable);
  const { address: localAddress, family } = await lookup(address.host).catch((error: NodeJS.ErrnoException) => { throw fault(error); });
  const loopback = family === 6 ? '::1' : '127.0.0.1';
  const host = localAddress === '0.0.0.0' || localAddress === '::' ? loopback : localAddress;
  const probe = connect({ host, port: unusedPort, localAddress, localPort: address.port });
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => (error.syscall === 'bind' ? reject(fault(error)) : resolve()));
    probe.once('connect', resolve);
    // A firewall may answer nothing at all. It was bound long before.
    probe.setTimeout(boundMs, resolve);
  }).finally(() => probe.destroy());
}
