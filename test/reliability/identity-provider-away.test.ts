/**
 * The whole product starts whether or not its identity provider answers. If it does not, the log and the browser's page say so, and sign-in
 * by password still works. Rule 16.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSystem } from '@metergate/testkit/system.ts';
import { unusedPort } from '@metergate/testkit/unused-port.ts';

test('the product starts without its identity provider, says so once, and shows a page instead of it', async () => {
  // Nothing listens there, and nothing will.
  const away = `http://127.0.0.1:${await unusedPort()}`;
  const secret = 'a-client-secret-in-the-environment';
  const system = await startSystem({
    env: { SVC_OIDC_ISSUER: away, SVC_OIDC_CLIENT_ID: 'metergate', SVC_OIDC_CLIENT_SECRET: secret, SVC_OIDC_ROLE_CLAIM: 'groups' },
  });
  try {
    await system.says(/SVC_OIDC_ISSUER.*\n/);
    const told = system.stderr().split('\n').filter((line) => line.includes('SVC_OIDC_ISSUER'));
    assert.equal(told.length, 1, system.stderr());
    assert.match(told[0]!, /cannot be used, so nobody signs in by it until it can: ECONNREFUSED/);
    const page = await fetch(`${system.platformUrl}/platform/v1/auth/oidc/start`);
    assert.equal(page.status, 503);
    assert.match(await page.text(), /does not answer right now/);
    const ways = await fetch(`${system.platformUrl}/platform/v1/auth/ways`);
    assert.equal(((await ways.json()) as { openIdConnect: { name: string } }).openIdConnect.name, new URL(away).host);
  } finally {
    assert.equal(await system.stop(), 0);
  }
  assert.ok(!system.stderr().includes(secret));
});
