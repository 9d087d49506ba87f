/**
 * Inputs that others wrote, thrown at the gateway: JSON texts as chat bodies (spec: Streaming rule 1 and 2) and an HTTP parser's
 * fixtures as raw bytes at the port and as raw answers of a provider. It never crashes, changes a body only by that rule, and serves the
 * next good request.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { headerValue } from '@metergate/testkit/http-message.ts';
import { RawConnection, rawCall } from '@metergate/testkit/raw-client.ts';
import { httpInputs, jsonInputs, type WrittenInput } from '@metergate/testkit/written-inputs.ts';
import { bearer, requestIdForm, serviceForFile } from '../running-product.ts';

const service = serviceForFile();
const inserted = '"stream_options":{"include_usage":true}';
/** How long a raw connection may stay silent before it counts as waiting for more bytes. Milliseconds. */
const quietMs = 80;

/** What the provider must receive for a body, according to a different JSON parser: the text itself unless the rule applies. */
function expectedForm(body: Buffer): 'untouched' | 'inserted' {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'untouched';
    const object = value as Record<string, unknown>;
    return object['stream'] === true && !Object.hasOwn(object, 'stream_options') ? 'inserted' : 'untouched';
  } catch {
    return 'untouched';
  }
}

async function assertServes(): Promise<void> {
  service.system.openai.respond({ headers: [['content-type', 'application/json']], body: '{"object":"list","data":[]}' });
  const answer = await rawCall(service.system.gatewayUrl, { method: 'GET', target: '/v1/models', headers: [bearer(service.key)] });
  assert.equal(answer.status, 200);
}

const streamed = ['{"stream":true}', '{"stream":true,"messages":[]}', ' \r\n\t{ "model":"m" ,"stream" : true}', '{"\\u0073tream":true}',
  '{"stream":false,"stream":true}', '{"messages":[{"stream_options":{}}],"stream":true}', '{"stream":true,"a":"\\"stream_options\\":1"}'];
const untouched = ['{"stream":true,"stream_options":null}', '{"stream":true,"stream_options":{"include_usage":false}}', '{"stream":"true"}',
  '{"stream":1}', '{"stream":true,"stream":false}', '[{"stream":true}]', '{"stream":true', '\ufeff{"stream":true}', '{"a":{"stream":true}}',
  '{"stream":true,"\\u0073tream_options":1}', '{"stream":true}x', 'null', ''];

test('JSON texts as chat bodies: stream_options is added at the front if the rule asks for it, and nothing else changes', async () => {
  const connection = await RawConnection.open(service.system.gatewayUrl);
  const own = [...streamed, ...untouched].map((text) => ({ name: text, bytes: Buffer.from(text) }));
  for (const { name, bytes } of [...own, ...jsonInputs()]) {
    const heard = service.system.openai.nextRequest();
    const headers = [bearer(service.key), ['Content-Type', 'application/json'] as const];
    const answer = await connection.call({ target: '/v1/chat/completions', headers, body: bytes });
    assert.equal(answer.status, 200, name);
    const { body } = await heard;
    if (expectedForm(bytes) === 'untouched') {
      assert.ok(body.equals(bytes), `${name}: ${body.toString('latin1').slice(0, 200)}`);
      continue;
    }
    const brace = bytes.indexOf('{') + 1;
    const rest = bytes.subarray(brace);
    assert.ok(body.subarray(0, brace).equals(bytes.subarray(0, brace)) && body.subarray(-rest.length).equals(rest), name);
    assert.match(body.subarray(brace, body.length - rest.length).toString().replaceAll(/\s/g, ''), new RegExp(`^${inserted},?$`), name);
    assert.deepEqual(Object.keys(JSON.parse(body.toString('utf8')) as object)[0], 'stream_options', name);
  }
  await connection.close();
});

test('the same texts on other paths and compressed chat bodies are never changed', async () => {
  for (const target of ['/v1/completions', '/v1/messages']) {
    const provider = target === '/v1/messages' ? service.system.anthropic : service.system.openai;
    const heard = provider.nextRequest();
    await rawCall(service.system.gatewayUrl, { target, headers: [bearer(service.key)], body: '{"stream":true}' });
    assert.equal((await heard).body.toString(), '{"stream":true}');
  }
  const squeezed = gzipSync('{"stream":true}');
  const heard = service.system.openai.nextRequest();
  const headers = [bearer(service.key), ['Content-Encoding', 'gzip'] as const];
  await rawCall(service.system.gatewayUrl, { target: '/v1/chat/completions', headers, body: squeezed });
  assert.deepEqual((await heard).body, squeezed);
});

/** Sends all inputs, several at once: most of a fixture's time is waiting for a server that waits for more bytes. */
async function each(inputs: readonly WrittenInput[], run: (input: WrittenInput) => Promise<void>): Promise<void> {
  for (let from = 0; from < inputs.length; from += 16) await Promise.all(inputs.slice(from, from + 16).map(run));
}

/** Sends bytes on a new connection; resolves when the server ended it or has been quiet for a while. */
async function throwAt(url: string, bytes: Buffer): Promise<RawConnection> {
  const connection = await RawConnection.open(url);
  connection.send(bytes);
  const quiet = Promise.withResolvers<void>();
  const timer = setTimeout(quiet.resolve, quietMs);
  connection.socket.on('data', () => timer.refresh());
  await Promise.race([quiet.promise, connection.ended]);
  clearTimeout(timer);
  return connection;
}

test('an HTTP parser\'s request fixtures at the port: every answer is an envelope with both ids, and nothing is forwarded unmetered', async () => {
  const connections = service.system.openai.requests.length;
  await each(httpInputs('request'), async ({ name, bytes }) => {
    const connection = await throwAt(service.system.gatewayUrl, bytes);
    for (const answer of connection.answers.filter(({ status }) => status >= 200)) {
      assert.ok(answer.status >= 400 && answer.status < 500, `${name}: ${answer.startLine}`);
      assert.match(headerValue(answer.headers, 'x-svc-request-id') ?? '', requestIdForm, name);
      assert.match(headerValue(answer.headers, 'x-request-id') ?? '', requestIdForm, name);
      if (answer.body.length > 0) assert.equal(typeof (JSON.parse(answer.body.toString()) as { error: { code: string } }).error.code, 'string', name);
    }
    await connection.close();
  });
  assert.equal(service.system.openai.requests.length, connections, 'no fixture carries a key, so none reaches a provider');
  await assertServes();
});

test('the same fixtures with a valid key: what is forwarded is forwarded once and leaves a record, and the next good request is served', async () => {
  await each(httpInputs('request'), async ({ name, bytes }) => {
    const added = `\r\nAuthorization: Bearer ${service.key}\r\nHost: x\r\n`;
    const text = bytes.toString('latin1').replace(/^([A-Z-]+) \/\S*/, '$1 /v1/x').replace('\r\n', added);
    const connection = await throwAt(service.system.gatewayUrl, Buffer.from(text, 'latin1'));
    for (const answer of connection.answers.filter(({ status }) => status >= 200)) {
      assert.match(headerValue(answer.headers, 'x-svc-request-id') ?? '', requestIdForm, name);
    }
    await connection.close();
  });
  await assertServes();
});

test('an HTTP parser\'s response fixtures as the provider\'s answer: relayed or 502, and the next good call is served', async () => {
  for (const { name, bytes } of httpInputs('response')) {
    service.system.openai.respond({ raw: bytes, ending: 'fin' });
    const connection = await RawConnection.open(service.system.gatewayUrl);
    const answered = connection.call({ method: 'GET', target: '/v1/models', headers: [bearer(service.key)] })
      .then((answer) => answer.status, () => null);
    const status = await answered;
    assert.ok(status === null || status >= 200, name);
    await connection.close();
  }
  await assertServes();
});
