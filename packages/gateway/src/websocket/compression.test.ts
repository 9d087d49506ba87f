/** Compressed messages on a connection, with and without context, and those that are none. */
import { strict as assert } from 'node:assert';
import { suite, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CapId } from '@metergate/core/id.ts';
import type { Cap } from '@metergate/core/spend/cap.ts';
import { Deflater, frameOf, Inflater } from '@metergate/testkit/websocket/wire.ts';
import { follow } from '../guards/standing.ts';
import { mask, model, usage } from './test-support/events.ts';
import { startSessionNode, type SessionNode } from './test-support/session-node.ts';

const compressed = 0x40;
const timeout = 120_000;

function limit({ key }: SessionNode, dollarsLeft: bigint): void {
  const cap: Cap = { id: 'cap' as CapId, scope: 'organization', subject: null, window: 'month', limit: nanoDollars(dollarsLeft), mode: 'refuse' };
  follow(key.held!.standing, { ...key.held!.organization, caps: [cap] }, key.held!.key);
}

for (const keepsContext of [true, false]) {
  suite(`compressed messages, context ${keepsContext ? 'kept' : 'not kept'}`, { timeout }, () => {
    const agreed = `permessage-deflate${keepsContext ? '' : '; client_no_context_takeover; server_no_context_takeover'}`;
    const options = { headers: [`Sec-WebSocket-Extensions: ${agreed}`] };
    const asking = { headers: ['sec-websocket-extensions: permessage-deflate; client_max_window_bits'] };

    test('are read, pass unchanged, and are metered', async (t) => {
      const node = await startSessionNode(t, options);
      const { caller, upstream } = await node.connect(asking);
      assert.match(upstream.head, /\r\nsec-websocket-extensions: permessage-deflate; client_max_window_bits\r\n/);
      const [up, down] = [new Deflater(keepsContext), new Deflater(keepsContext)];
      const sent: Buffer[] = [];
      const received: Buffer[] = [];
      for (const id of ['resp_1', 'resp_2', 'resp_3']) {
        const text = JSON.stringify({ type: 'response.create', model, input: 'say it again and again' });
        const ask = frameOf(await up.message(text), { mask, reserved: compressed });
        caller.send(ask);
        sent.push(ask);
        await upstream.until(() => upstream.frames.length === sent.length);
        const end = await down.message(JSON.stringify({ type: 'response.completed', response: { id, model, status: 'completed', usage } }));
        // In two frames, of which the first alone says that the message is compressed.
        const answer = [frameOf(end.subarray(0, 5), { reserved: compressed, isFinal: false }), frameOf(end.subarray(5), { opcode: 0 })];
        upstream.send(...answer);
        received.push(...answer);
        await caller.until(() => caller.frames.length === received.length);
      }
      assert.deepEqual(upstream.received, Buffer.concat(sent));
      assert.deepEqual(caller.received, Buffer.concat(received));
      assert.deepEqual(node.journal.closed.map(({ inputTokens, providerRequestId }) => [inputTokens, providerRequestId]),
        [[11, 'resp_1'], [11, 'resp_2'], [11, 'resp_3']]);
    });

    test('a create that is refused never leaves, and what follows it is still understood by the provider', async (t) => {
      const node = await startSessionNode(t, options);
      const { caller, upstream } = await node.connect(asking);
      const [up, there] = [new Deflater(keepsContext), new Inflater(keepsContext)];
      const send = async (event: object): Promise<void> => {
        caller.send(frameOf(await up.message(JSON.stringify(event)), { mask, reserved: compressed }));
      };
      await send({ type: 'first', words: 'the words that come again' });
      await upstream.until(() => upstream.frames.length === 1);
      limit(node, 0n);
      await send({ type: 'response.create', model, input: 'the words that come again, and others that nobody knows' });
      await caller.until(() => caller.events.length === 1);
      assert.equal(caller.events[0]?.error?.code, 'budget_exceeded');
      await send({ type: 'second', words: 'the words that come again, and others that nobody knows' });
      await upstream.until(() => upstream.frames.length === 2);
      limit(node, 1_000_000_000n);
      await send({ type: 'response.create', model, input: 'the words that come again' });
      await upstream.until(() => upstream.frames.length === 3);
      const texts = [];
      for (const { payload, isCompressed, isMasked } of upstream.frames) {
        assert.equal(isMasked, true);
        texts.push(JSON.parse(isCompressed ? await there.message(payload) : payload.toString()).type);
      }
      assert.deepEqual(texts, ['first', 'second', 'response.create']);
      // Where nothing is missed, what follows leaves as it came.
      assert.equal(upstream.frames[2]?.isCompressed, !keepsContext);
    });
  });
}

suite('compressed messages that are malformed', { timeout }, () => {
  const options = { headers: ['Sec-WebSocket-Extensions: permessage-deflate'] };

  test('a message of the caller that unfolds past the bound closes the connection with 1009, and is not forwarded', async (t) => {
    const node = await startSessionNode(t, options);
    const { caller, upstream } = await node.connect();
    const bomb = await new Deflater(true).message('0'.repeat(65 * 1024 * 1024));
    caller.send(frameOf(bomb, { mask, reserved: compressed }));
    await caller.until(() => caller.closed !== null);
    assert.equal(caller.closed?.code, 1009);
    await upstream.until(() => upstream.closed !== null);
    assert.equal(upstream.frames.length, 1);
  });

  test('bytes of the caller that are no compression close the connection with 1007', async (t) => {
    const node = await startSessionNode(t, options);
    const { caller, upstream } = await node.connect();
    caller.send(frameOf('no such block', { mask, reserved: compressed }));
    await caller.until(() => caller.closed !== null);
    assert.equal(caller.closed?.code, 1007);
    await upstream.until(() => upstream.closed !== null);
  });

  test('bytes of the provider that are no compression are the caller\'s to judge, and what was under way is cut', async (t) => {
    const node = await startSessionNode(t, options);
    const { caller, upstream } = await node.connect();
    caller.send(frameOf(JSON.stringify({ type: 'response.create' }), { mask }));
    await upstream.until(() => upstream.frames.length === 1);
    const broken = frameOf('no such block', { reserved: compressed });
    upstream.send(broken);
    await caller.ended();
    assert.deepEqual(caller.received, broken);
    assert.deepEqual(node.journal.closed.map(({ outcome, usageReason }) => [outcome, usageReason]), [['cut', 'cut'], ['cut', null]]);
  });
});
