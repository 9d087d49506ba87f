/** A fault of the gateway's own code while a record is made: the record is written without what was read, and nothing is left open. */
import { strict as assert } from 'node:assert';
import { suite, test, type TestContext } from 'node:test';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import { closeOf } from '@metergate/testkit/websocket/wire.ts';
import { testHeld } from '../guards/test-support/run-fixture.ts';
import { completed, create, created, mask } from './test-support/events.ts';
import { startSessionNode, type SessionNode } from './test-support/session-node.ts';

const priceBook = createPriceBook({ list: priceList, overlay: null });

/** A connection on a node whose prices cannot be read the next so many times, as soon as `failures` says so. */
async function connected(t: TestContext) {
  const weak = { failures: 0 };
  const held = testHeld();
  const node = await startSessionNode(t, { node: { settings: {
    held: () => held, ask: async () => held, asking: 0, ageMs: () => 0,
    get priceBook() {
      if (weak.failures === 0) return priceBook;
      weak.failures -= 1;
      throw new TypeError('The price book is broken.');
    },
  } } });
  return { node, weak, ...await node.connect() };
}

const handshakeOf = (node: SessionNode) => node.recordOf(({ connection }) => connection === null);

suite('a fault while a record is made', { timeout: 120_000 }, () => {
  test('of a connection that has ended: it has its record, once, and is no longer under way', async (t) => {
    const { node, weak, caller, upstream } = await connected(t);
    weak.failures = 1;
    caller.send(closeOf(1000, '', mask));
    await upstream.until(() => upstream.closed !== null);
    upstream.send(closeOf(1000));
    upstream.socket.end();
    const { status, outcome, usage, transport } = await handshakeOf(node);
    assert.deepEqual([status, outcome, usage, transport], [101, 'cut', 'none', 'websocket']);
    await caller.ended();
    assert.deepEqual([node.journal.opened.length, node.journal.closed.length, node.gateway.counters.inFlight], [1, 1, 0]);
  });

  test('of a response: its usage is not known, the others are cut with their connection, and each has one record', async (t) => {
    const { node, weak, caller, upstream } = await connected(t);
    caller.send(create({ stream_id: 'a' }), create({ stream_id: 'b' }));
    await upstream.until(() => upstream.frames.length === 2);
    upstream.send(created('resp_a', { event: { stream_id: 'a' } }), created('resp_b', { event: { stream_id: 'b' } }));
    await caller.until(() => caller.events.length === 2);
    weak.failures = 1;
    upstream.send(completed('resp_a', { stream_id: 'a' }));
    await caller.ended();
    assert.equal(caller.closed?.code, 1011);
    const handshake = await handshakeOf(node);
    const told = node.journal.closed.map(({ providerRequestId, outcome, usage, usageReason }) => [providerRequestId, outcome, usage, usageReason]);
    assert.deepEqual(told.slice(0, 2), [['resp_a', 'cut', 'unknown', 'reader_fault'], ['resp_b', 'cut', 'unknown', 'cut']]);
    assert.deepEqual([handshake.outcome, node.journal.closed.length, node.gateway.counters.inFlight], ['cut', 3, 0]);
  });
});
