/** The scripted provider and the raw client, tested against each other: what one sends, the other keeps to the byte. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { corpusOrFixtures, fixtures, readWires } from './corpus.ts';
import { headerValues } from './http-message.ts';
import { rawCall, RawConnection } from './raw-client.ts';
import { gate, startScriptedProvider, type ScriptedProvider } from './scripted-provider.ts';

async function provider(context: TestContext): Promise<ScriptedProvider> {
  const started = await startScriptedProvider();
  context.after(() => started.close());
  return started;
}

test('a request is kept as sent: header case, order, duplicates and body', async (context) => {
  const scripted = await provider(context);
  const headers = [['Host', 'x'], ['X-B', '1'], ['x-A', '2'], ['X-B', '3']] as const;
  await rawCall(scripted.url, { target: '/v1/a?b=%20', headers, body: Buffer.from([0, 255, 10]) });
  const heard = scripted.requests[0];
  assert.equal(heard?.target, '/v1/a?b=%20');
  assert.deepEqual(heard?.headers, [...headers, ['Content-Length', '3']]);
  assert.deepEqual(heard?.body, Buffer.from([0, 255, 10]));
});

test('a chunked request is kept with its chunk sizes and without its framing', async (context) => {
  const scripted = await provider(context);
  await rawCall(scripted.url, { target: '/', chunks: [Buffer.from('abc'), Buffer.from('de')] });
  assert.deepEqual(scripted.requests[0]?.chunkSizes, [3, 2]);
  assert.equal(scripted.requests[0]?.body.toString(), 'abcde');
});

test('an answer arrives whole under every framing and cut', async (context) => {
  const scripted = await provider(context);
  for (const framing of ['length', 'chunked', 'close'] as const) {
    for (const cuts of [[], [1, 5], 'every'] as const) {
      scripted.respond({ status: 201, reason: 'Made', body: 'hello world', framing, cuts, headers: [['X-One', 'a'], ['X-One', 'b']] });
      const answer = await rawCall(scripted.url, { method: 'GET', target: '/' });
      assert.equal(`${answer.status} ${answer.reason} ${answer.body.toString()} ${answer.whole}`, '201 Made hello world true');
      assert.deepEqual(headerValues(answer.headers, 'x-one'), ['a', 'b']);
      if (framing === 'chunked' && cuts === 'every') assert.equal(answer.chunkSizes.length, 11);
    }
  }
});

test('a compressed answer names its coding and decodes to the body', async (context) => {
  const scripted = await provider(context);
  scripted.respond({ body: 'squeeze me', coding: 'gzip' });
  const answer = await rawCall(scripted.url, { method: 'GET', target: '/' });
  assert.deepEqual(headerValues(answer.headers, 'content-encoding'), ['gzip']);
  assert.equal(gunzipSync(answer.body).toString(), 'squeeze me');
});

test('a cut answer is reported as not whole, by FIN and by RST', async (context) => {
  const scripted = await provider(context);
  for (const by of ['fin', 'rst'] as const) {
    scripted.respond({ body: 'hello world', cutAt: { byte: 4, by } });
    const connection = await RawConnection.open(scripted.url);
    const answer = await connection.call({ method: 'GET', target: '/' });
    assert.equal(answer.whole, false);
    assert.ok('hell'.startsWith(answer.body.toString()));
    await connection.close();
  }
});

test('a gate holds the next piece until it is opened', async (context) => {
  const scripted = await provider(context);
  const hold = gate();
  scripted.respond({ body: ['first', hold.opened, 'second'] });
  const connection = await RawConnection.open(scripted.url);
  const answer = connection.call({ method: 'GET', target: '/' });
  await connection.received(5);
  assert.equal(connection.bytesReceived, 5);
  hold.open();
  assert.equal((await answer).body.toString(), 'firstsecond');
  await connection.close();
});

test('an abort is seen by the provider as a request that never became whole', async (context) => {
  const scripted = await provider(context);
  const connection = await RawConnection.open(scripted.url);
  connection.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc');
  const heard = scripted.nextRequest();
  connection.halfClose();
  assert.equal((await heard).whole, false);
  await connection.close();
});

test('the hand-made exchanges cover every wire that is read, and the corpus is used if it is present', () => {
  const wires = new Set(fixtures().map((exchange) => exchange.wire));
  for (const wire of readWires) {
    assert.ok(wires.has(wire), wire);
    assert.ok(corpusOrFixtures(wire).length > 0);
  }
});
