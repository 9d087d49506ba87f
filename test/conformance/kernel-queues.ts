/**
 * How many bytes of connections the kernel holds. It decides that by its settings and by what a connection has carried (Linux: up to 36 MB
 * each with the settings of many distributions), so a bound on what the product holds must not count them.
 */
import { readFileSync } from 'node:fs';

/** `sl local remote state tx:rx …`, addresses and queues in hexadecimal. */
const row = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):([0-9A-F]{8}) /;

/** Bytes in the send and receive queues of both ends of all local connections that have one of these ports; null except on Linux. */
export function bytesInKernel(ports: readonly number[]): number | null {
  if (process.platform !== 'linux') return null;
  let bytes = 0;
  for (const line of ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n'))) {
    const [local = NaN, remote = NaN, sending = 0, received = 0] = (row.exec(line) ?? []).slice(1).map((figure) => Number.parseInt(figure, 16));
    if (ports.includes(local) || ports.includes(remote)) bytes += sending + received;
  }
  return bytes;
}
