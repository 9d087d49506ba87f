/**
 * The destination against a peer whose every byte is scripted: requests are sent as given, answers are received as sent, and
 * every way in which a provider can break ends in one fault. Rules: Forwarding.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { Destination, DestinationTimeouts } from './destination.ts';
import { ask, listen, startRawPeer, type OnHead, type RawPeer } from './test-support/raw-peer.ts';
import type { DestinationOptions } from './destination-options.ts';
import { createSocketDestination } from './socket-destination.ts';
import { createUndiciDestination } from './undici-destination.ts';
import { resetSocket } from '@metergate/store/network/reset-socket.ts';

const patient: DestinationTimeouts = { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 };
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const opened: (() => Promise<void>)[] = [];
after(async () => { for (const close of opened.reverse()) await close(); });

const clients: Readonly<Record<string, (options: DestinationOptions) => Destination>> = {
  'the client of our own': createSocketDestination,
  'undici, the reference': createUndiciDestination,
};

Object.entries(clients).forEach(([client, createDestination]) => describe(client, () => {
  async function peerAnd(onHead: OnHead, timeouts = patient): Promise<{ peer: RawPeer; destination: Destination }> {
    const peer = await startRawPeer(onHead);
    const destination = createDestination({ origin: peer.origin, timeouts, guard: null });
    opened.push(() => peer.close(), () => destination.close());
    return { peer, destination };
  }

  /** A peer that answers each request with these bytes; `then` ends the connection in order or by reset. */
  function answering(bytes: string | Buffer, then: 'keep' | 'fin' | 'rst' = 'keep', timeouts = patient): ReturnType<typeof peerAnd> {
    return peerAnd((socket) => socket.write(bytes, 'latin1', () => finish(socket, then)), timeouts);
  }

  /** A peer that says nothing by itself and gives its sockets away. */
  async function holding(): Promise<{ peer: RawPeer; destination: Destination; sockets: Socket[] }> {
    const sockets: Socket[] = [];
    return { ...await peerAnd((socket) => sockets.push(socket)), sockets };
  }

  /** Waits, turn by turn, until the peer's first connection has received `text`. */
  async function arrival(peer: RawPeer, text: string): Promise<void> {
    for (;;) {
      if (peer.received[0]?.includes(text)) return;
      await turn();
    }
  }

  /** Lets the client take note of an end: one turn of the event loop. */
  function turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  function finish(socket: Socket, how: 'keep' | 'fin' | 'rst'): void {
    if (how === 'fin') socket.end();
    if (how === 'rst') resetSocket(socket);
  }

  describe('what the destination receives', () => {
    it('is the header list as given: order, case, duplicates, empty values and obs-text bytes, after Host', async () => {
      const { peer, destination } = await answering(ok);
      const headers = ['X-b', '2', 'x-A', '1', 'X-B', '3', 'X-Empty', '', 'X-Obs', 'caf\xe9 \xff', 'aCCept', '*/*', 'x-A', '1'];
      await ask(destination, { target: '/v1/models?a=%2F&b=\xe9', headers });
      assert.equal(peer.received[0]!.toString('latin1'), [
        'GET /v1/models?a=%2F&b=\xe9 HTTP/1.1', `host: 127.0.0.1:${peer.port}`, 'connection: keep-alive',
        'X-b: 2', 'x-A: 1', 'X-B: 3', 'X-Empty: ', 'X-Obs: caf\xe9 \xff', 'aCCept: */*', 'x-A: 1', '', '',
      ].join('\r\n'));
    });

    for (const method of ['GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND', 'QUERY', 'M-SEARCH', 'purge', 'TRACE']) {
      it(`keeps the method ${method}, with a whole body in its own length`, async () => {
        const { peer, destination } = await peerAnd((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
        const heard = await ask(destination, { method, target: '/x', body: Buffer.from('hello'), contentLength: 5 });
        assert.equal(heard.ending, 'end');
        assert.match(peer.received[0]!.toString(), new RegExp(`^${method} /x HTTP/1\\.1\r\n[^]*content-length: 5\r\n\r\nhello$`));
      });
      it(`keeps the method ${method} without a body`, async () => {
        const { peer, destination } = await peerAnd((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
        assert.equal((await ask(destination, { method })).ending, 'end');
        assert.match(peer.received[0]!.toString(), new RegExp(`^${method} / HTTP/1\\.1\r\n[^]*\r\n\r\n$`));
      });
    }

    it('is a streamed body with the declared length, no byte changed', async () => {
      const { peer, destination, sockets } = await holding();
      const body = new PassThrough();
      const heard = ask(destination, { method: 'POST', body, contentLength: 6 });
      body.write('abc');
      await arrival(peer, 'abc');
      body.end('def');
      await arrival(peer, 'def');
      sockets[0]!.write(ok);
      assert.equal((await heard).ending, 'end');
      assert.match(peer.received[0]!.toString(), /content-length: 6\r\n\r\nabcdef$/);
    });

    it('is a streamed body without a length in chunks', async () => {
      const { peer, destination, sockets } = await holding();
      const body = new PassThrough();
      const heard = ask(destination, { method: 'POST', body });
      body.write('abc');
      await arrival(peer, 'abc');
      body.end('def');
      await arrival(peer, '0\r\n\r\n');
      sockets[0]!.write(ok);
      assert.equal((await heard).ending, 'end');
      const sent = peer.received[0]!.toString();
      assert.match(sent, /transfer-encoding: chunked\r\n\r\n/);
      assert.equal(dechunk(sent.slice(sent.indexOf('\r\n\r\n') + 4)), 'abcdef');
    });

    it('never sees a request that the client cannot write: fault protocol, reported after send returned, and no connection', async () => {
      const { peer, destination } = await answering(ok);
      const bad = [
        { headers: ['bad name', 'x'] }, { headers: ['x', 'a\r\nb: c'] }, { headers: ['expect', '100-continue'] }, { target: '/a b' },
        { method: 'BAD METHOD' }, { method: 'CONNECT' }, { headers: ['x', 'Ā'] }, { target: 'x' },
        { headers: ['transfer-encoding', 'chunked'] },
      ];
      for (const request of bad) {
        const { heard, exchange } = listen(destination, request);
        exchange.pause();
        assert.equal((await heard).ending, 'protocol', JSON.stringify(request));
      }
      assert.equal(peer.connections, 0);
    });

    it('goes out once: neither redirects nor 503 with Retry-After are followed', async () => {
      const { peer, destination } = await answering('HTTP/1.1 302 Found\r\nLocation: /other\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n');
      assert.equal((await ask(destination)).status, 302);
      assert.equal(peer.received[0]!.toString().split('HTTP/1.1').length, 2);
    });

    it('comes directly, whatever proxy variables say', async () => {
      const proxy = await startRawPeer((socket) => socket.end(ok));
      const { destination, peer } = await answering(ok);
      const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
      for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : proxy.origin;
      try {
        assert.equal((await ask(destination)).status, 200);
      } finally {
        for (const name of names) delete process.env[name];
        await proxy.close();
      }
      assert.deepEqual([peer.connections, proxy.connections], [1, 0]);
    });
  });

  describe('what the observer receives', () => {
    it('is the head as sent: order, case, duplicates, obs-text, reason, odd names', async () => {
      const { destination } = await answering(
        'HTTP/1.1 299 Very  Odd\xe9\r\nX-b: 2\r\nSet-Cookie: a\r\nx-A: caf\xe9\xff\r\n'
        + 'Set-Cookie: b\r\n__proto__: x\r\nconstructor: y\r\nEmpty:\r\nContent-Length: 0\r\n\r\n',
      );
      const heard = await ask(destination);
      assert.equal(heard.status, 299);
      assert.deepEqual(heard.headers, [
        'X-b', '2', 'Set-Cookie', 'a', 'x-A', 'caf\xe9\xff', 'Set-Cookie', 'b', '__proto__', 'x', 'constructor', 'y', 'Empty', '',
        'Content-Length', '0',
      ]);
      assert.equal(heard.reason, 'Very  Odd\xe9');
    });

    it('is the reason phrase byte for byte, also of the second answer on a connection, in pieces, empty or after interim ones', async () => {
      const reasons = ['\xc3\xa9 \x80\xff', 'Ol\xe9', '', '\xef\xbf\xbf', 'plain'];
      const { peer, destination } = await peerAnd(async (socket, _n, head) => {
        const reason = reasons[Number(head.slice(5, 6))]!;
        for (const piece of ['HTTP/1.1 103 Ear\xe9\r\n\r\nHTTP/1.1 200 ', ...reason, '\r\nContent-Length: 2\r\n\r\nok']) {
          await new Promise((sent) => socket.write(piece, 'latin1', sent));
          await turn();
        }
      });
      for (const [at, reason] of reasons.entries()) {
        const heard = await ask(destination, { target: `/${at}` });
        assert.deepEqual([heard.status, heard.reason, heard.ending], [200, reason, 'end']);
      }
      assert.equal(peer.received.length, 1);
    });

    it('is nothing for an unrequested 100, at once, late, twice or in pieces; the connection is used again', async () => {
      const go = 'HTTP/1.1 100 Continue\r\n\r\n';
      for (const interim of [go, go + go, `HTTP/1.1 100\r\nX-A: b\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${go}`]) {
        const { peer, destination } = await peerAnd(async (socket) => {
          for (const piece of [interim.slice(0, 11), interim.slice(11), ok]) {
            await new Promise((sent) => socket.write(piece, sent));
            await turn();
          }
        });
        for (let call = 0; call < 2; call += 1) {
          const heard = await ask(destination, { method: 'POST', body: Buffer.from('x') });
          assert.deepEqual([heard.status, heard.reason, String(heard.body), heard.ending], [200, 'OK', 'ok', 'end']);
        }
        assert.equal(peer.received.length, 1);
      }
    });

    it('is a fault protocol for a 100 without end, and one that nobody awaits reaches no later exchange', async () => {
      const endless = await answering('HTTP/1.1 100 Continue\r\n\r\n'.repeat(5_000) + ok);
      assert.deepEqual([(await ask(endless.destination)).ending], ['protocol']);
      const { destination } = await answering(`${ok}HTTP/1.1 100 Continue\r\n\r\n`);
      for (let call = 0; call < 3; call += 1) assert.deepEqual(String((await ask(destination)).body), 'ok');
    });

    it('is every final status from 200 to 999, and a body of any of them', async () => {
      const { destination } = await peerAnd((socket, _n, head) => {
        socket.write(`HTTP/1.1 ${head.slice(5, 8)} X\r\nContent-Length: 2\r\n\r\nok`);
      });
      for (const status of [200, 201, 206, 299, 300, 400, 401, 404, 429, 500, 503, 599, 600, 999]) {
        const heard = await ask(destination, { target: `/${status}` });
        assert.deepEqual([heard.status, String(heard.body), heard.ending], [status, 'ok', 'end']);
      }
    });

    it('is nothing of interim responses, a thousand of them', async () => {
      const { destination } = await answering(
        'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1_000) + 'HTTP/1.1 102 Processing\r\n\r\n' + ok,
      );
      const heard = await ask(destination);
      assert.deepEqual([heard.status, heard.headers, String(heard.body)], [200, ['Content-Length', '2'], 'ok']);
    });

    it('is a fault protocol for interim responses without end', async () => {
      const { destination } = await answering('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(5_000) + ok);
      assert.deepEqual([(await ask(destination)).ending], ['protocol']);
    });

    it('is the body without its trailers (V12)', async () => {
      const { destination } = await answering(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nok\r\n0\r\nX-T: 1\r\n\r\n',
      );
      const heard = await ask(destination);
      assert.deepEqual([heard.ending, String(heard.body)], ['end', 'ok']);
    });

    it('is whole whatever framing stands in its trailers', async () => {
      const trailers = ['Content-Length: 5', 'X: y\r\ncontent-length: 2', 'Transfer-Encoding: gzip', 'Connection: close', 'Upgrade: x'];
      for (const trailer of trailers) {
        for (const chunk of ['2\r\nok\r\n', '2;a=b\r\nok\r\n']) {
          const { destination } = await answering(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n${trailer}\r\n\r\n`);
          const heard = await ask(destination);
          assert.deepEqual([heard.ending, String(heard.body)], ['end', 'ok'], `${trailer}, ${chunk}`);
        }
      }
    });

    const whole: [string, string, 'keep' | 'fin' | 'rst', string][] = [
      ['V5: no length, ended by FIN', 'HTTP/1.1 200 OK\r\n\r\nhello', 'fin', 'hello'],
      ['V7: RST after the full body', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'rst', 'hello'],
      ['V10: 204 that announces a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', 'keep', ''],
      ['V10: 304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', 'keep', ''],
      ['V11: an error body', 'HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}', 'keep', '{}'],
      ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nold', 'fin', 'old'],
    ];
    for (const [name, bytes, then, body] of whole) {
      it(`is a whole response: ${name}`, async () => {
        const { destination } = await answering(bytes, then);
        const heard = await ask(destination);
        assert.deepEqual([heard.ending, String(heard.body)], ['end', body]);
      });
    }

    it('is only the head for HEAD, whatever length it announces', async () => {
      const { destination } = await answering('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n');
      const heard = await ask(destination, { method: 'HEAD' });
      assert.deepEqual([heard.ending, heard.status, heard.headers, heard.body.length], ['end', 200, ['Content-Length', '500'], 0]);
    });

    const broken: [string, string, 'keep' | 'fin' | 'rst', RegExp, number | null, string][] = [
      ['V1: closed before the head', '', 'fin', /^reset$/, null, ''],
      ['V1: half a status line', 'HTTP/1.1 2', 'fin', /^(reset|protocol)$/, null, ''],
      ['V1: reset within the head', 'HTTP/1.1 200 OK\r\nContent', 'rst', /^reset$/, null, ''],
      ['V4: a length and too few bytes', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello', 'fin', /^(reset|protocol)$/, 200, 'hello'],
      ['V4: chunks without the last one', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n', 'fin',
        /^(reset|protocol)$/, 200, 'hello'],
      ['V4: cut within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello', 'fin', /^(reset|protocol)$/, 200,
        'hello'],
      ['V9: length and chunked', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', 'keep',
        /^protocol$/, null, ''],
      ['V9: two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok', 'keep', /^protocol$/, null, ''],
      ['V9: a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\nok', 'keep', /^protocol$/, null, ''],
      ['V9: bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', 'keep', /^protocol$/, null, ''],
      ['V9: not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'keep', /^protocol$/, null, ''],
      ['V9: a head over 16 KiB', `HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(17 * 1024)}\r\nContent-Length: 0\r\n\r\n`, 'keep', /^protocol$/,
        null, ''],
      ['V9: 101 unasked', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n', 'keep', /^protocol$/,
        null, ''],
      ['V9: 101 without its fields', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'keep', /^protocol$/, null, ''],
      ['U10: status 099', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', 'keep', /^protocol$/, null, ''],
      ['U10: status 000', 'HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n', 'keep', /^protocol$/, null, ''],
      ['U10: status 1000', 'HTTP/1.1 1000 Odd\r\nContent-Length: 0\r\n\r\n', 'keep', /^protocol$/, null, ''],
      ['a bad chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n', 'keep', /^protocol$/, 200, ''],
    ];
    for (const [name, bytes, then, ending, status, body] of broken) {
      it(`is one fault: ${name}`, async () => {
        const { destination, peer } = await answering(bytes, then);
        const heard = await ask(destination);
        assert.match(heard.ending, ending);
        assert.deepEqual([heard.status, String(heard.body)], [status, body]);
        await peer.closed();
        assert.equal(peer.connections, 1);
      });
    }

    it('is one fault if the connection is reset after the head with no body byte (V3)', async () => {
      const sockets: Socket[] = [];
      const { destination } = await peerAnd((socket) => {
        sockets.push(socket);
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n');
      });
      const { heard, head } = listen(destination);
      await head;
      resetSocket(sockets[0]!);
      assert.deepEqual([(await heard).status, (await heard).ending, (await heard).body.length], [200, 'reset', 0]);
    });

    for (const [name, head] of [
      ['no length', 'HTTP/1.1 200 OK\r\n'], ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n'], ['no length, closing', 'HTTP/1.1 200 OK\r\nConnection: close\r\n'],
      ['a length, closing', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n'],
      ['chunks, closing', 'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n'],
    ] as const) {
      it(`is a fault if the connection is reset within the body, never its end: ${name}`, async () => {
        const { destination, sockets } = await holding();
        const arrived = Promise.withResolvers<void>();
        const { heard } = listen(destination, {}, () => arrived.resolve());
        await eventually(() => sockets.length > 0);
        sockets[0]!.write(`${head}\r\n${head.includes('chunked') ? '5\r\nhello\r\n' : 'hello'}`);
        await arrived.promise;
        resetSocket(sockets[0]!);
        assert.deepEqual([(await heard).status, (await heard).ending, String((await heard).body)], [200, 'reset', 'hello']);
      });
    }

    it('is connect if nothing listens (V1) and if the name does not resolve', async () => {
      const { peer, destination } = await answering(ok);
      await peer.close();
      assert.equal((await ask(destination)).ending, 'connect');
      const unknown = createDestination({ origin: 'http://no-such-host.invalid:1', timeouts: patient, guard: null });
      assert.equal((await ask(unknown)).ending, 'connect');
      await unknown.close();
    });

    it('is connect if the peer speaks no TLS, and no request byte is sent (U11)', async () => {
      const peer = await startRawPeer(() => {}, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
      const destination = createDestination({ origin: peer.origin.replace('http:', 'https:'), timeouts: patient, guard: null });
      assert.equal((await ask(destination, { target: '/secret' })).ending, 'connect');
      assert.ok(!peer.received[0]!.includes('/secret'));
      await destination.close();
      await peer.close();
    });

    it('is timeout if the head does not come (V2), and if the body stalls (V8, U15)', async () => {
      const silent = await peerAnd(() => {}, { ...patient, headMs: 40 });
      assert.equal((await ask(silent.destination)).ending, 'timeout');
      const stalled = await answering('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello', 'keep', { ...patient, idleBodyMs: 40 });
      const heard = await ask(stalled.destination);
      assert.deepEqual([heard.status, heard.ending, String(heard.body)], [200, 'timeout', 'hello']);
    });
  });

  describe('connections', () => {
    it('are used again after a whole response, never for two exchanges at once', async () => {
      const { peer, destination } = await answering(ok);
      for (let n = 0; n < 5; n++) {
        assert.equal((await ask(destination)).ending, 'end');
        await turn();
      }
      assert.equal(peer.connections, 1);
      await Promise.all(Array.from({ length: 4 }, () => ask(destination)));
      assert.equal(peer.connections, 4);
    });

    it('that the destination closed while idle are not written to (V13, the orderly part)', async () => {
      const { peer, destination } = await answering(ok, 'fin');
      assert.equal((await ask(destination)).ending, 'end');
      await peer.closed();
      assert.equal((await ask(destination)).ending, 'end');
      assert.equal(peer.connections, 2);
    });

    it('that die as the next request is written fail that call once: nothing is sent twice (V13)', async () => {
      let requests = 0;
      const { peer, destination } = await peerAnd((socket) => {
        if (++requests === 2) resetSocket(socket);
        else socket.write(ok);
      });
      assert.equal((await ask(destination)).ending, 'end');
      await turn();
      assert.equal((await ask(destination)).ending, 'reset');
      assert.deepEqual([requests, peer.connections], [2, 1]);
    });

    it('carry the calls of one key alone', async () => {
      const { peer, destination } = await answering(ok);
      for (const keyId of ['a', 'b', 'a', 'c', 'b', 'a']) {
        assert.equal((await ask(destination, { keyId })).ending, 'end');
        await turn();
      }
      assert.equal(peer.connections, 3);
    });

    it('bring an answer that comes too late to no call of another key', async () => {
      const sockets = new Map<string, Socket>();
      const { peer, destination } = await peerAnd((socket, _n, head) => {
        const path = head.split(' ')[1]!;
        sockets.set(path, socket);
        if (path !== '/waits') socket.write(named('1', path));
      });
      assert.equal(String((await ask(destination, { keyId: 'a', target: '/first' })).body), '/first');
      await turn();
      const { heard } = listen(destination, { keyId: 'b', target: '/waits' });
      await eventually(() => sockets.has('/waits'));
      sockets.get('/first')!.write(named('2', '/late'));
      sockets.get('/waits')!.write(named('3', '/waits'));
      assert.equal(String((await heard).body), '/waits');
      assert.equal(String((await ask(destination, { keyId: 'a', target: '/next' })).body), '/next');
      assert.equal(peer.connections, 3, 'the late answer ended the connection that it came on');
    });

    it('are not used again after an answer with the name of the one before it: one that comes twice displaces one answer', async () => {
      for (const name of ['X-Request-Id', 'request-id']) {
        // The second request is answered by the first answer once more. What is its own comes when a third one is there, and so on.
        const { peer, destination } = await peerAnd((socket, n, head) => {
          const at = Math.max(1, n - 1);
          socket.write(peer.connections > 1 ? named('9', head.split(' ')[1]!, name) : named(String(at), `/${at}`, name));
        });
        const heard: string[] = [];
        for (const target of ['/1', '/2', '/3', '/4']) {
          heard.push(String((await ask(destination, { target })).body));
          await turn();
        }
        assert.deepEqual(heard, ['/1', '/1', '/3', '/4']);
      }
    });

    it('are used again after answers that all have the same name, where that tells nothing: new connections bring it too', async () => {
      const { peer, destination } = await answering(named('always', 'ok'));
      for (let n = 0; n < 6; n++) {
        assert.equal((await ask(destination)).ending, 'end');
        await turn();
      }
      assert.equal(peer.connections, 2, 'the second was dialled in doubt');
    });

    it('are used again after answers whose names differ, or which have none', async () => {
      let count = 0;
      const { peer, destination } = await peerAnd((socket) => socket.write(count++ % 3 === 2 ? ok : named(String(count), 'ok')));
      for (let n = 0; n < 7; n++) {
        assert.equal((await ask(destination)).ending, 'end');
        await turn();
      }
      assert.equal(peer.connections, 1);
    });

    it('never pass an unrequested answer to the next caller, also while the process is busy (U6)', async () => {
      const injected = 'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nINJECTED';
      const { destination } = await peerAnd((socket, _n, head) => {
        const path = head.split(' ')[1]!;
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}${Number(path.slice(1)) % 2 === 0 ? injected : ''}`);
        if (Number(path.slice(1)) % 3 === 0) socket.write(injected);
      });
      for (let round = 0; round < 300; round++) {
        const heard = await ask(destination, { target: `/${round}` });
        if (heard.ending === 'end') assert.equal(String(heard.body), `/${round}`);
        for (const until = performance.now() + 0.3; performance.now() < until;);
      }
    });

    it('are closed by abort: before the head, within the body, and before there is one; failed is reported once, at once', async () => {
      const { peer, destination } = await peerAnd((socket, _n, head) => {
        if (head.startsWith('GET /body')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello');
      });
      const early = listen(destination);
      early.exchange.abort();
      early.exchange.abort();
      assert.equal((await early.heard).ending, 'aborted');
      const body = listen(destination, { target: '/body' });
      await body.head;
      body.exchange.abort();
      assert.deepEqual([(await body.heard).status, (await body.heard).ending], [200, 'aborted']);
      body.exchange.resume();
      await peer.closed();
      assert.ok(peer.received.every((bytes) => !bytes.includes('GET / ')), 'the call given up before its connection was never sent');
    });

    it('end with close: idle ones now, busy ones when their exchange ends', async () => {
      const sockets: Socket[] = [];
      const { peer, destination } = await peerAnd((socket) => {
        sockets.push(socket);
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no');
      });
      const { heard, head } = listen(destination);
      await head;
      const closed = destination.close();
      assert.equal((await ask(destination)).ending, 'connect');
      sockets[0]!.write('k');
      assert.equal(String((await heard).body), 'ok');
      await closed;
      await peer.closed();
    });
  });

  describe('backpressure', () => {
    it('holds the destination back while the caller does not read, in bounded memory, and loses no byte', async () => {
      const total = 64 * 1024 * 1024;
      let written = 0;
      const piece = Buffer.alloc(64 * 1024, 'x');
      const stuck = Promise.withResolvers<void>();
      const { destination } = await peerAnd((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`);
        const pump = (): void => {
          while (written < total) {
            written += piece.length;
            if (!socket.write(piece)) { stuck.resolve(); return void socket.once('drain', pump); }
          }
        };
        pump();
      });
      const listening = listen(destination, {}, () => { if (paused) listening.exchange.pause(); });
      let paused = true;
      await listening.head;
      await stuck.promise;
      for (let turns = 0; turns < 200; turns++) await turn();
      assert.ok(listening.bodyBytes() <= 256 * 1024, `${listening.bodyBytes()} bytes came although paused`);
      assert.ok(written < 32 * 1024 * 1024, `${written} bytes were taken although paused`);
      paused = false;
      listening.exchange.resume();
      const heard = await listening.heard;
      assert.deepEqual([heard.ending, heard.body.length], ['end', total]);
    });

    it('does not count a pause of the caller as silence of the destination', async () => {
      const hasty = { ...patient, idleBodyMs: 30 };
      const { destination } = await answering('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello', 'keep', hasty);
      const other = await peerAnd(() => {}, { ...patient, headMs: 120 });
      const listening = listen(destination, {}, () => listening.exchange.pause());
      await listening.head;
      const sentinel = await ask(other.destination); // lasts four idle limits
      assert.equal(sentinel.ending, 'timeout');
      let over = false;
      void listening.heard.finally(() => { over = true; });
      await turn();
      assert.equal(over, false);
      listening.exchange.resume();
      assert.equal((await listening.heard).ending, 'timeout');
    });

    it('holds the caller back while the destination does not read, in bounded memory', async () => {
      const stopped = Promise.withResolvers<Socket>();
      const { destination } = await peerAnd((socket) => { socket.pause(); stopped.resolve(socket); });
      let made = 0;
      const total = 48 * 1024 * 1024;
      const body = new Readable({
        read() {
          made += 64 * 1024;
          this.push(Buffer.alloc(64 * 1024, 'y'));
          if (made >= total) this.push(null);
        },
      });
      const { heard, exchange } = listen(destination, { method: 'POST', body, contentLength: total });
      await stopped.promise;
      let before = -1;
      for (let still = 0; still < 50; still = made === before ? still + 1 : 0, before = made) await turn();
      assert.ok(made < 32 * 1024 * 1024, `${made} bytes were read although nobody took them`);
      exchange.abort();
      assert.equal((await heard).ending, 'aborted');
      assert.equal(body.destroyed, false);
    });
  });

  describe('a request body that is a stream', () => {
    it('gets a connection when it begins: what came in on a kept one before is not its answer', async () => {
      const sockets: Socket[] = [];
      const { peer, destination } = await peerAnd((socket, n, head) => {
        sockets.push(socket);
        socket.write(named(String(n), head.split(' ')[1]!));
      });
      assert.equal(String((await ask(destination, { target: '/first' })).body), '/first');
      const body = new PassThrough();
      const { heard } = listen(destination, { method: 'POST', target: '/slow', body, contentLength: 3 });
      for (let turns = 0; turns < 5; turns++) await turn();
      sockets[0]!.write(named('2', '/late'));
      await peer.closed();
      body.end('abc');
      assert.equal(String((await heard).body), '/slow');
      assert.equal(peer.connections, 2);
      assert.match(peer.received[1]!.toString(), /\r\n\r\nabc$/);
    });

    it('is sent over a kept connection once it begins, whole, even if it ends without a byte', async () => {
      const { peer, destination } = await answering(ok);
      for (const text of ['abc', '', 'd'.repeat(200_000)]) {
        const body = new PassThrough();
        const heard = ask(destination, { method: 'POST', body, contentLength: text.length });
        await turn();
        body.end(text);
        assert.equal((await heard).ending, 'end');
        await turn();
      }
      assert.equal(peer.connections, 1);
    });

    it('that breaks ends the exchange and closes the connection (C2)', async () => {
      const { peer, destination } = await peerAnd(() => {});
      const body = new PassThrough();
      const { heard } = listen(destination, { method: 'POST', body, contentLength: 100 });
      body.write('abc');
      await arrival(peer, 'abc');
      body.destroy(new Error('gone'));
      assert.equal((await heard).ending, 'aborted');
      await peer.closed();
    });

    it('that is destroyed without an error, or before the connection is there, ends the exchange too', async () => {
      const { destination } = await peerAnd(() => {});
      const silent = new PassThrough();
      const first = ask(destination, { method: 'POST', body: silent, contentLength: 100 });
      silent.destroy();
      assert.equal((await first).ending, 'aborted');
      const gone = new PassThrough();
      gone.destroy();
      assert.equal((await ask(destination, { method: 'POST', body: gone })).ending, 'aborted');
    });

    it('shorter than declared ends the exchange: no second request can hide in it', async () => {
      const { destination } = await peerAnd(() => {});
      const body = Readable.from([Buffer.from('abc')]);
      assert.equal((await ask(destination, { method: 'POST', body, contentLength: 10 })).ending, 'aborted');
    });

    it('stays the caller\'s: an early answer does not destroy it', async () => {
      const { destination } = await answering('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
      const body = new PassThrough();
      const heard = ask(destination, { method: 'POST', body, contentLength: 1_000 });
      body.write('abc');
      assert.deepEqual([(await heard).status, (await heard).ending], [413, 'end']);
      assert.equal(body.destroyed, false);
    });
  });
}));

/** An answer whose body says whose it is. */
function named(id: string, body: string, name = 'x-request-id'): string {
  return `HTTP/1.1 200 OK\r\n${name}: ${id}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function dechunk(text: string): string {
  let out = '';
  for (let at = 0; at < text.length;) {
    const line = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, line), 16);
    out += text.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
    if (size === 0) break;
  }
  return out;
}
