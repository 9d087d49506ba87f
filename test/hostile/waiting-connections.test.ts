/**
 * Connections that come faster than they are accepted wait with the system, on both ports. Where its queue is full, the system drops what asks for
 * one more, whosever it is, and a caller tries again only after a second. One organization's burst must not fill it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { serviceForFile } from '../running-product.ts';
import { inTime } from './aftermath.ts';

const service = serviceForFile();
/** Node asks for 511 if nobody asks for more. */
const burst = 1_000;

/** How many a listener may have waiting at most; 0 where the system does not say. */
function systemMax(): number {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 0;
  }
}

test('a thousand connections wait for a product that is held up, and all of them are there at once', { skip: systemMax() <= burst }, async () => {
  const { pid, gatewayUrl, platformUrl } = service.system;
  for (const url of [gatewayUrl, platformUrl]) {
    const sockets: Socket[] = [];
    process.kill(pid, 'SIGSTOP');
    try {
      const there = Array.from({ length: burst }, () => new Promise<void>((resolve, reject) => {
        sockets.push(connect({ host: '127.0.0.1', port: Number(new URL(url).port) }, resolve).on('error', reject));
      }));
      await inTime(Promise.all(there), `${burst} connections to ${url}`);
    } finally {
      process.kill(pid, 'SIGCONT');
      for (const socket of sockets) socket.on('error', () => {}).destroy();
    }
  }
  assert.equal((await fetch(`${gatewayUrl}/nowhere`)).status, 404);
});
