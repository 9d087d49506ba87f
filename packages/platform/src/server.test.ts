/** The platform listens on its configured address, serves its app and the tap's endpoint there, and closes. Rules: Platform HTTP. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { freshSqlite, password, platformFixture, type PlatformFixture } from './http/test-support/platform-fixture.ts';
import { startPlatform, type Platform } from './server.ts';

const place = freshSqlite();
let context: PlatformFixture;
let platform: Platform;
let url: string;
const report = (fault: unknown): void => assert.fail(fault as Error);
before(async () => {
  context = await platformFixture(place.url);
  platform = await startPlatform({ host: '127.0.0.1', port: 0 }, { partsAt: () => context.parts, report });
  url = `http://127.0.0.1:${platform.port}`;
});
after(async () => {
  await context.end();
  place.remove();
});

test('a page at /, a JSON 404 where there is nothing, the tap beside them; security headers on all of the app', async () => {
  const front = await fetch(url);
  assert.match(await front.text(), /Metergate/);
  const missing = await fetch(`${url}/platform/v1/nothing`);
  assert.deepEqual([missing.status, await missing.json()], [404, { error: { code: 'not_found', message: 'There is nothing at this address.' } }]);
  const refused = await fetch(`${url}/platform/v1/keys`);
  for (const answer of [front, missing, refused]) {
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
  }
  assert.equal((await fetch(`${url}/tap/v1/events`, { method: 'POST', body: '{}' })).status, 401);
});

test('the eleventh wrong password from one address is 429 with Retry-After, and the right one then too', async () => {
  const { emails } = await context.organization('acme');
  const signIn = (given: string) => fetch(`${url}/platform/v1/auth/sign-in/email`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ email: emails.owner, password: given }),
  });
  const statuses: number[] = [];
  for (let count = 0; count < 10; count += 1) statuses.push((await signIn('wrong')).status);
  assert.deepEqual([...new Set(statuses)], [401]);
  const late = await signIn(password);
  assert.equal(late.status, 429);
  assert.match(late.headers.get('retry-after') ?? '', /^\d+$/);
});

/** Sends these bytes as they are; resolves with everything received until the connection ends. */
function said(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(platform.port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (text: string) => { heard += text; }).on('error', reject).on('close', () => resolve(heard));
  });
}

test('requests that others may read differently are refused before any route, and the connection ends', async () => {
  const refused: [string, string, number][] = [
    ['GET http://evil.example/limits HTTP/1.1', 'Host: a', 400], ['GET /limits HTTP/1.1', 'Host: a\r\nHost: b', 400],
    ['GET /limits HTTP/1.1', 'X-No: host', 400], ['GET /limits HTTP/1.1', 'Host: a<b>', 400], ['GET /limits HTTP/1.1', 'Host: [::', 400],
    ['OPTIONS * HTTP/1.1', 'Host: a', 400], ['POST /limits HTTP/1.1', 'Host: a\r\nContent-Length: 010', 400],
    ['GET /tap/v1/../../limits HTTP/1.1', 'Host: a', 404], ['GET /tap/%2E%2e/limits HTTP/1.1', 'Host: a', 404],
    ['GET /a\\limits HTTP/1.1', 'Host: a', 404],
  ];
  for (const [line, headers, status] of refused) {
    const answer = await said(`${line}\r\n${headers}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), line);
    assert.match(answer, /\{"error":\{"code":"(?:invalid_request|not_found)","message":"[^"]+/, line);
  }
  assert.match(await said('GET /limits?from=/../ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'), /^HTTP\/1.1 200 /);
});

test("a taken address is the system's error, which the start puts into words; a closed server accepts nothing", async () => {
  await assert.rejects(startPlatform({ host: '127.0.0.1', port: platform.port }, { partsAt: () => context.parts, report }), { code: 'EADDRINUSE' });
  await platform.close(0);
  await assert.rejects(fetch(url));
});

test('requests that come while the app loads share it; if loading fails, that is a 500 and reported, and the next request tries again', async (t) => {
  const told: unknown[] = [];
  let asked = 0;
  const late = await startPlatform({ host: '127.0.0.1', port: 0 }, {
    report: (fault) => void told.push(fault),
    partsAt: async () => {
      asked += 1;
      if (asked === 1) throw new Error('no room');
      return context.parts;
    },
  });
  t.after(() => late.close(0));
  const ask = () => fetch(`http://127.0.0.1:${late.port}/platform/v1/nothing`);
  const first = await ask();
  assert.deepEqual([first.status, ((await first.json()) as { error: { code: string } }).error.code, told.length], [500, 'internal_error', 1]);
  const statuses = await Promise.all([ask(), ask(), ask()]);
  assert.deepEqual([statuses.map(({ status }) => status), asked, told.length], [[404, 404, 404], 2, 1]);
});
