/**
 * Checks that every address can be listened on before anything is written, so that a taken port leaves nothing behind. Decision 0106.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { assertFreeAddress } from '@metergate/store/network/free-address.ts';
import type { Config, ListenAddress } from '../config/config.ts';
import { StartFault } from '../config/start-fault.ts';

type ListenerName = 'gateway' | 'platform' | 'ops';

const listeners = [
  ['gateway', 'SVC_GATEWAY_PORT', 'SVC_HOST'],
  ['platform', 'SVC_PLATFORM_PORT', 'SVC_PLATFORM_HOST'],
  ['ops', 'SVC_OPS_PORT', 'SVC_OPS_HOST'],
] as const;

/** How long a platform may go on whose parent was killed: it notices between two of its turns. Milliseconds. */
const orphanMsMax = 2_000;
const lookMs = 25;

/** Checks the listeners that are wanted. @throws StartFault naming the address and its variables. */
export async function assertAddressesFree(config: Config, wanted: readonly ListenerName[]): Promise<void> {
  const taken = new Set<string>();
  for (const [name, portVariable, hostVariable] of listeners.filter((listener) => wanted.includes(listener[0]))) {
    const { host, port } = config[name];
    if (port !== 0 && taken.has(`${host}:${port}`)) {
      throw new StartFault(`Port ${port} is set twice. Set ${portVariable} to another one.`);
    }
    taken.add(`${host}:${port}`);
    await (name === 'platform' ? freeSoon(config[name]) : assertFreeAddress(config[name])).catch((error: NodeJS.ErrnoException) => {
      throw listenFault(error.code, config[name], portVariable, hostVariable);
    });
  }
}

/** @throws the system's error, if it is still in use after `orphanMsMax` */
async function freeSoon(address: ListenAddress): Promise<void> {
  const byMs = performance.now() + orphanMsMax;
  for (;;) {
    try {
      return await assertFreeAddress(address);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || performance.now() > byMs) throw error;
    }
    await pass(lookMs);
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
