/**
 * Bodies far larger than any buffer (spec: What the service does 4; rules: Forwarding): 20 MB up and 60 MB down with bounded memory,
 * usage found at the very end, and backpressure both ways: a slow reader slows the provider, not the memory.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { eventuallyHolds } from '@metergate/testkit/eventually.ts';
import { RawConnection, rawCall } from '@metergate/testkit/raw-client.ts';
import { bearer, requestIdOf, serviceForFile } from '../running-product.ts';
import { bytesInKernel } from './kernel-queues.ts';

const service = serviceForFile();
const megabyte = 1024 * 1024;
/** What one large call may add to the product's resident memory: far under its body, far above what its buffers need. */
const growthBytesMax = 48 * megabyte;
/** How much of one call the gateway and the two ends of the test, one of which does not read, may hold: some buffers of 64 KB each. */
const heldBytesMax = megabyte / 2;
/** The same including the kernel's buffers, on systems that do not report those. */
const elsewhereBytesMax = 40 * megabyte;

/** Samples the product's resident memory until stopped; the largest growth over the first sample, 0 if it cannot be read. */
function watchMemory(): () => number {
  const first = service.system.residentBytes() ?? 0;
  let highest = first;
  const timer = setInterval(() => { highest = Math.max(highest, service.system.residentBytes() ?? 0); }, 10);
  return () => {
    clearInterval(timer);
    return highest - first;
  };
}

/** A 60 MB embeddings answer whose usage is its last member. */
function embeddingsBody(): Buffer {
  const vector = JSON.stringify({ object: 'embedding', index: 0, embedding: Array.from({ length: 1536 }, (_, at) => at / 7919) });
  const count = Math.ceil((60 * megabyte) / vector.length);
  const data = Array.from({ length: count }, () => vector).join(',');
  const usage = '{"prompt_tokens":123457,"total_tokens":123457}';
  return Buffer.from(`{"object":"list","model":"text-embedding-3-large","data":[${data}],"usage":${usage}}`);
}

test('20 MB up on every kind of route: the bytes arrive, memory stays bounded where nothing must be held', { timeout: 120_000 }, async () => {
  const body = Buffer.concat([Buffer.from('{"model":"m","messages":["'), Buffer.alloc(20 * megabyte, 'x'), Buffer.from('"]}')]);
  for (const target of ['/v1/responses', '/v1/messages', '/v1/chat/completions']) {
    const provider = target === '/v1/messages' ? service.system.anthropic : service.system.openai;
    provider.respond({ headers: [['content-type', 'application/json']], body: '{}' });
    const heard = provider.nextRequest();
    const stopWatching = watchMemory();
    const answer = await rawCall(service.system.gatewayUrl, { target, headers: [bearer(service.key)], body });
    assert.equal(answer.status, 200);
    assert.ok((await heard).body.equals(body), target);
    const growth = stopWatching();
    if (target !== '/v1/chat/completions') assert.ok(growth < growthBytesMax, `${target}: ${growth} bytes more`);
    provider.requests.length = 0;
  }
});

test('60 MB down: the bytes are the provider\'s, memory stays bounded, and usage at the end is recorded', { timeout: 120_000 }, async () => {
  const body = embeddingsBody();
  service.system.openai.respond({ headers: [['content-type', 'application/json']], body });
  const wanted = createHash('sha256').update(body).digest('hex');
  const download = async () => {
    const connection = await RawConnection.open(service.system.gatewayUrl, { keepBodies: false });
    const digest = createHash('sha256');
    let headBytes = -1;
    connection.socket.on('data', (chunk: Buffer) => {
      // The first chunk also holds the head; everything after its empty line is body.
      const from = headBytes === -1 ? chunk.indexOf('\r\n\r\n') + 4 : 0;
      headBytes = 0;
      digest.update(chunk.subarray(from));
    });
    const stopWatching = watchMemory();
    const answer = await connection.call({ target: '/v1/embeddings', headers: [bearer(service.key)], body: '{"input":"x"}' });
    assert.equal(connection.bytesReceived, body.length);
    assert.equal(digest.digest('hex'), wanted);
    return { connection, answer, growth: stopWatching() };
  };
  // The first call also fills the heap's space for young objects; the second shows what a call itself takes.
  await (await download()).connection.close();
  const { connection, answer, growth } = await download();
  assert.ok(growth < growthBytesMax, `${growth} bytes more`);
  const id = requestIdOf(answer);
  const record = (await service.system.callsById([id])).get(id);
  assert.deepEqual([record?.usage, record?.inputTokens, record?.responseBytes], ['reported', 123_457, body.length]);
  await connection.close();
});

test('a reader that stops reading stops the provider, and gets everything once it reads again', { timeout: 120_000 }, async (t) => {
  const body = Buffer.alloc(60 * megabyte, 'y');
  const { openai } = service.system;
  openai.respond({ headers: [['content-type', 'application/octet-stream']], body });
  const connection = await RawConnection.open(service.system.gatewayUrl, { keepBodies: false });
  t.after(() => connection.close());
  const before = openai.bytesWritten;
  const stopWatching = watchMemory();
  const answer = connection.call({ method: 'GET', target: '/v1/files/f/content', headers: [bearer(service.key)] });
  await connection.nextHead();
  connection.stopReading();
  await assertHeld(connection, () => openai.bytesWritten - before - connection.bytesReceived);
  assert.ok(stopWatching() < growthBytesMax);
  connection.readOn();
  assert.equal((await answer).whole, true);
  assert.equal(connection.bytesReceived, body.length);
});

test('a provider that stops reading stops the caller, and gets everything once it reads again', { timeout: 120_000 }, async (t) => {
  const body = Buffer.alloc(60 * megabyte, 'z');
  const { openai } = service.system;
  openai.respond({ headers: [['content-type', 'application/json']], body: '{}' });
  openai.stopReading(true);
  const connection = await RawConnection.open(service.system.gatewayUrl);
  t.after(() => {
    openai.stopReading(false);
    return connection.close();
  });
  const stopWatching = watchMemory();
  const heard = openai.nextRequest();
  const before = openai.bytesRead;
  const headers = `Host: x\r\nAuthorization: Bearer ${service.key}\r\nContent-Length: ${body.length}`;
  connection.send(`POST /v1/files HTTP/1.1\r\n${headers}\r\n\r\n`);
  let sent = 0;
  const sending = (async (): Promise<void> => {
    for (let at = 0; at < body.length; at += 65_536) {
      await connection.sendAll(body.subarray(at, at + 65_536));
      sent += 65_536;
    }
  })();
  // In case this test fails before it awaits the answer.
  sending.catch(() => {});
  await assertHeld(connection, () => sent - (openai.bytesRead - before));
  assert.ok(stopWatching() < growthBytesMax);
  openai.stopReading(false);
  await sending;
  assert.equal((await heard).body.length, body.length);
  assert.equal((await connection.nextAnswer()).status, 200);
});

/**
 * Once nothing moves any more, compares what one end has sent and the other has not read (`between`) with what the gateway may hold. The
 * kernel's buffers are not counted: how much it accepts on a connection that nobody reads is its own decision. On a busy machine nothing may move
 * for a while before the kernel has what is on its way to it, so it is compared again.
 */
async function assertHeld(connection: RawConnection, between: () => number): Promise<void> {
  const ports = [connection.socket.localPort!, Number(new URL(service.system.openai.url).port)];
  await eventuallyHolds(async () => {
    const held = await standstill(() => between() - (bytesInKernel(ports) ?? 0));
    const inKernel = bytesInKernel(ports);
    assert.ok(held < (inKernel === null ? elsewhereBytesMax : heldBytesMax), `${held} bytes are held, beside ${inKernel} in the kernel`);
  });
}

/** The figure once it has not changed for a while: no event reports that nothing happens. */
async function standstill(figure: () => number): Promise<number> {
  const quietMs = 300;
  let last = -1;
  let since = performance.now();
  while (performance.now() - since < quietMs) {
    const now = figure();
    if (now !== last) {
      last = now;
      since = performance.now();
    }
    // The kernel's table of connections is long on a machine that runs tests.
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  return last;
}
