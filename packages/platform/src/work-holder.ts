/**
 * By what a platform is known to those that share its store. It is the same after a restart in the same place, so that what it did before it was
 * killed is not kept from it until the lease ends. Decision 0102.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { idFromBytes, idPrefix } from '@metergate/core/id.ts';

export interface PlatformPlace {
  readonly engine: 'sqlite' | 'postgres';
  readonly host: string;
  /** The port it listens on. */
  readonly port: number;
}

/** On the embedded store there is no other; on a shared one no other process has this address of this machine while it runs. */
export function workHolder({ engine, host, port }: PlatformPlace, machine: readonly string[] = machineNames()): string {
  const place = engine === 'sqlite' ? [engine] : [engine, ...machine, host, String(port)];
  return idFromBytes(idPrefix.platform, createHash('sha512').update(JSON.stringify(place)).digest());
}

/** Containers of one machine have hostnames of their own, machines with one hostname have boot numbers of their own. */
function machineNames(): string[] {
  try {
    return [hostname(), readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()];
  } catch {
    return [hostname()];
  }
}
