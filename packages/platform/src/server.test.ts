/** Held: the platform's skeleton listens where it is told, answers JSON where it has nothing, and closes. Design 5, Platform HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from './server.ts';

test('the platform answers a page at / and a JSON 404 elsewhere, with security headers on both', async () => {
  const platform = await startPlatform({ host: '127.0.0.1', port: 0 });
  try {
    const front = await fetch(platform.url);
    assert.equal(front.status, 200);
    assert.match(await front.text(), /Metergate/);
    const missing = await fetch(`${platform.url}/platform/v1/nothing`);
    assert.equal(missing.status, 404);
    assert.deepEqual(await missing.json(), { error: { code: 'not_found', message: 'There is nothing at this address.' } });
    for (const answer of [front, missing]) {
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    }
  } finally {
    await platform.close();
  }
  await assert.rejects(fetch(platform.url));
});

test('an address that is taken is the system\'s error, for the start to put into words', async () => {
  const platform = await startPlatform({ host: '127.0.0.1', port: 0 });
  try {
    await assert.rejects(startPlatform({ host: '127.0.0.1', port: platform.port }), { code: 'EADDRINUSE' });
  } finally {
    await platform.close();
  }
});
