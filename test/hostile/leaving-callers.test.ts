/**
 * Callers who leave, in every phase of a call (rule 8; rules: Journal): before their request is whole nothing is forwarded
 * and nothing recorded; afterwards there is one record that says so, the provider's connection ends, and the product keeps serving.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standAtNoon } from '@metergate/testkit/clock.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { gate } from '@metergate/testkit/scripted-provider.ts';
import { RawConnection, requestBytes } from '@metergate/testkit/raw-client.ts';
import { serviceForFile } from '../running-product.ts';
import {
  assertNoRecordOf, assertServes, chatEvents, endOf, eventStream, hasSeenWhatCame, inTime, named, recordsOf,
} from './aftermath.ts';

// What they spend is counted in a month.
standAtNoon();

/** The drain time of an abandoned call is the organization's setting; three seconds are enough here. */
const service = serviceForFile({}, async ({ system }) => {
  assert.equal((await system.cli(['org', 'set', 'default', '--drain', '3', '--json'])).code, 0);
});

interface Sending {
  readonly target?: string;
  readonly project: string;
  readonly body?: string;
}

/** A connection on which a call was sent whole. */
async function calling({ target = '/v1/chat/completions', project, body = '{"stream":true}' }: Sending): Promise<RawConnection> {
  const connection = await RawConnection.open(service.system.gatewayUrl);
  connection.send(requestBytes({ target, headers: named(service, project), body }, 'x'));
  return connection;
}

/** A connection on which the head and half of a body were sent. */
async function uploading(target: string, project: string, bytes: number): Promise<RawConnection> {
  const connection = await RawConnection.open(service.system.gatewayUrl);
  const lines = named(service, project).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  connection.send(`POST ${target} HTTP/1.1\r\nHost: x\r\n${lines}Content-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes / 2)}`);
  return connection;
}

test('a caller who leaves within the head, or within a held body, by reset or by FIN: nothing is forwarded, nothing recorded', async () => {
  const before = service.system.openai.connections;
  for (const leave of ['abort', 'halfClose'] as const) {
    const inHead = await RawConnection.open(service.system.gatewayUrl);
    inHead.send(`POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n`);
    for (const connection of [inHead, await uploading('/v1/chat/completions', 'held', 200_000), await uploading('/v1/responses', 'held', 2_000)]) {
      await new Promise((resolve) => setImmediate(resolve));
      connection[leave]();
      await endOf(connection, leave);
    }
  }
  assert.equal(service.system.openai.connections, before);
  await assertServes(service);
  await recordsOf(service, ['next']);
  await assertNoRecordOf(service, ['held']);
});

test('a caller who leaves while uploading: the provider sees a cut request, the record says caller_gone with unknown usage', async () => {
  for (const leave of ['abort', 'halfClose'] as const) {
    const { openai } = service.system;
    const read = openai.bytesRead;
    const cut = openai.nextRequest();
    const connection = await uploading('/v1/responses', `upload-${leave}`, 400_000);
    await eventually(() => openai.bytesRead > read, 'upload at the provider');
    connection[leave]();
    assert.equal((await inTime(cut, 'the cut request')).whole, false);
    await endOf(connection, leave);
    const [record] = await recordsOf(service, [`upload-${leave}`]);
    assert.deepEqual([record?.outcome, record?.status, record?.usage, record?.usageReason], ['caller_gone', null, 'unknown', 'caller_gone']);
  }
  await assertServes(service);
});

test('a caller who leaves before the head: usage that still comes is recorded, otherwise it is unknown', async () => {
  const { openai } = service.system;
  const go = gate();
  openai.respond(async () => {
    await go.opened;
    return { headers: eventStream, body: chatEvents };
  });
  const heard = openai.nextRequest();
  const connection = await calling({ project: 'before-head' });
  await heard;
  connection.abort();
  await connection.ended;
  await hasSeenWhatCame(service.system);
  go.open();
  openai.respond('silence');
  const silent = openai.nextRequest();
  const left = await calling({ project: 'before-head-silent' });
  await silent;
  left.abort();
  const [told, untold] = await recordsOf(service, ['before-head', 'before-head-silent']);
  assert.deepEqual([told?.outcome, told?.usage, told?.inputTokens, told?.outputTokens], ['caller_gone', 'reported', 7, 3]);
  assert.deepEqual([untold?.outcome, untold?.usage, untold?.usageReason, untold?.cost], ['caller_gone', 'unknown', 'caller_gone', null]);
  await assertServes(service);
});

test('a caller who leaves mid-stream: the rest is read for its usage; the second wire keeps what it has reported as partial', async () => {
  const { openai, anthropic } = service.system;
  const go = gate();
  openai.respond({ headers: eventStream, body: [chatEvents[0] ?? '', go.opened, ...chatEvents.slice(1)] });
  const connection = await calling({ project: 'mid-stream' });
  await connection.received(10);
  connection.abort();
  await connection.ended;
  await hasSeenWhatCame(service.system);
  go.open();
  const start = { type: 'message_start', message: { model: 'claude-3-5-haiku-20241022', usage: { input_tokens: 11, output_tokens: 1 } } };
  anthropic.respond({ headers: eventStream, body: [`event: message_start\ndata: ${JSON.stringify(start)}\n\n`, new Promise(() => {})] });
  const second = await calling({ target: '/v1/messages', project: 'mid-stream-2' });
  await second.received(10);
  const closed = anthropic.nextClose();
  second.abort();
  const [first, partial] = await recordsOf(service, ['mid-stream', 'mid-stream-2']);
  assert.deepEqual([first?.outcome, first?.status, first?.usage, first?.inputTokens, first?.outputTokens], ['caller_gone', 200, 'reported', 7, 3]);
  assert.deepEqual([partial?.outcome, partial?.usage, partial?.inputTokens], ['caller_gone', 'partial', 11]);
  await inTime(closed, 'the end at the second provider');
});

test('a hundred streams abandoned after their first chunk: under a cap each is read to its end, and none spends uncounted', async () => {
  const { system } = service;
  const organization = await system.createOrganization('leavers');
  await system.connectProvider('openai', organization.id);
  const cap = ['cap', 'set', '--org', organization.id, '--scope', 'organization', '--window', 'month', '--limit', '25', '--json'];
  assert.equal((await system.cli(cap)).code, 0);
  const { key } = await system.createKey({ organization: organization.id });
  const go = gate();
  system.openai.respond({ headers: eventStream, body: [chatEvents[0] ?? '', go.opened, ...chatEvents.slice(1)] });
  const connections = await Promise.all(Array.from({ length: 100 }, async () => {
    const connection = await RawConnection.open(system.gatewayUrl);
    connection.send(requestBytes({
      target: '/v1/chat/completions', headers: [['Authorization', `Bearer ${key}`]], body: '{"stream":true}',
    }, 'x'));
    await connection.received(10);
    return connection;
  }));
  for (const connection of connections) connection.abort();
  await Promise.all(connections.map(({ ended }) => ended));
  await hasSeenWhatCame(system);
  go.open();
  const records = await system.calls({ organization: organization.id, count: 100 });
  assert.deepEqual([records.length, records.filter(({ usage }) => usage === 'reported').length], [100, 100]);
  const [kept] = JSON.parse((await system.cli(['cap', 'list', '--org', organization.id, '--json'])).stdout) as { unknownCalls: number }[];
  assert.equal(kept!.unknownCalls, 0);
  await assertServes(service);
});

test('a call whose caller leaves once the dialogue has ended counts as completed, whatever the provider does then', async () => {
  for (const provider of ['keeps', 'cuts'] as const) {
    const go = gate();
    service.system.openai.respond({
      headers: eventStream, body: [...chatEvents, go.opened], ...(provider === 'cuts' ? { cutAt: { byte: 1e6, by: 'rst' as const } } : {}),
    });
    const connection = await calling({ project: `after-done-${provider}` });
    await connection.received(chatEvents.join('').length);
    connection.abort();
    await connection.ended;
    go.open();
    const [record] = await recordsOf(service, [`after-done-${provider}`]);
    assert.deepEqual([record?.outcome, record?.usage, record?.inputTokens], ['completed', 'reported', 7]);
  }
  await assertServes(service);
});

test('a half-close does not count as leaving: the whole answer is delivered, then the connection ends', async () => {
  const go = gate();
  service.system.openai.respond({ headers: eventStream, body: [chatEvents[0] ?? '', go.opened, ...chatEvents.slice(1)] });
  const connection = await calling({ project: 'half' });
  connection.halfClose();
  await connection.received(10);
  go.open();
  assert.equal((await connection.nextAnswer()).body.toString(), chatEvents.join(''));
  assert.equal(await endOf(connection, 'half-close'), 'fin');
  assert.equal((await recordsOf(service, ['half']))[0]?.outcome, 'completed');
});

test('a caller who half-closes before its key is known to the node is still given up after the time limit', async () => {
  const { system } = service;
  const organization = await system.createOrganization('half-closers');
  await system.connectProvider('openai', organization.id);
  assert.equal((await system.cli(['org', 'set', organization.id, '--drain', '1', '--json'])).code, 0);
  const { key } = await system.createKey({ organization: organization.id });
  system.openai.respond('silence');
  const connection = await RawConnection.open(system.gatewayUrl);
  connection.send(`GET /v1/models HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`);
  connection.halfClose();
  await endOf(connection, 'a silent provider');
  const [record] = await system.calls({ organization: organization.id, count: 1 });
  assert.deepEqual([record?.outcome, record?.usage], ['caller_gone', 'none']);
  await assertServes(service);
});

test('a caller who leaves with pipelined calls waiting: each is recorded once and no provider connection stays open', async () => {
  const { openai } = service.system;
  const go = gate();
  const open = openai.openConnections;
  openai.respond(({ target }) => (target.endsWith('large')
    ? { headers: [['content-type', 'text/plain']], body: Buffer.alloc(8 * 1024 * 1024, 'x') }
    : { headers: eventStream, body: ['data: x\n\n', go.opened] }));
  const connection = await RawConnection.open(service.system.gatewayUrl);
  const projects = ['pipe-0', 'pipe-1-large', 'pipe-2-large', 'pipe-3'];
  const heard = openai.requests.length;
  // In one write: calls that come one by one are also served one by one (decision 0042).
  connection.send(Buffer.concat(projects.map((project) => {
    const target = project.endsWith('large') ? '/v1/responses/large' : '/v1/responses';
    return requestBytes({ target, headers: named(service, project), body: '{}' }, 'x');
  })));
  await eventually(() => openai.requests.length >= heard + projects.length, 'the pipeline at the provider');
  await connection.received(5);
  connection.abort();
  await connection.ended;
  const records = await recordsOf(service, projects);
  assert.deepEqual(records.map(({ outcome }) => outcome), projects.map(() => 'caller_gone'));
  go.open();
  await eventually(() => openai.openConnections <= open, 'the providers are let go');
  await assertServes(service);
});

test('a caller who pipelines a call and leaves: that is noticed at once, and the second call does not begin', async () => {
  const { openai } = service.system;
  const open = openai.openConnections;
  openai.respond('silence');
  const heard = openai.nextRequest();
  const connection = await calling({ target: '/v1/responses', project: 'ahead', body: '{}' });
  await heard;
  await connection.sendAll(requestBytes({ target: '/v1/responses', headers: named(service, 'behind'), body: '{}' }, 'x'));
  connection.abort();
  await connection.ended;
  const [record] = await recordsOf(service, ['ahead']);
  assert.deepEqual([record?.outcome, record?.usageReason], ['caller_gone', 'caller_gone']);
  await eventually(() => openai.openConnections <= open, 'the provider is let go');
  await assertServes(service);
  await assertNoRecordOf(service, ['behind']);
});

test('a caller who stops reading slows the provider and takes no memory, and its leaving is recorded', async () => {
  const { openai } = service.system;
  openai.respond({ headers: [['content-type', 'text/plain']], body: Buffer.alloc(48 * 1024 * 1024, 'x') });
  const connection = await calling({ target: '/v1/responses', project: 'stopped', body: '{}' });
  const before = openai.bytesWritten;
  connection.stopReading();
  await eventually(() => openai.bytesWritten > before, 'the first bytes');
  let seen = -1;
  while (seen !== openai.bytesWritten) {
    seen = openai.bytesWritten;
    await service.system.cli(['org', 'list', '--json']);
  }
  assert.ok(seen - before < 40 * 1024 * 1024, `${seen - before} bytes were taken for a caller who reads none`);
  connection.abort();
  const [record] = await recordsOf(service, ['stopped']);
  assert.deepEqual([record?.outcome, record?.usage], ['caller_gone', 'unknown']);
  await assertServes(service);
});
