/**
 * Hostile requests at the running product: framing that two servers could read differently, targets, heads and bodies made to confuse,
 * and several requests on one connection. Refused means: the gateway's envelope, no connection to a provider, no record and, if the spec
 * says so, a connection that carries nothing further (rules 2 and 3).
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { headerValue, headerValues, type HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall, RawConnection } from '@metergate/testkit/raw-client.ts';
import { gate } from '@metergate/testkit/scripted-provider.ts';
import { bearer, requestIdOf, serviceForFile } from '../running-product.ts';
import { assertEnvelope, assertNoRecordOf, assertServes, chatEvents, endOf, eventStream, recordsOf, sendRaw } from './aftermath.ts';

const service = serviceForFile({}, ({ system }) => system.declareUpstream());
const ok = { headers: [['content-type', 'application/json']] as HeaderPair[], body: '{}' };

/** A raw head with a valid key; `lines` are added unchanged. */
function head(start: string, lines: readonly string[]): string {
  return [start, `Authorization: Bearer ${service.key}`, ...lines, '', ''].join('\r\n');
}

/** Everything that comes back until the connection ends. */
function allSaid(url: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.setEncoding('latin1').on('data', (text: string) => { heard += text; }).on('error', () => {}).on('close', () => resolve(heard));
  });
}

test('framing that two servers could read differently is 400, nothing is forwarded, and the next request on the socket is not served', async () => {
  const heard = service.system.openai.connections;
  const next = head('GET /v1/models HTTP/1.1', ['Host: x', 'x-svc-project: smuggled']);
  const post = 'POST /v1/responses HTTP/1.1';
  const attacks: Record<string, string> = {
    'leading zero': head(post, ['Host: x', 'Content-Length: 010']) + '0123456789',
    'leading comma': head(post, ['Host: x', 'Transfer-Encoding: ,chunked']) + '0\r\n\r\n',
    'two codings': head(post, ['Host: x', 'Transfer-Encoding: gzip, chunked']) + '0\r\n\r\n',
    'two coding lines': head(post, ['Host: x', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked']) + '0\r\n\r\n',
    'length and coding': head(post, ['Host: x', 'Content-Length: 5', 'Transfer-Encoding: chunked']) + '0\r\n\r\n',
    'two lengths': head(post, ['Host: x', 'Content-Length: 5', 'Content-Length: 6']) + 'aaaaa',
    'list of lengths': head(post, ['Host: x', 'Content-Length: 5, 5']) + 'aaaaa',
    'signed length': head(post, ['Host: x', 'Content-Length: +5']) + 'aaaaa',
    'space before colon': head(post, ['Host: x', 'Content-Length : 5']) + 'aaaaa',
    'folded line': head(post, ['Host: x', 'X-A: b', ' c: d']),
    'NUL in a value': head(post, ['Host: x', 'X-A: b\0c']),
    'bare CR': head(post, ['Host: x', 'X-A: b\rc']),
    'coding in HTTP/1.0': head('POST /v1/responses HTTP/1.0', ['Host: x', 'Connection: keep-alive', 'Transfer-Encoding: chunked']) + '0\r\n\r\n',
    'bad chunk size': head(post, ['Host: x', 'Transfer-Encoding: chunked']) + '0x1\r\na\r\n0\r\n\r\n',
    'two hosts': head('GET /v1/models HTTP/1.1', ['Host: a', 'Host: a']),
    'no host': head('GET /v1/models HTTP/1.1', []),
    'host with a path': head('GET /v1/models HTTP/1.1', ['Host: x/?']),
    'HTTP/2.0 in plain text': head('GET /v1/models HTTP/2.0', ['Host: x']),
    'absolute target': head('GET http://evil/v1/models HTTP/1.1', ['Host: x']),
  };
  for (const [name, bytes] of Object.entries(attacks)) {
    const connection = await sendRaw(service, bytes + next);
    const answer = await connection.nextAnswer();
    assertEnvelope(answer, 400, 'invalid_request');
    await endOf(connection, name);
    assert.deepEqual(connection.answers.map(({ status }) => status), [400], name);
  }
  assert.deepEqual(service.system.openai.requests.map(({ target }) => target), []);
  assert.equal(service.system.openai.connections, heard);
  await assertServes(service);
  await recordsOf(service, ['next']);
  await assertNoRecordOf(service, ['smuggled']);
});

test('targets that resolve to something else are 404 without a record, on a connection that stays open', async () => {
  const heard = service.system.openai.requests.length;
  const connection = await RawConnection.open(service.system.gatewayUrl);
  const bad = ['/v1/../platform', '/upstream/v1/%2e%2e/admin', '//evil/v1/x', '/v1/a#b', '/v1/a\\b', '/v1/%2E',
    '/platform/v1/limits', '/tap/v1/events'];
  for (const target of bad) {
    assertEnvelope(await connection.call({ method: 'GET', target, headers: [bearer(service.key)] }), 404, 'unknown_url');
  }
  assert.equal(service.system.openai.requests.length, heard);
  service.system.openai.respond(ok);
  assert.equal((await connection.call({ method: 'GET', target: '/v1/models', headers: [bearer(service.key)] })).status, 200);
  await connection.close();
});

test('an empty chunked body is forwarded as one, on every route and with every method', async () => {
  const projects: string[] = [];
  for (const method of ['POST', 'PUT', 'DELETE', 'GET']) {
    for (const target of ['/v1/responses/r/cancel', '/v1/chat/completions', '/v1/messages/batches/b/cancel', '/upstream/v1/x']) {
      const { openai, anthropic, upstream } = service.system;
      const provider = target.startsWith('/upstream') ? upstream : target.includes('messages') ? anthropic : openai;
      for (const end of ['0\r\n\r\n', '0\r\nX-Trailer: 1\r\n\r\n']) {
        const heard = provider.nextRequest();
        projects.push(`empty ${projects.length}`);
        const connection = await sendRaw(service, head(`${method} ${target} HTTP/1.1`, ['Host: x', `x-svc-project: ${projects.at(-1)}`,
          'Transfer-Encoding: chunked']) + end);
        assert.equal((await connection.nextAnswer()).status, 200, `${method} ${target}`);
        assert.deepEqual([(await heard).method, (await heard).body.length, (await heard).whole], [method, 0, true]);
        await connection.close();
      }
    }
  }
  for (const record of await recordsOf(service, projects)) assert.deepEqual([record.outcome, record.requestBytes], ['completed', 0]);
});

test('a WebSocket handshake is 426 beside another offer, and 401 without a key; any other offer of an upgrade is a plain request', async () => {
  const { connections } = service.system.openai;
  const handshake = ['Host: x', 'Connection: keep-alive, Upgrade', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'x-svc-project: handshake'];
  for (const start of ['GET /v1/messages HTTP/1.1', 'GET /upstream/v1/realtime?model=x HTTP/1.1']) {
    const connection = await sendRaw(service, head(start, [...handshake, 'Upgrade: h2c, websocket']));
    const answer = await connection.nextAnswer();
    assertEnvelope(answer, 426, 'upgrade_not_supported');
    assert.equal(headerValue(answer.headers, 'upgrade'), 'HTTP/1.1');
    await connection.close();
  }
  for (const path of ['/v1/responses', '/upstream/v1/responses', '/alt/v1/messages', '/upstream/v1/realtime?model=x']) {
    for (const offer of ['Upgrade: websocket', 'Upgrade: WebSocket']) {
      const without = `GET ${path} HTTP/1.1\r\n${[...handshake, offer].join('\r\n')}\r\n\r\n`;
      assertEnvelope(await (await sendRaw(service, without)).nextAnswer(), 401, 'invalid_api_key');
    }
  }
  assertEnvelope(await (await sendRaw(service, 'GET /nowhere HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n')).nextAnswer(), 404, 'unknown_url');
  assert.equal(service.system.openai.connections, connections);
  service.system.openai.respond(ok);
  const h2c: HeaderPair[] = [bearer(service.key), ['Connection', 'Upgrade, HTTP2-Settings'], ['Upgrade', 'h2c'], ['HTTP2-Settings', 'AAMAAABk']];
  assert.equal((await rawCall(service.system.gatewayUrl, { target: '/v1/responses', headers: h2c, body: '{}' })).status, 200);
  await assertServes(service);
  await assertNoRecordOf(service, ['handshake']);
});

test('CONNECT is 404 in the envelope, also if its caller resets at once, and Upgrade is a plain request', async () => {
  const tunnel = await sendRaw(service, 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n');
  assertEnvelope(await tunnel.nextAnswer(), 404, 'unknown_url');
  await endOf(tunnel, 'CONNECT');
  for (let round = 0; round < 60; round += 1) {
    const rude = await sendRaw(service, `CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n${'x'.repeat(round * 1000)}`);
    if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    rude.abort();
  }
  service.system.openai.respond(ok);
  const headers: HeaderPair[] = [bearer(service.key), ['Connection', 'Upgrade'], ['Upgrade', 'TLS/1.0']];
  const heard = service.system.openai.nextRequest();
  assert.equal((await rawCall(service.system.gatewayUrl, { target: '/v1/responses', headers, body: '{"a":1}' })).status, 200);
  assert.equal(headerValue((await heard).headers, 'upgrade'), null);
  assert.equal((await heard).body.toString(), '{"a":1}');
  await assertServes(service);
});

test('a head of 17 KiB is 431 in the envelope, also while its caller keeps sending', async () => {
  for (const more of [0, 300_000]) {
    const connection = await sendRaw(service, `GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(17 * 1024)}${'b'.repeat(more)}`);
    assertEnvelope(await connection.nextAnswer(), 431, 'headers_too_large');
    await endOf(connection, '431');
  }
});

test('a HEAD that the parser refuses is answered with a head only', async () => {
  const parts = { 'GET': head('GET /v1/models HTTP/1.1', ['Host: x', 'a b: c']), 'HEAD': head('HEAD /v1/models HTTP/1.1', ['Host: x', 'a b: c']) };
  const big = `HEAD /v1/models HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(17 * 1024)}\r\n\r\n`;
  for (const [bytes, status, withBody] of [[parts.HEAD, 400, false], [big, 431, false], [parts.GET, 400, true]] as const) {
    const text = await allSaid(service.system.gatewayUrl, bytes);
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.equal(text.endsWith('}'), withBody, bytes.slice(0, 60));
  }
});

test('2,000 headers hide none: all are forwarded, and the label after them is recorded', async () => {
  service.system.openai.respond(ok);
  const many = Array.from({ length: 2_000 }, (_, at): HeaderPair => [`h${at.toString(36).padStart(3, '0')}`, '']);
  const lines = many.map(([name]) => `${name}:\r\n`).join('');
  const heard = service.system.openai.nextRequest();
  const connection = await sendRaw(service, `GET /v1/models HTTP/1.1\r\nHost:x\r\nx-api-key:${service.key}\r\n${lines}x-svc-project:behind\r\n\r\n`);
  assert.equal((await connection.nextAnswer()).status, 200);
  await connection.close();
  assert.deepEqual((await heard).headers.filter(([name]) => /^h0|^h1/.test(name)), many);
  await recordsOf(service, ['behind']);
});

test('headers with the names of properties that every object inherits, and bytes above 0x7f, arrive as sent', async () => {
  service.system.openai.respond(ok);
  const odd: HeaderPair[] = [['__proto__', '{"x":1}'], ['constructor', 'a'], ['hasOwnProperty', 'b'], ['toString', 'c'],
    ['X-Obs', '\x80\xff\xe9\xc3\xa9']];
  const heard = service.system.openai.nextRequest();
  const hop: HeaderPair = ['Connection', 'authorization, x-svc-tags, content-length, x-gone'];
  const headers: HeaderPair[] = [bearer(service.key), hop, ['X-Gone', '1'], ['x-svc-tags', 'a'], ...odd];
  assert.equal((await rawCall(service.system.gatewayUrl, { target: '/v1/responses', headers, body: 'abc' })).status, 200);
  const received = (await heard).headers;
  assert.deepEqual(received.filter(([name]) => odd.some(([each]) => each === name)), odd);
  assert.equal(headerValues(received, 'authorization').length, 1);
  const named = ['x-gone', 'x-svc-tags', 'content-length'].map((name) => headerValue(received, name));
  assert.deepEqual(named, [null, null, '3']);
  await assertServes(service);
});

test('odd keys all get the same 401, and the connection stays open; Basic beside a good x-api-key uses that key', async () => {
  const connection = await RawConnection.open(service.system.gatewayUrl);
  const keys: HeaderPair[][] = [
    [['Authorization', "Bearer x' OR pg_sleep(8)--"]], [['Authorization', `Bearer ${'a'.repeat(15_000)}`]], [['Authorization', 'Bearer \xe9\xff']],
    [['Authorization', `Bearer Bearer ${service.key}`]], [['Authorization', 'Bearer']], [['Authorization', '']], [['x-api-key', '']],
    [['Authorization', 'Bearer bad'], ['x-api-key', service.key]], [],
  ];
  for (const headers of keys) {
    assertEnvelope(await connection.call({ target: '/v1/responses', headers, body: '{}' }), 401, 'invalid_api_key');
  }
  service.system.openai.respond(ok);
  const basic: HeaderPair[] = [['Authorization', 'Basic eDp5'], ['x-api-key', service.key]];
  assert.equal((await connection.call({ target: '/v1/responses', headers: basic, body: '{}' })).status, 200);
  await connection.close();
});

test('a refusal answers while a long body is still being sent, and nothing after it on that socket is served', async () => {
  const piece = Buffer.from('GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000));
  const bytes = 10 * 1024 * 1024;
  const connection = await sendRaw(service, `POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`);
  connection.send(piece);
  const answer = await connection.nextAnswer();
  assertEnvelope(answer, 401, 'invalid_api_key');
  assert.equal(headerValue(answer.headers, 'connection'), 'close');
  for (let sent = piece.length; sent < bytes && !connection.socket.destroyed; sent += piece.length) {
    await connection.sendAll(piece).catch(() => {});
  }
  await endOf(connection, 'the end of a refused upload');
  assert.equal(connection.answers.length, 1);

  const body = 'x'.repeat(100_000);
  const pipelined = head('GET /v1/models HTTP/1.1', ['Host: x', 'x-svc-project: after-close']);
  const refused = await sendRaw(service, `POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}${pipelined}`);
  assertEnvelope(await refused.nextAnswer(), 401, 'invalid_api_key');
  await endOf(refused, 'the end after a refusal');
  assert.equal(refused.answers.length, 1);
  await assertServes(service);
  await assertNoRecordOf(service, ['after-close']);
});

test('Expect: 100-continue is answered once the call is admitted, never after a refusal and never for HTTP/1.0', async () => {
  service.system.openai.respond(ok);
  const admitted = await sendRaw(service, head('POST /v1/responses HTTP/1.1', ['Host: x', 'Content-Length: 7', 'Expect: 100-continue']));
  await admitted.nextHead();
  admitted.send('{"a":1}');
  assert.equal((await admitted.nextAnswer()).status, 200);
  assert.deepEqual(admitted.answers.map(({ status }) => status), [100, 200]);
  await admitted.close();

  const refused = await sendRaw(service, 'POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n');
  assertEnvelope(await refused.nextAnswer(), 401, 'invalid_api_key');
  await endOf(refused, 'the end of a refused expectation');
  assert.equal(refused.answers.length, 1);

  const unknown = await sendRaw(service, head('POST /v1/responses HTTP/1.1', ['Host: x', 'Content-Length: 7', 'Expect: tea']));
  assertEnvelope(await unknown.nextAnswer(), 417, 'invalid_request');
  await endOf(unknown, 'the end after 417');

  const old = await sendRaw(service, `${head('POST /v1/responses HTTP/1.0', ['Content-Length: 7', 'Expect: 100-continue'])}{"a":1}`);
  assert.equal((await old.nextAnswer()).status, 200);
  assert.deepEqual(old.answers.map(({ status }) => status), [200]);
  await old.close();
});

test('an HTTP/1.0 caller and one that sends close get the whole answer, and then the connection ends', async () => {
  service.system.openai.respond({ headers: eventStream, body: chatEvents });
  for (const [start, lines] of [
    ['POST /v1/chat/completions HTTP/1.0', []], ['POST /v1/chat/completions HTTP/1.0', ['Connection: keep-alive']],
    ['POST /v1/chat/completions HTTP/1.1', ['Host: x', 'Connection: close']],
  ] as const) {
    const connection = await sendRaw(service, `${head(start, [...lines, 'Content-Length: 2'])}{}`);
    const answer = await connection.nextAnswer();
    assert.equal(answer.body.toString(), chatEvents.join(''), start);
    assert.equal(headerValue(answer.headers, 'transfer-encoding') === null, start.endsWith('1.0'));
    assert.equal(await endOf(connection, start), 'fin');
  }
});

test('trailers of a chunked request cannot become headers, and the body arrives whole', async () => {
  service.system.openai.respond(ok);
  const heard = service.system.openai.nextRequest();
  const trailers = '3\r\nabc\r\n0\r\nx-svc-project: trailed\r\nAuthorization: Bearer evil\r\n\r\n';
  const lines = ['Host: x', 'Transfer-Encoding: chunked', 'Trailer: x-svc-project'];
  const connection = await sendRaw(service, head('POST /v1/responses HTTP/1.1', lines) + trailers);
  const answer = await connection.nextAnswer();
  assert.equal(answer.status, 200);
  await connection.close();
  const { body, headers } = await heard;
  assert.equal(body.toString(), 'abc');
  assert.equal(headerValues(headers, 'authorization').length, 1);
  assert.equal(headerValue(headers, 'trailer'), null);
  const id = requestIdOf(answer);
  assert.equal((await service.system.callsById([id])).get(id)?.project, null);
});

test('pipelined requests are answered in order, each once, each with its record, also with refused ones between them', async () => {
  const first = gate();
  service.system.openai.respond(async ({ target }) => {
    if (target.endsWith('slow')) await first.opened;
    return { headers: [['content-type', 'text/plain']], body: target };
  });
  const request = (path: string): string => head(`GET ${path} HTTP/1.1`, ['Host: x', `x-svc-project: pipe${path}`]);
  const slow = service.system.openai.nextRequest();
  const connection = await sendRaw(service, request('/v1/slow') + request('/v1/quick') + request('/nowhere') + request('/v1/last'));
  await slow;
  first.open();
  const bodies: string[] = [];
  for (let at = 0; at < 4; at += 1) {
    const answer = await connection.nextAnswer();
    bodies.push(answer.status === 200 ? answer.body.toString() : String(answer.status));
  }
  assert.deepEqual(bodies, ['/v1/slow', '/v1/quick', '404', '/v1/last']);
  await connection.close();
  const records = await recordsOf(service, ['pipe/v1/slow', 'pipe/v1/quick', 'pipe/v1/last']);
  assert.deepEqual(records.map(({ outcome }) => outcome), ['completed', 'completed', 'completed']);
  await assertNoRecordOf(service, ['pipe/nowhere']);
});

test('a pipelined answer that breaks before its turn ends the connection at its turn, and the one before it arrives whole', async () => {
  const first = gate();
  const cut = Promise.withResolvers<void>();
  service.system.openai.respond(({ target }) => (target.endsWith('slow')
    ? { headers: eventStream, body: [first.opened, 'data: whole\n\n'] }
    : { headers: [['content-type', 'text/plain']], body: 'abcdefgh', cutAt: { byte: 4, by: 'fin' } }));
  void service.system.openai.nextRequest().then(() => service.system.openai.nextRequest()).then(() => cut.resolve());
  const request = (path: string): string => head(`GET ${path} HTTP/1.1`, ['Host: x', `x-svc-project: broken${path}`]);
  const connection = await sendRaw(service, request('/v1/slow') + request('/v1/cut'));
  await cut.promise;
  assert.equal((await recordsOf(service, ['broken/v1/cut']))[0]?.outcome, 'cut');
  first.open();
  assert.equal((await connection.nextAnswer()).body.toString(), 'data: whole\n\n');
  await endOf(connection, 'the end of a broken pipeline');
  assert.ok(connection.answers.every(({ whole, body }) => whole || body.toString() === 'abcd'.slice(0, body.length)));
  await assertServes(service);
});
