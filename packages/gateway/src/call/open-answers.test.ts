/** A call keeps nothing of its request while its answer lasts, which may be long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { Destination, ExchangeObserver, OutboundRequest } from '../network/destination.ts';
import { ownKey, startNode } from '../test-support/whole-node.ts';

const event = Buffer.from('data: {"choices":[]}\n\n');

test('from the head of an answer on, nobody holds the body or the headers that were sent, whatever the client keeps', async (t) => {
  const sent: OutboundRequest[] = [];
  const atSend: { readonly body: string; readonly names: number }[] = [];
  const answers: ExchangeObserver[] = [];
  const keeping: Destination = {
    send(request, observer) {
      sent.push(request);
      atSend.push({ body: Buffer.from(request.body as Uint8Array).toString(), names: request.headers.length / 2 });
      answers.push(observer);
      return { pause() {}, resume() {}, abort() {} };
    },
    upgrade: () => { throw new Error('No WebSocket is asked for here.'); },
    close: async () => {},
  };
  const { connect } = await startNode(t, { destinations: { provider: () => keeping, region: () => null, upstream: () => keeping } });
  const caller = await connect();
  const got = caller.call({ target: '/v1/responses', headers: [['Authorization', `Bearer ${ownKey}`], ['X-Own', 'a']], body: '{"input":"words"}' });
  await eventually(() => answers.length > 0);
  const observer = answers[0]!;
  assert.equal(atSend[0]!.body, '{"input":"words"}');
  assert.ok(atSend[0]!.names >= 2);
  assert.equal(sent[0]!.body !== null, true, 'until then the client may need it');
  observer.head(200, 'OK', ['content-type', 'text/event-stream']);
  assert.equal(sent[0]!.body, null);
  assert.deepEqual(sent[0]!.headers, []);
  observer.data(event);
  observer.end();
  assert.equal((await got).body.toString(), event.toString());
  await caller.close();
});
