/**
 * Callers who leave while the provider of their first call is silent, behind more than anybody waits for: they are seen to leave, whoever reads
 * the connection (decision 0105).
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import { assertAtRest } from '@metergate/testkit/at-rest.ts';
import { gate } from '@metergate/testkit/scripted-provider.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { testHeld, testOrganization } from '../guards/test-support/run-fixture.ts';
import { ownKey, startNode } from '../test-support/whole-node.ts';

const known = testHeld(testOrganization({ drainSeconds: 0 }));
const knownHash = createHash('sha256').update(ownKey).digest('hex');
const settings = {
  held: (hash: string) => (hash === knownHash ? known : 'unknown' as const), ask: () => Promise.resolve(null), asking: 0,
  priceBook: createPriceBook({ list: priceList, overlay: null }), ageMs: () => 0,
};

const head = (key: string, framing: string, target = '/v1/chat/completions'): string =>
  `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${framing}\r\n\r\n`;
const unknownKey = `svc_live_${'2'.repeat(32)}`;
const long = 'Content-Length: 200000';
const body = 'x'.repeat(200_000);
const chunks = `61A8\r\n${'x'.repeat(25_000)}\r\n`.repeat(8);
const refused = head(unknownKey, 'Content-Length: 0');

/** A call for each reader: one that is read past Node's server if there is another reader, and one that never is. */
const usual = `${head(ownKey, 'Content-Length: 2')}{}`;
/** Node's server reads it: no head that names trailers is read here. */
const chunked = `${head(ownKey, 'TE: trailers\r\nTransfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`;
const readers = [
  { by: 'us', requestsReadBy: 'us', call: usual },
  { by: 'Node after us', requestsReadBy: 'us', call: chunked },
  { by: 'Node', requestsReadBy: 'node', call: usual },
] as const;

/** What comes behind it. */
const rests: Readonly<Record<string, string>> = {
  'a refused request with a body': `${head(unknownKey, long)}${body}`,
  'a refused request in chunks': `${head(unknownKey, 'Transfer-Encoding: chunked')}${chunks}0\r\n\r\n`,
  'a refused expectation with a body': `${head(ownKey, `Expect: nothing\r\n${long}`)}${body}`,
  'a refused upgrade with a body': `${head(ownKey, `Upgrade: websocket\r\nConnection: Upgrade\r\n${long}`)}${body}`,
  'a body for no route': `${head(ownKey, long, '/nowhere')}${body}`,
  'two calls with bodies': `${head(ownKey, long)}${body}`.repeat(2),
  'many refused requests': refused.repeat(300),
  'a request behind a refused one that ends the connection': `${head(unknownKey, long)}${body}${head(ownKey, long)}${body}`,
};

for (const { by, requestsReadBy, call } of readers) {
  for (const [what, rest] of Object.entries(rests)) {
    test(`${what} behind a silent call: its caller is seen to leave (read by ${by})`, async (t) => {
      const { connect, gateway, provider } = await startNode(t, { settings, requestsReadBy });
      provider.respond('silence');
      for (const leave of ['abort', 'halfClose'] as const) {
        const asked = provider.nextRequest();
        const connection = await connect();
        connection.send(call);
        await asked;
        connection.send(rest);
        await new Promise((resolve) => setImmediate(resolve));
        connection[leave]();
        await assertAtRest(() => ({ calls: gateway.held().calls }), 5_000);
        connection.abort();
      }
    });
  }
}

for (const requestsReadBy of ['us', 'node'] as const) {
  test(`answers that wait behind a slow one all come, and a caller who asks without end has the first of them (${requestsReadBy})`, async (t) => {
    const { connect, gateway, provider } = await startNode(t, { settings, requestsReadBy });
    for (const { asked, served } of [{ asked: 100, served: 100 }, { asked: 1_000, served: 100 }]) {
      const slow = gate();
      const first = provider.nextRequest();
      provider.respond(() => slow.opened.then(() => ({ headers: [['content-type', 'application/json']], body: '{}' })));
      const connection = await connect();
      connection.send(chunked);
      await first;
      const before = gateway.counters.refused;
      connection.send(refused.repeat(asked));
      await eventually(() => gateway.counters.refused >= before + served);
      slow.open();
      if (asked === served) await eventually(() => connection.answers.length >= served + 1);
      else await connection.nextAnswer();
      connection.halfClose();
      assert.equal(await connection.ended, 'fin');
      assert.deepEqual(connection.answers.map(({ status }) => status), [200, ...Array<number>(connection.answers.length - 1).fill(401)]);
      assert.ok(connection.answers.length > served && connection.answers.length < 1_000, String(connection.answers.length));
    }
  });
}
