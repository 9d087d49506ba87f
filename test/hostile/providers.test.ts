/**
 * Hostile and broken providers behind the running product (rules 3a and 10; rules: Forwarding): before the head 502, after it
 * a cut that cannot look complete; what the caller got is always a prefix of what the provider sent; nothing reaches another caller.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecordJson } from '@metergate/core/record/call-record.ts';
import { headerValue, headerValues, type HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall, RawConnection, requestBytes, type RawAnswer } from '@metergate/testkit/raw-client.ts';
import { gate, type Script } from '@metergate/testkit/scripted-provider.ts';
import { bearer, requestIdOf, serviceForFile } from '../running-product.ts';
import { assertEnvelope, assertServes, chatEvents, endOf, eventStream, named, recordsOf } from './aftermath.ts';

const service = serviceForFile();
const body = '{"stream":true,"stream_options":{"include_usage":true}}';

/** A chat call that names its project, on a separate connection; null if it ended without an answer. */
async function chat(project: string, script: Script, target: string = '/v1/chat/completions'): Promise<RawAnswer> {
  service.system.openai.respond(script);
  return rawCall(service.system.gatewayUrl, { target, headers: named(service, project), body });
}

/** The fields of a record that these tests are about. */
function facts(record: CallRecordJson | undefined): unknown[] {
  return [record?.outcome, record?.status, record?.usage, record?.usageReason];
}

const raw = (text: string, ending: 'keep' | 'fin' | 'rst' = 'fin'): Script => ({ raw: Buffer.from(text, 'latin1'), ending });

test('no answer, half of one, or one that is not HTTP is 502 with one request and one record: failed, no status, usage none', async () => {
  const scripts: Record<string, Script> = {
    'fin': raw(''), 'rst': raw('', 'rst'), 'half a line': raw('HTTP/1.1 2'), 'half a head': raw('HTTP/1.1 200 OK\r\nX-A: b\r\n'),
    'not HTTP': raw('SSH-2.0-OpenSSH_9\r\n\r\n'),
    'length and coding': raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}'),
    'two lengths': raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
    'head of 17 KiB': raw(`HTTP/1.1 200 OK\r\nX-Big: ${'a'.repeat(17 * 1024)}\r\nContent-Length: 2\r\n\r\n{}`, 'keep'),
    '101': raw('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nxx', 'keep'),
    '099': raw('HTTP/1.1 099 No\r\nContent-Length: 2\r\n\r\n{}', 'keep'),
    'reason with a control': raw('HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\n{}', 'keep'),
  };
  const heard = service.system.openai.requests.length;
  for (const [name, script] of Object.entries(scripts)) assertEnvelope(await chat(name, script), 502, 'upstream_unreachable');
  assert.equal(service.system.openai.requests.length, heard + Object.keys(scripts).length, 'nothing is retried');
  const records = await recordsOf(service, Object.keys(scripts));
  for (const record of records) assert.deepEqual(facts(record), ['failed', null, 'none', null], record.project ?? '');
  await assertServes(service);
});

test('a body cut after the head reaches the caller as a prefix and cannot look complete, not even for HTTP/1.0', async () => {
  const sse = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';
  const scripts: Record<string, Script> = {
    'head then rst': { raw: [`${sse}Transfer-Encoding: chunked\r\n\r\n`, new Promise((resolve) => setImmediate(resolve))], ending: 'rst' },
    'half a length': raw(`${sse}Content-Length: 10\r\n\r\nabcde`),
    'no terminator': raw(`${sse}Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n`),
    'half a chunk': raw(`${sse}Transfer-Encoding: chunked\r\n\r\n5\r\nabc`),
    'bad chunk size': raw(`${sse}Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nzz\r\n`, 'keep'),
  };
  for (const [name, script] of Object.entries(scripts)) {
    for (const version of ['1.1', '1.0'] as const) {
      service.system.openai.respond(script);
      const connection = await RawConnection.open(service.system.gatewayUrl);
      const sent = requestBytes({ target: '/v1/chat/completions', headers: named(service, `${name} ${version}`), body }, 'x').toString('latin1');
      connection.send(sent.replace('HTTP/1.1', `HTTP/${version}`));
      const how = await endOf(connection, name);
      const answer = connection.answers[0];
      if (version === '1.1') assert.ok(answer === undefined || (!answer.whole && 'abcde'.startsWith(answer.body.toString())), name);
      else assert.equal(how, 'rst', name);
    }
  }
  const projects = Object.keys(scripts).flatMap((name) => [`${name} 1.1`, `${name} 1.0`]);
  for (const record of await recordsOf(service, projects)) assert.deepEqual(facts(record), ['cut', 200, 'unknown', 'cut'], record.project ?? '');
  await assertServes(service);
});

test('an answer that lasts until its connection ends is cut if that is reset, for the caller and in its record', async () => {
  const half = gate();
  const scripts = { 'until the end': 'HTTP/1.1 200 OK\r\n', 'HTTP/1.0 until the end': 'HTTP/1.0 200 OK\r\n' };
  for (const [name, line] of Object.entries(scripts)) {
    service.system.openai.respond({ raw: [`${line}Content-Type: application/json\r\n\r\n{"model":"m",`, half.opened], ending: 'rst' });
    const connection = await RawConnection.open(service.system.gatewayUrl);
    connection.send(requestBytes({ target: '/v1/chat/completions', headers: named(service, name), body }, 'x'));
    await connection.received(13);
    half.open();
    await endOf(connection, name);
    assert.deepEqual(connection.answers.map((answer) => [answer.status, answer.whole]), [[200, false]], name);
  }
  for (const record of await recordsOf(service, Object.keys(scripts))) assert.deepEqual(facts(record), ['cut', 200, 'unknown', 'cut']);
});

test('a control byte in the head of an answer without a body is 502, and the record says failed', async () => {
  const control = 'O\x01K';
  const scripts: Record<string, [string, string]> = {
    '204': ['POST', `HTTP/1.1 204 ${control}\r\n\r\n`], '304': ['POST', `HTTP/1.1 304 ${control}\r\n\r\n`],
    'length 0': ['POST', `HTTP/1.1 200 ${control}\r\nContent-Length: 0\r\n\r\n`],
    'HEAD': ['HEAD', `HTTP/1.1 200 ${control}\r\nContent-Length: 9\r\n\r\n`],
  };
  for (const [name, [method, script]] of Object.entries(scripts)) {
    service.system.openai.respond(raw(script, 'keep'));
    const answer = await rawCall(service.system.gatewayUrl, { method, target: '/v1/responses', headers: named(service, `control ${name}`) });
    assert.equal(answer.status, 502, name);
    if (method !== 'HEAD') assertEnvelope(answer, 502, 'upstream_unreachable');
  }
  for (const record of await recordsOf(service, Object.keys(scripts).map((name) => `control ${name}`))) {
    assert.deepEqual(facts(record), ['failed', null, 'none', null], record.project ?? '');
  }
  await assertServes(service);
});

test('organizations share no connection to a named provider: what one provider answers twice reaches no other organization', async () => {
  await service.system.createOrganization('neighbour', 'scale');
  for (const provider of ['openai', 'anthropic'] as const) await service.system.connectProvider(provider, 'neighbour');
  const { key } = await service.system.createKey({ organization: 'neighbour' });
  const answer = (text: string): string =>
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  for (const [provider, target] of [[service.system.openai, '/v1/responses'], [service.system.anthropic, '/v1/messages']] as const) {
    const connections = { own: new Set<number>(), other: new Set<number>() };
    for (let round = 0; round < 20; round += 1) {
      provider.respond({ raw: [answer('"own"'), answer('"own"')], ending: 'keep' });
      let heard = provider.nextRequest();
      await rawCall(service.system.gatewayUrl, { target, headers: [bearer(service.key)], body: '{}' });
      connections.own.add((await heard).connection);
      provider.respond({ raw: [answer('"other"')], ending: 'keep' });
      heard = provider.nextRequest();
      const { body: got } = await rawCall(service.system.gatewayUrl, { target, headers: [bearer(key)], body: '{}' });
      assert.equal(got.toString(), '"other"');
      connections.other.add((await heard).connection);
    }
    assert.deepEqual([...connections.own].filter((each) => connections.other.has(each)), []);
  }
  await assertServes(service);
});

test('an SSE answer cut after its usage and before its end is cut for the caller and its usage is recorded as reported', async () => {
  const body = chatEvents.slice(0, 3);
  const script: Script = { headers: eventStream, body, cutAt: { byte: body.join('').length, by: 'fin' } };
  const answer = await chat('usage then cut', script);
  assert.deepEqual([answer.whole, answer.body.toString()], [false, chatEvents.slice(0, 3).join('')]);
  const [record] = await recordsOf(service, ['usage then cut']);
  assert.deepEqual([record?.outcome, record?.usage, record?.inputTokens, record?.outputTokens], ['cut', 'reported', 7, 3]);
});

test('[DONE] split at every byte arrives whole, and so does an end that is followed by a reset', async () => {
  const last = chatEvents[3] ?? '';
  for (let at = 1; at < last.length; at += 1) {
    const answer = await chat(`split ${at}`, { headers: eventStream, body: [...chatEvents.slice(0, 3), last.slice(0, at), last.slice(at)] });
    assert.deepEqual([answer.whole, answer.body.toString()], [true, chatEvents.join('')]);
  }
  const text = chatEvents.join('');
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${text.length}\r\n\r\n`;
  const reset = await chat('reset after all', raw(head + text, 'rst'));
  assert.deepEqual([reset.whole, reset.body.toString()], [true, text]);
  const projects = ['reset after all', ...Array.from({ length: last.length - 1 }, (_, at) => `split ${at + 1}`)];
  for (const record of await recordsOf(service, projects)) {
    assert.deepEqual([record.outcome, record.usage, record.inputTokens], ['completed', 'reported', 7], record.project ?? '');
  }
});

test('a body without length ends with the connection and is whole; interim answers and trailers are not the answer', async () => {
  const json = '{"model":"gpt-4o-mini","usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}';
  const closing = await chat('close-delimited', { headers: [['content-type', 'application/json']], body: json, framing: 'close' });
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(200);
  const early = await chat('interim', raw(`${interim}HTTP/1.1 200 OK\r\nContent-Length: ${json.length}\r\n\r\n${json}`, 'keep'));
  const chunked = `${json.length.toString(16)}\r\n${json}\r\n0\r\nX-Svc-Request-Id: evil\r\n\r\n`;
  const trailed = await chat('trailers', raw(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x-svc-request-id\r\n\r\n${chunked}`, 'keep'));
  for (const answer of [closing, early, trailed]) {
    assert.deepEqual([answer.status, answer.whole, answer.body.toString()], [200, true, json]);
    requestIdOf(answer);
  }
  for (const record of await recordsOf(service, ['close-delimited', 'interim', 'trailers'])) {
    assert.deepEqual([record.outcome, record.usage, record.inputTokens], ['completed', 'reported', 5], record.project ?? '');
  }
});

test('204 and 304 with a length or a body are relayed without one, and their connection carries nothing to the next caller', async () => {
  const scripts: Record<string, string> = {
    '204 with a length': 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n',
    '204 with a body': 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nabcde',
    '204 chunked': 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n',
    '304 with a length': 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
  };
  for (const [name, script] of Object.entries(scripts)) {
    const answer = await chat(name, raw(script, 'keep'));
    assert.deepEqual([String(answer.status), answer.body.length], [name.slice(0, 3), 0], name);
    requestIdOf(answer);
    await assertServes(service);
  }
  for (const record of await recordsOf(service, Object.keys(scripts))) assert.equal(record.outcome, 'completed', record.project ?? '');
});

test('bytes a provider sends beyond its answer, a second answer among them, never reach a caller', async () => {
  const evil = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil';
  for (const surplus of [evil, 'x', `${evil}${evil}`, '\r\n\r\n']) {
    const connection = await RawConnection.open(service.system.gatewayUrl);
    service.system.openai.respond(raw(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}${surplus}`, 'keep'));
    const first = await connection.call({ target: '/v1/responses', headers: [bearer(service.key)], body: '{}' });
    service.system.openai.respond({ body: 'good' });
    const second = await connection.call({ target: '/v1/responses', headers: [bearer(service.key)], body: '{}' });
    assert.deepEqual([first.body.toString(), second.body.toString(), connection.answers.length], ['{}', 'good', 2]);
    await connection.close();
  }
});

test('any final status is relayed as sent, also after an unrequested 100, with reason and headers, obs-text included, and our id', async () => {
  for (const status of [200, 299, 401, 418, 429, 500, 600, 999]) {
    const lines = 'X-Obs: \x80\xe9\xff\r\nX-SVC-Request-Id: evil\r\nx-svc-budget-scope: run\r\nRetry-After: 3\r\n__proto__: x\r\n';
    const go = 'HTTP/1.1 100 Continue\r\n\r\n';
    const answer = await chat(`status ${status}`, raw(`${go}HTTP/1.1 ${status} As Is \x80\xe9\xff\r\n${lines}Content-Length: 2\r\n\r\n{}`, 'keep'));
    assert.deepEqual([answer.status, answer.reason, answer.body.toString()], [status, 'As Is \x80\xe9\xff', '{}']);
    const got = ['x-obs', 'retry-after', '__proto__'].map((name) => headerValue(answer.headers, name));
    assert.deepEqual(got, ['\x80\xe9\xff', '3', 'x']);
    assert.deepEqual(headerValues(answer.headers, 'x-svc-budget-scope'), []);
    requestIdOf(answer);
  }
  await assertServes(service);
});

test('an answer before the upload is complete reaches the caller, is recorded, and the caller\'s connection stays usable', async () => {
  const { openai, gatewayUrl } = service.system;
  openai.respondAtHead({ status: 413, headers: [['content-type', 'application/json']], body: '{"error":"too large"}' });
  const connection = await RawConnection.open(gatewayUrl);
  const lines = named(service, 'early answer').map(([name, value]) => `${name}: ${value}\r\n`).join('');
  connection.send(`POST /v1/responses HTTP/1.1\r\nHost: x\r\n${lines}Content-Length: 400000\r\n\r\n${'x'.repeat(200_000)}`);
  const answer = await connection.nextAnswer();
  assert.deepEqual([answer.status, answer.body.toString()], [413, '{"error":"too large"}']);
  openai.respondAtHead(null);
  openai.respond({ body: 'next' });
  connection.send('x'.repeat(200_000));
  const next = await connection.call({ method: 'GET', target: '/v1/models', headers: [bearer(service.key)] });
  assert.equal(next.body.toString(), 'next');
  await connection.close();
  assert.deepEqual(facts((await recordsOf(service, ['early answer']))[0]), ['completed', 413, 'none', null]);
});

test('a caller\'s connection stays open after 502 and after each refusal of a short request', async () => {
  const connection = await RawConnection.open(service.system.gatewayUrl);
  service.system.openai.respond(raw('', 'rst'));
  assertEnvelope(await connection.call({ target: '/v1/responses', headers: [bearer(service.key)], body: '{}' }), 502, 'upstream_unreachable');
  const undeclared = await connection.call({ target: '/upstream/v1/x', headers: [bearer(service.key)], body: '{}' });
  assertEnvelope(undeclared, 400, 'upstream_not_declared');
  assertEnvelope(await connection.call({ target: '/nowhere', body: '{}' }), 404, 'unknown_url');
  assertEnvelope(await connection.call({ target: '/v1/responses', body: '{}' }), 401, 'invalid_api_key');
  service.system.openai.respond({ body: 'good' });
  const answer = await connection.call({ target: '/v1/responses', headers: [bearer(service.key)], body: '{}' });
  assert.equal(answer.body.toString(), 'good');
  await connection.close();
});

test('truncated and unknown codings reach the caller as sent and cost at most the usage', async () => {
  for (const coding of ['gzip', 'br', 'zstd', 'deflate', 'gzip, gzip', 'x-unknown']) {
    const headers: HeaderPair[] = [['content-type', 'application/json'], ['content-encoding', coding]];
    const answer = await chat(`coding ${coding}`, { headers, body: Buffer.from([31, 139, 8, 0, 1, 2, 3]) });
    assert.deepEqual([answer.status, answer.body], [200, Buffer.from([31, 139, 8, 0, 1, 2, 3])]);
    const [record] = await recordsOf(service, [`coding ${coding}`]);
    assert.deepEqual([record?.outcome, record?.usage], ['completed', 'unknown']);
  }
  await assertServes(service);
});
