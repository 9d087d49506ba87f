/** How many connections there may be: of an organization as many as are left free, handshakes included. */
import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { suite, test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { createDestination } from '../network/create-destination.ts';
import { ownKey, startNode } from '../test-support/whole-node.ts';
import { SocketSessions } from './sessions.ts';

const [organization, other] = ['org_a' as OrganizationId, 'org_b' as OrganizationId];

suite('places for connections', { timeout: 120_000 }, () => {
  test('one organization has half of them when it is alone, and a newcomer finds room', () => {
    const sessions = new SocketSessions(() => 0);
    let taken = 0;
    for (; sessions.refusal(organization) === null; taken += 1) sessions.takePlace(organization);
    assert.deepEqual([taken, sessions.refusal(organization), sessions.refusal(other)], [4_096, 'connections_full', null]);
    for (; sessions.refusal(other) === null; taken += 1) sessions.takePlace(other);
    assert.equal(taken, 4_096 + 2_048);
    sessions.leavePlace(organization);
    assert.deepEqual([sessions.refusal(organization), sessions.refusal(other)], ['connections_full', null]);
    while (sessions.places > 0) sessions.leavePlace(sessions.places > 2_048 ? organization : other);
    sessions.leave();
    assert.equal(sessions.refusal(organization), 'node_stopping');
  });

  test('a handshake has its place while its provider takes its time, until its caller leaves', async (t) => {
    const dialled: Socket[] = [];
    const provider = createServer((socket) => void dialled.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const destination = createDestination({ origin, timeouts: { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 }, guard: null });
    const { gateway } = await startNode(t, { destinations: { provider: () => destination, region: () => null, upstream: () => destination } });
    t.after(async () => {
      for (const socket of dialled) socket.destroy();
      provider.close();
      await destination.close();
    });
    const places = async (count: number): Promise<void> => {
      await eventually(() => gateway.held().websocket_connections === count);
    };
    const caller = connect(gateway.port, '127.0.0.1');
    caller.write(`GET /v1/responses HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${ownKey}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n`
      + 'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
    await places(1);
    assert.equal(gateway.webSockets.opened, 0);
    caller.destroy();
    await places(0);
  });
});
