/**
 * How a platform is known to those that share its store. It is the same after a restart in the same place, so that a restarted platform does not wait
 * for the lease that it held before it was killed. Decision 0102.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { idFromBytes, idPrefix } from '@metergate/core/id.ts';

interface PlatformPlace {
  readonly engine: 'sqlite' | 'postgres';
  readonly host: string;
  /** The port it listens on. */
  readonly port: number;
}

/** On the embedded store there is no other; on a shared one no other running process has this address of this machine. */
export function workHolder({ engine, host, port }: PlatformPlace, machine: readonly string[] = machineNames()): string {
  const place = engine === 'sqlite' ? [engine] : [engine, ...machine, host, String(port)];
  return idFromBytes(idPrefix.platform, createHash('sha512').update(JSON.stringify(place)).digest());
}

/** Containers of one machine have different hostnames; machines with one hostname have different boot numbers. */
function machineNames(): string[] {
  try {
    return [hostname(), readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()];
  } catch {
    return [hostname()];
  }
}
