/**
 * Bodies of pipelined calls, of which the first waits for its key while those behind it are received: whichever of them its caller leaves in,
 * nothing of it is held on (rule 8a).
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import { assertAtRest } from '@metergate/testkit/at-rest.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { gate } from '@metergate/testkit/scripted-provider.ts';
import { testHeld, testOrganization } from '../guards/test-support/run-fixture.ts';
import { neighbourKey as newKey, ownKey as knownKey, startNode } from '../test-support/whole-node.ts';

/** A node that holds one key, and learns of the other when the gate opens. */
async function nodeThatAsks(t: Parameters<typeof startNode>[0], requestsReadBy: 'us' | 'node') {
  const answered = gate();
  const known = testHeld(testOrganization({}));
  const unknownHash = createHash('sha256').update(newKey).digest('hex');
  let asking = 0;
  let isLearnt = false;
  const node = await startNode(t, {
    requestsReadBy,
    settings: {
      held: (hash) => (hash === unknownHash && !isLearnt ? undefined : known),
      async ask() {
        asking += 1;
        await answered.opened;
        asking -= 1;
        isLearnt = true;
        return known;
      },
      get asking() { return asking; },
      priceBook: createPriceBook({ list: priceList, overlay: null }), ageMs: () => 0,
    },
  });
  return { ...node, answered };
}

const head = (key: string, framing: string): string =>
  `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${framing}\r\n\r\n`;

/** A field that our own reader leaves to Node's server, which serves pipelined calls side by side. */
const leftToNode = 'TE: trailers\r\n';
const seconds = {
  'of a stated length': `${head(knownKey, 'Content-Length: 300000')}${'x'.repeat(50_000)}`,
  'of a stated short length': `${head(knownKey, 'Content-Length: 9000')}${'x'.repeat(3_000)}`,
  'in chunks': `${head(knownKey, 'Transfer-Encoding: chunked')}4e20\r\n${'x'.repeat(20_000)}\r\n`,
};
for (const requestsReadBy of ['us', 'node'] as const) {
  for (const [form, second] of Object.entries(seconds)) {
    test(`a caller who leaves in a second body ${form} once the first call's key is learnt holds nothing (${requestsReadBy})`, async (t) => {
      const { answered, connect, gateway, provider } = await nodeThatAsks(t, requestsReadBy);
      const connection = await connect();
      connection.send(`${head(newKey, 'Content-Length: 2')}{}${second}`);
      await eventually(() => gateway.held().asked_keys === 1 && gateway.heldBodyBytes() > 2_000, 'the second body is being held');
      answered.open();
      await eventually(() => provider.requests.length === 1, 'the first call is forwarded');
      connection.abort();
      await assertAtRest(() => gateway.held());
    });
  }
}

test('a caller who leaves in the first of two bodies that are received at once holds nothing', async (t) => {
  const { answered, connect, gateway } = await nodeThatAsks(t, 'us');
  const connections = await Promise.all(Array.from({ length: 5 }, connect));
  // The second ones' bodies are paused for want of room; the first ones' have come and wait for their key.
  const first = `${head(newKey, `${leftToNode}Transfer-Encoding: chunked`)}2\r\n{}\r\n0\r\n\r\n`;
  for (const connection of connections) connection.send(`${first}${head(knownKey, 'Content-Length: 900000')}${'x'.repeat(400_000)}`);
  await eventually(() => gateway.held().body_receivers === 5, 'all are being received');
  for (const connection of connections) connection.abort();
  answered.open();
  await assertAtRest(() => gateway.held());
});

for (const requestsReadBy of ['us', 'node'] as const) {
  test(`a caller who half-closes within a body is refused at once, whatever else it asks for (${requestsReadBy})`, async (t) => {
    const { connect, gateway } = await nodeThatAsks(t, requestsReadBy);
    for (const extra of ['', 'Upgrade: h2c\r\nConnection: Upgrade\r\n', 'Expect: 100-continue\r\n']) {
      const connection = await connect();
      connection.send(`${head(knownKey, `${extra}Content-Length: 5000`)}${'x'.repeat(2_000)}`);
      await eventually(() => gateway.held().body_receivers === 1 || requestsReadBy === 'us' && extra === '', 'the body is being held');
      connection.halfClose();
      assert.equal((await connection.nextAnswer()).status, 400, extra);
      await connection.close();
      await assertAtRest(() => gateway.held());
    }
  });
}

for (const requestsReadBy of ['us', 'node'] as const) {
  test(`a caller who half-closes within a body while its key is asked for is refused once it is learnt (${requestsReadBy})`, async (t) => {
    for (const extra of ['', 'Upgrade: h2c\r\nConnection: Upgrade\r\n']) {
      const { answered, connect, gateway } = await nodeThatAsks(t, requestsReadBy);
      const connection = await connect();
      connection.send(`${head(newKey, `${extra}Content-Length: 70000`)}${'x'.repeat(2_000)}`);
      await eventually(() => gateway.held().asked_keys === 1, 'the key is asked for');
      connection.halfClose();
      for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      answered.open();
      assert.equal((await connection.nextAnswer()).status, 400, extra);
      await connection.close();
      await assertAtRest(() => gateway.held());
    }
  });

  test(`a body that is asked for behind another answer is asked for before its own answer's head, or not at all (${requestsReadBy})`, async (t) => {
    const { answered, connect, provider } = await nodeThatAsks(t, requestsReadBy);
    const slow = gate();
    provider.respond(() => slow.opened.then(() => ({ headers: [['content-type', 'text/event-stream']], body: ['data: 1\n\n'] })));
    answered.open();
    for (const sends of ['its body', 'no body']) {
      const connection = await connect();
      const asked = provider.nextRequest();
      connection.send(`${head(knownKey, `${leftToNode}Transfer-Encoding: chunked`)}2\r\n{}\r\n0\r\n\r\n`);
      connection.send(head(knownKey, 'Expect: 100-continue\r\nContent-Length: 2'));
      if (sends === 'its body') connection.send('{}');
      await asked;
      slow.open();
      await connection.nextAnswer();
      if (sends === 'no body') {
        await eventually(() => connection.answers.at(-1)!.status === 100, 'the body is asked for');
        connection.send('{}');
      }
      await connection.nextAnswer();
      assert.deepEqual(connection.answers.map(({ status }) => status), sends === 'no body' ? [200, 100, 200] : [200, 200]);
      assert.equal(connection.answers.at(-1)!.body.toString(), 'data: 1\n\n');
      await connection.close();
    }
  });
}
