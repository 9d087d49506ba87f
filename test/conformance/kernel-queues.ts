/**
 * What the kernel holds of connections: how much that is it decides by itself, by its settings and by what a connection has carried (Linux: up
 * to 36 MB each as many distributions set it), so a bound on what the product holds must not count it.
 */
import { readFileSync } from 'node:fs';

/** `sl local remote state tx:rx …`, addresses and queues in hexadecimal. */
const row = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):([0-9A-F]{8}) /;

/** Bytes in the send and receive queues of both ends of all connections of this machine that have one of these ports; null but on Linux. */
export function bytesInKernel(ports: readonly number[]): number | null {
  if (process.platform !== 'linux') return null;
  let bytes = 0;
  for (const line of ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n'))) {
    const [local = NaN, remote = NaN, sending = 0, received = 0] = (row.exec(line) ?? []).slice(1).map((figure) => Number.parseInt(figure, 16));
    if (ports.includes(local) || ports.includes(remote)) bytes += sending + received;
  }
  return bytes;
}
