/** A single caller's connection: what it reads, what it leaves to Node's server, and its time limits (decision 0042). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { eventually } from '@metergate/testkit/eventually.ts';
import { hasRequestParser } from '../http-parser/request-parser.ts';
import { CallerConnection, type UsualCallers } from './caller-connection.ts';
import { ArrivingRequest } from './arriving-request.ts';
import type { CallerResponse } from './caller-exchange.ts';
import { createConnections } from './connections.ts';
import { leaveToOthers, readShared } from './shared-input.ts';
import { SetClock } from './test-support/set-clock.ts';
import { WholeRequest } from './whole-request.ts';
import { resetSocket } from '@metergate/store/network/reset-socket.ts';

/** Longer than any machine takes that is merely busy. */
const patienceMs = 60_000;

/** A server whose connections are read here, and one caller of it. */
async function start(t: TestContext) {
  const [clock, momentClock] = [new SetClock(), new SetClock()];
  const served: { request: WholeRequest; response: CallerResponse }[] = [];
  const arriving: { request: ArrivingRequest; response: CallerResponse }[] = [];
  const left: string[] = [];
  const callers: UsualCallers = {
    serve(request, response) {
      if (request instanceof WholeRequest) served.push({ request, response });
      else if (request instanceof ArrivingRequest) arriving.push({ request, response });
    },
    leaveToNode(socket) {
      const at = left.push('') - 1;
      socket.on('data', (chunk: Buffer) => { left[at] += chunk.toString('latin1'); });
    },
    clock, momentClock,
    limits: { firstRequestMs: 15_000, keepAliveMs: 75_000, silenceMs: 960_000, momentMs: 100, bodyMs: 3_600_000 },
    keptBytes: 0,
  };
  const connections = createConnections();
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    const connection = connections.of(socket);
    connection.reader = new CallerConnection(callers, connection);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caller = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  let heard = '';
  caller.on('data', (chunk: Buffer) => { heard += chunk.toString('latin1'); });
  await once(caller, 'connect');
  t.after(() => {
    caller.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // At every turn: some of what is awaited lasts for no more than a few.
  const until = async (holds: () => boolean): Promise<void> => {
    for (const untilMs = performance.now() + patienceMs; !holds();) {
      assert.ok(performance.now() < untilMs, `It never came to this: ${holds.toString()}`);
      await turn();
    }
  };
  await until(() => sockets.length === 1);
  const [socket] = sockets as [Socket];
  return { caller, served, arriving, left, callers, clock, momentClock, socket, until, heard: () => heard, connection: connections.of(socket) };
}

const head = 'POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n';
const usual = `${head}Content-Length: 2\r\n\r\nok`;

function answer({ response }: { readonly response: CallerResponse }, body = 'yes'): void {
  response.writeHead(200, 'OK', ['content-length', String(body.length)]);
  response.end(body);
}

test('this Node has the parser, and it reads requests as it should', () => assert.equal(hasRequestParser, true));

test('usual requests are served one after the other, whole, in whatever pieces they come within a moment', async (t) => {
  const { caller, served, left, callers, until, heard, socket } = await start(t);
  caller.write(usual);
  await until(() => served.length === 1);
  const { request } = served[0]!;
  assert.deepEqual([request.method, request.url, request.rawHeaders, request.content?.toString()],
    ['POST', '/v1/messages', ['Host', 'x', 'Connection', 'keep-alive', 'Content-Length', '2'], 'ok']);
  answer(served[0]!);
  await until(() => heard().endsWith('yes'));
  for (const byte of usual) {
    const { bytesRead } = socket;
    caller.write(byte);
    await until(() => socket.bytesRead > bytesRead);
  }
  await until(() => served.length === 2);
  assert.deepEqual([served[1]!.request.content?.toString(), callers.keptBytes, left], ['ok', 0, []]);
  answer(served[1]!, 'again');
  await until(() => heard().endsWith('again'));
});

test('an unusual request is left to Node with all its bytes, after the requests before it were served', async (t) => {
  for (const unusual of [
    'GET / HTTP/1.0\r\n\r\n', `${head}Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n`, `${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 'HEAD / HTTP/1.1\r\nHost: x\r\n\r\n', usual + usual,
    'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n', 'no HTTP\r\n\r\n', `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n`,
    `${head}X: ${'x'.repeat(20_000)}`, 'CONNECT a:1 HTTP/1.1\r\n\r\n', `${head}TE: trailers\r\n\r\n`, `${usual}GET / HT`,
  ]) {
    const { caller, served, left, callers, until, clock, momentClock } = await start(t);
    caller.write(usual);
    await until(() => served.length === 1);
    answer(served[0]!);
    caller.write(unusual);
    await until(() => left[0]?.length === unusual.length);
    assert.deepEqual([left[0], served.length, callers.keptBytes, clock.watched.size, momentClock.watched.size], [unusual, 1, 0, 0, 0]);
    caller.write('more');
    await until(() => left[0]!.length > unusual.length);
    assert.equal(left[0], `${unusual}more`);
  }
});

test('a request whose head has not come whole within a moment is left to Node', async (t) => {
  const { caller, left, callers, until, momentClock } = await start(t);
  caller.write(usual.slice(0, -4));
  await until(() => callers.keptBytes > 0);
  momentClock.pass(50);
  assert.deepEqual(left, []);
  momentClock.pass(50);
  await until(() => left[0] === usual.slice(0, -4));
  assert.equal(callers.keptBytes, 0);
});

/** Collects the body of a request that is served while it comes. */
function bodyOf({ request }: { readonly request: ArrivingRequest }): { text: string; ended: boolean } {
  const body = { text: '', ended: false };
  request.on('data', (chunk: Buffer) => { body.text += chunk.toString('latin1'); }).on('end', () => { body.ended = true; });
  return body;
}

test('a body that has not come whole within a moment, or is long, is served while it comes', async (t) => {
  const slow = await start(t);
  slow.caller.write(usual.slice(0, -1));
  await slow.until(() => slow.callers.keptBytes > 0);
  slow.momentClock.pass(100);
  await slow.until(() => slow.arriving.length === 1);
  assert.deepEqual([slow.callers.keptBytes, slow.left, slow.arriving[0]!.request.complete], [0, [], false]);
  const body = bodyOf(slow.arriving[0]!);
  slow.caller.write(`k${usual}`);
  await slow.until(() => body.ended);
  assert.deepEqual([body.text, slow.arriving[0]!.request.complete, slow.served.length], ['ok', true, 0]);
  answer(slow.arriving[0]!, 'first');
  await slow.until(() => slow.served.length === 1);
  answer(slow.served[0]!, 'second');
  await slow.until(() => slow.heard().endsWith('second'));
  const long = await start(t);
  const sent = 'x'.repeat(1024 * 1024);
  long.caller.write(`${head}Content-Length: ${sent.length}\r\n\r\n`);
  await long.until(() => long.arriving.length === 1);
  const whole = bodyOf(long.arriving[0]!);
  long.caller.write(sent + usual);
  await long.until(() => whole.ended);
  assert.equal(whole.text, sent);
  answer(long.arriving[0]!);
  await long.until(() => long.served.length === 1);
  assert.deepEqual(long.left, []);
});

test('if nobody reads a body, no more of it comes in than may wait', async (t) => {
  const { caller, arriving, until, socket } = await start(t);
  const sent = Buffer.alloc(8 * 1024 * 1024, 'x');
  caller.write(`${head}Content-Length: ${sent.length}\r\n\r\n`);
  caller.write(sent);
  await until(() => socket.isPaused());
  for (let turns = 0; turns < 50; turns += 1) await turn();
  assert.ok(socket.bytesRead < 256 * 1024, `${socket.bytesRead} bytes`);
  const body = bodyOf(arriving[0]!);
  await until(() => body.ended);
  assert.equal(body.text.length, sent.length);
});

test('what is left of the body of a request that was answered is read away, and the next request is served', async (t) => {
  const { caller, arriving, served, until, heard } = await start(t);
  const sent = 'x'.repeat(1024 * 1024);
  caller.write(`${head}Content-Length: ${sent.length}\r\n\r\n`);
  await until(() => arriving.length === 1);
  answer(arriving[0]!, 'early');
  await until(() => heard().endsWith('early'));
  caller.write(sent + usual);
  await until(() => served.length === 1);
  answer(served[0]!, 'later');
  await until(() => heard().endsWith('later'));
});

test('a caller who leaves, half-closes or takes more than an hour within a body that is being served', async (t) => {
  const part = `${head}Content-Length: 100000\r\n\r\nx`;
  const left = await start(t);
  left.caller.write(part);
  await left.until(() => left.arriving.length === 1);
  resetSocket(left.caller);
  await left.until(() => left.arriving[0]!.request.destroyed);
  assert.equal(left.arriving[0]!.request.complete, false);
  const half = await start(t);
  half.caller.end(part);
  await once(half.caller, 'end');
  assert.match(half.heard(), /^HTTP\/1\.1 400 /);
  const begun = await start(t);
  begun.caller.write(part);
  await begun.until(() => begun.arriving.length === 1);
  begun.arriving[0]!.response.writeHead(200, 'OK', ['content-length', '9']);
  begun.arriving[0]!.response.write('yes');
  await begun.until(() => begun.heard().endsWith('yes'));
  begun.caller.end();
  await begun.until(() => begun.socket.destroyed);
  const late = await start(t);
  late.caller.write(part);
  await late.until(() => late.arriving.length === 1);
  for (let minute = 0; minute < 60; minute += 1) {
    const { bytesRead } = late.socket;
    assert.equal(late.heard(), '');
    late.caller.write('x');
    await late.until(() => late.socket.bytesRead > bytesRead);
    late.clock.pass(60_000);
  }
  await once(late.caller, 'end');
  assert.match(late.heard(), /^HTTP\/1\.1 408 /);
});

test('a request behind one that is not answered waits and is served then', async (t) => {
  const { caller, served, left, callers, until, heard } = await start(t);
  caller.write(usual);
  await until(() => served.length === 1);
  caller.write(usual.replace('ok', 'no'));
  await until(() => callers.keptBytes > 0);
  assert.equal(served.length, 1);
  answer(served[0]!, 'first');
  await until(() => served.length === 2);
  answer(served[1]!, 'second');
  await until(() => heard().endsWith('second'));
  assert.deepEqual([served[1]!.request.content?.toString(), callers.keptBytes, left], ['no', 0, []]);
  assert.ok(heard().indexOf('first') < heard().indexOf('second'));
});

test('a caller who sends more before it is answered is still seen to leave', async (t) => {
  for (const leaves of ['reset', 'end'] as const) {
    const { caller, served, until, callers, socket } = await start(t);
    caller.write(usual);
    await until(() => served.length === 1);
    caller.write(usual);
    await until(() => callers.keptBytes > 0);
    if (leaves === 'reset') resetSocket(caller);
    else caller.end();
    await until(() => leaves === 'reset' ? socket.destroyed && callers.keptBytes === 0 : socket.readableEnded);
  }
});

test('a request behind another comes in pieces, which are one when its turn comes', async (t) => {
  const { caller, served, left, callers, until, socket, heard } = await start(t);
  caller.write(usual);
  await until(() => served.length === 1);
  for (const piece of [usual.slice(0, 20), '\r\n', ...Array<string>(30).fill('x')]) {
    const { bytesRead } = socket;
    caller.write(piece);
    await until(() => socket.bytesRead > bytesRead);
  }
  assert.ok(callers.keptBytes >= 52 && callers.keptBytes < 104, 'they take no more than twice their length');
  answer(served[0]!, 'first');
  await until(() => left.length === 1 && left[0]!.length === 52);
  assert.deepEqual([left[0], callers.keptBytes], [`${usual.slice(0, 20)}\r\n${'x'.repeat(30)}`, 0]);
  assert.match(heard(), /first$/);
});

test('a caller who sends more behind a call than is kept has its answer, as the last, and is still seen to leave', async (t) => {
  for (const leaves of ['answered', 'reset', 'end'] as const) {
    const { caller, served, until, callers, socket, clock, heard } = await start(t);
    caller.write(usual);
    await until(() => served.length === 1);
    const { bytesRead } = socket;
    const flood = Buffer.alloc(5 * 1024 * 1024, usual);
    caller.write(flood);
    await until(() => callers.keptBytes > 0);
    await until(() => callers.keptBytes === 0 && socket.isPaused());
    assert.ok(socket.bytesRead - bytesRead < 1.5 * 1024 * 1024, 'no more than a mebibyte of it is read in a second');
    const over = once(caller, 'close');
    if (leaves === 'reset') resetSocket(caller);
    else if (leaves === 'end') caller.end();
    else answer(served[0]!, 'only');
    if (leaves === 'reset') await over;
    if (leaves === 'answered') {
      await until(() => heard().endsWith('only'));
      caller.end();
      await until(() => socket.destroyed);
    }
    while (!socket.destroyed && !socket.readableEnded) {
      clock.pass(1_000);
      await turn();
    }
    assert.deepEqual([served.length, callers.keptBytes], [1, 0]);
  }
});

test('requests behind a call from before the caller half-closed are answered, and the last one says so', async (t) => {
  const { caller, served, callers, until, socket, heard } = await start(t);
  caller.write(usual);
  await until(() => served.length === 1);
  caller.end(usual.replace('ok', 'no'));
  await until(() => socket.readableEnded);
  answer(served[0]!, 'first');
  await until(() => served.length === 2);
  answer(served[1]!, 'second');
  await once(caller, 'end');
  assert.deepEqual([heard().match(/first|second/g), callers.keptBytes], [['first', 'second'], 0]);
});

test('what is asked behind a call and is not usual, or not whole, before the caller half-closes is left to Node, or refused', async (t) => {
  const two = await start(t);
  two.caller.write(usual);
  await two.until(() => two.served.length === 1);
  two.caller.end(usual + usual);
  await two.until(() => two.socket.readableEnded);
  let ends = 0;
  two.socket.on('end', () => { ends += 1; });
  answer(two.served[0]!);
  await two.until(() => two.left.length === 1);
  assert.deepEqual([two.left[0], ends, two.callers.keptBytes], [usual + usual, 1, 0]);
  const part = await start(t);
  part.caller.write(usual);
  await part.until(() => part.served.length === 1);
  part.caller.end(usual.slice(0, -1));
  await part.until(() => part.socket.readableEnded);
  answer(part.served[0]!);
  await once(part.caller, 'end');
  assert.deepEqual([part.heard().match(/HTTP\/1\.1 \d+/g), part.callers.keptBytes], [['HTTP/1.1 200', 'HTTP/1.1 400'], 0]);
});

test('a caller who half-closes gets its answer, marked as the last; within a request it gets a refusal', async (t) => {
  const whole = await start(t);
  whole.caller.end(usual);
  await whole.until(() => whole.served.length === 1 && whole.socket.readableEnded);
  answer(whole.served[0]!, 'last');
  await once(whole.caller, 'end');
  assert.match(whole.heard(), /last$/);
  const part = await start(t);
  part.caller.end(usual.slice(0, -1));
  await once(part.caller, 'end');
  assert.match(part.heard(), /^HTTP\/1\.1 400 /);
  assert.equal(part.callers.keptBytes, 0);
});

test('limits: 15 s for the first byte, 75 s between requests, 16 minutes of silence within an answer, each from the last progress', async (t) => {
  const fresh = await start(t);
  fresh.clock.pass(14_999);
  fresh.clock.pass(1);
  await once(fresh.caller, 'end');
  assert.match(fresh.heard(), /^HTTP\/1\.1 408 /);
  const kept = await start(t);
  kept.caller.write(usual);
  await kept.until(() => kept.served.length === 1);
  assert.equal(kept.connection.reader!.isIdle, false);
  kept.clock.pass(900_000);
  kept.served[0]!.response.writeHead(200, 'OK', ['content-length', '4']);
  kept.served[0]!.response.write('ye');
  kept.clock.pass(1_000);
  kept.clock.pass(900_000);
  kept.served[0]!.response.end('s!');
  await kept.until(() => kept.heard().endsWith('yes!'));
  assert.equal(kept.connection.reader!.isIdle, true);
  kept.clock.pass(74_999);
  assert.equal(kept.socket.destroyed, false);
  kept.clock.pass(1);
  assert.equal(kept.socket.destroyed, true);
  const silent = await start(t);
  silent.caller.write(usual);
  await silent.until(() => silent.served.length === 1);
  silent.clock.pass(960_000);
  assert.equal(silent.socket.destroyed, true);
});

test('past what all connections may keep, no request is waited for, and one behind another ends its connection', async (t) => {
  const pieces = await start(t);
  pieces.callers.keptBytes = 8 * 1024 * 1024;
  pieces.caller.write(usual.slice(0, -4));
  await pieces.until(() => pieces.left.length === 1);
  const body = await start(t);
  body.callers.keptBytes = 8 * 1024 * 1024;
  body.caller.write(usual.slice(0, -1));
  await body.until(() => body.arriving.length === 1);
  const behind = await start(t);
  behind.caller.write(usual);
  await behind.until(() => behind.served.length === 1);
  behind.callers.keptBytes = 8 * 1024 * 1024;
  const { bytesRead } = behind.socket;
  behind.caller.write(usual);
  await behind.until(() => behind.socket.bytesRead > bytesRead);
  answer(behind.served[0]!, 'only');
  await Promise.race([once(behind.caller, 'end'), once(behind.caller, 'error')]);
  assert.equal(behind.served.length, 1);
});

test('a socket without the fields of a shared buffer is read all the same, and no more once that is stopped', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = await once(server, 'connection') as [Socket];
  t.after(() => {
    caller.destroy();
    server.close();
  });
  Object.assign((socket as Socket & { _handle: object })._handle, { useUserBuffer: undefined });
  const pieces: string[] = [];
  readShared(socket, { take: (bytes) => pieces.push(bytes.toString()) < 2, ended() {}, closed() {} });
  caller.write('one');
  await eventually(() => pieces.length >= 1);
  caller.write('two');
  await eventually(() => pieces.length >= 2);
  assert.equal(socket.isPaused(), true);
  leaveToOthers(socket);
  socket.resume();
  const rest = once(socket, 'data');
  caller.write('three');
  assert.deepEqual([String((await rest)[0]), pieces], ['three', ['one', 'two']]);
});

test('a caller that does not read its answers is not served further until it does', async (t) => {
  const { caller, served, until, heard, socket } = await start(t);
  caller.pause();
  const long = 'x'.repeat(16 * 1024 * 1024);
  caller.write(usual);
  await until(() => served.length === 1);
  answer(served[0]!, long);
  const { bytesRead } = socket;
  caller.write(usual);
  for (let turns = 0; turns < 50; turns += 1) await turn();
  assert.deepEqual([served.length, socket.bytesRead - bytesRead], [1, 0]);
  caller.resume();
  await until(() => served.length === 2);
  answer(served[1]!, 'second');
  await until(() => heard().endsWith('second'));
});

test('an answer that is still being sent is not cut: not to make room, and not when the node ends', async (t) => {
  const { caller, served, until, heard, connection: { reader }, socket } = await start(t);
  caller.pause();
  caller.write(usual);
  await until(() => served.length === 1);
  answer(served[0]!, 'x'.repeat(16 * 1024 * 1024));
  assert.equal(reader!.isIdle, false);
  reader!.closeIfIdle();
  caller.write(usual);
  for (let turns = 0; turns < 50; turns += 1) await turn();
  assert.equal(socket.destroyed, false);
  caller.resume();
  await once(caller, 'end');
  assert.equal(heard().length, heard().indexOf('\r\n\r\n') + 4 + 16 * 1024 * 1024);
  assert.equal(served.length, 1, 'a connection that ends takes no request');
});

test('a connection that ends is closed even if its caller never reads the rest', async (t) => {
  const { caller, served, until, socket, clock } = await start(t);
  caller.pause();
  caller.end(usual);
  await until(() => served.length === 1 && socket.readableEnded);
  answer(served[0]!, 'x'.repeat(16 * 1024 * 1024));
  clock.pass(1_000);
  clock.pass(959_000);
  assert.equal(socket.destroyed, false);
  clock.pass(1_000);
  assert.equal(socket.destroyed, true);
  clock.pass(1_000);
  assert.equal(clock.watched.size, 0);
});

test('empty lines behind a request that is served are no request, and its caller is still seen to leave', async (t) => {
  const { caller, served, until, callers, socket } = await start(t);
  caller.write(usual);
  await until(() => served.length === 1);
  const { bytesRead } = socket;
  caller.write('\r\n');
  await until(() => socket.bytesRead > bytesRead);
  assert.equal(callers.keptBytes, 0);
  resetSocket(caller);
  await until(() => socket.destroyed);
});

test('a first request that comes slowly has 15 s from when its caller connected, not from when it was left to Node', async (t) => {
  const slow = await start(t);
  slow.clock.pass(10_000);
  slow.caller.write('POST /v1');
  await slow.until(() => slow.callers.keptBytes > 0);
  slow.momentClock.pass(100);
  slow.clock.pass(4_999);
  assert.equal(slow.heard(), '');
  slow.clock.pass(1);
  await once(slow.caller, 'end');
  assert.match(slow.heard(), /^HTTP\/1\.1 408 /);
  await slow.until(() => slow.socket.destroyed);
  slow.clock.pass(1_000);
  assert.equal(slow.clock.watched.size, 0);
  const asked = await start(t);
  asked.caller.write('POST /v1');
  await asked.until(() => asked.callers.keptBytes > 0);
  asked.momentClock.pass(100);
  asked.connection.hasAsked = true;
  asked.clock.pass(15_000);
  assert.deepEqual([asked.clock.watched.size, asked.socket.destroyed], [0, false]);
});

test('thousands of requests in chunks behind each other are copied a few times, and not each with all that come behind it', async (t) => {
  const { caller, arriving, callers, until } = await start(t);
  const one = 'POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';
  const count = 2_000;
  const copies = t.mock.method(Buffer.prototype, 'copy');
  caller.write(one.repeat(count));
  for (let answered = 0; answered < count; answered += 1) {
    await until(() => arriving.length > answered);
    arriving[answered]!.request.resume();
    answer(arriving[answered]!, 'y');
  }
  let copied = 0;
  for (const { result } of copies.mock.calls as readonly { readonly result: unknown }[]) copied += Number(result);
  assert.ok(copied < 8 * count * one.length, `${copied} bytes of ${count * one.length}`);
  await until(() => callers.keptBytes === 0);
});

test('what comes while requests are read that were kept is kept behind them, however it comes', async (t) => {
  const { caller, arriving, callers, socket, until } = await start(t);
  const body = (at: number): string => `${at} ${'x'.repeat(at * 7 % 300)}`;
  const request = (at: number): string => {
    const text = body(at);
    return `POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  };
  const count = 600;
  let sent = 0;
  const send = async (more: number): Promise<void> => {
    const before = socket.bytesRead;
    const text = Array.from({ length: Math.min(more, count - sent) }, () => request(sent++)).join('');
    if (text === '') return;
    caller.write(text);
    await until(() => socket.bytesRead >= before + text.length);
  };
  await send(100);
  for (let at = 0; at < count; at += 1) {
    await until(() => arriving.length > at);
    const chunks: Buffer[] = [];
    arriving[at]!.request.on('data', (chunk: Buffer) => chunks.push(chunk));
    await until(() => arriving[at]!.request.readableEnded);
    assert.equal(Buffer.concat(chunks).toString(), body(at));
    if (at % 3 === 0) await send(at % 50);
    answer(arriving[at]!, 'y');
    if (at === sent - 1) await send(50);
  }
  await until(() => callers.keptBytes === 0);
});
