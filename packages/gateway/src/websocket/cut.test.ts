/** What either end says while the records of what was under way are being written and the connection ends: it begins nothing. */
import { strict as assert } from 'node:assert';
import { suite, test, type TestContext } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { completed, create, created } from './test-support/events.ts';
import { startSessionNode, type SessionNode } from './test-support/session-node.ts';


/** A connection with a response under way, on a node whose journal writes no end until it is let go. */
async function underWay(t: TestContext) {
  const node = await startSessionNode(t);
  const { caller, upstream } = await node.connect();
  caller.send(create());
  await upstream.until(() => upstream.frames.length === 1);
  upstream.send(created('resp_1'));
  await caller.until(() => caller.events.length === 1);
  const ends: (() => void)[] = [];
  node.journal.hold = (what, go) => {
    if (what === 'closed') ends.push(go);
    else setImmediate(go);
  };
  const isCutting = async (): Promise<void> => { await eventually(() => ends.length > 0); };
  const letGo = (): void => {
    node.journal.hold = null;
    for (const go of ends) go();
  };
  return { node, caller, upstream, isCutting, letGo };
}

async function assertNothingBegan(node: SessionNode): Promise<void> {
  await node.recordOf(({ connection }) => connection === null);
  const outcomes = node.journal.closed.map(({ outcome, connection }) => [outcome, connection === null]);
  assert.deepEqual([node.journal.opened.length, outcomes], [2, [['cut', false], ['cut', true]]]);
  assert.equal(node.gateway.counters.inFlight, 0);
}

suite('while a connection ends', { timeout: 120_000 }, () => {
  test('a request that comes after the provider has gone begins nothing', async (t) => {
    const { node, caller, upstream, isCutting, letGo } = await underWay(t);
    upstream.socket.destroy();
    await isCutting();
    caller.send(create());
    await eventually(() => node.gateway.webSockets.fromCallers >= 2);
    letGo();
    await assertNothingBegan(node);
  });

  test('what the provider begins or ends after the time to stop is over is ignored', async (t) => {
    const { node, caller, upstream, isCutting, letGo } = await underWay(t);
    const drained = node.gateway.drain(0);
    await isCutting();
    upstream.send(created('resp_2'), completed('resp_1'));
    await eventually(() => node.gateway.webSockets.fromProviders >= 3);
    letGo();
    await drained;
    await assertNothingBegan(node);
    assert.deepEqual(caller.events.map(({ type }) => type), ['response.created']);
  });
});
