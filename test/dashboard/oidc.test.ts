/**
 * In a real browser against the whole product and a real identity provider: the button on the sign-in page leads there and back to the
 * requested page, with a session that scripts cannot read; without a provider there is no button; a refusal is shown.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { oidcClient, startIdentityProvider, type TestIdentityProvider } from '@metergate/testkit/identity-provider.ts';
import { unusedPort } from '@metergate/testkit/unused-port.ts';
import { newMachine } from '../login/machine.ts';
import { axeFindings, openPage, startGround, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;

if (here !== 'linux-x64') {
  test(`the browser's tests are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let idp: TestIdentityProvider;
  let ground: Ground;
  before(async () => {
    // The provider knows where to send browsers before the product starts.
    const port = await unusedPort();
    const publicUrl = `http://127.0.0.1:${port}`;
    idp = await startIdentityProvider({ redirectUri: `${publicUrl}/platform/v1/auth/oidc/callback`, afterSignOut: `${publicUrl}/sign-in` });
    ground = await startGround({
      SVC_PLATFORM_PORT: String(port), SVC_OIDC_ISSUER: idp.issuer, SVC_OIDC_CLIENT_ID: oidcClient.id, SVC_OIDC_CLIENT_SECRET: oidcClient.secret,
      SVC_OIDC_ROLE_CLAIM: oidcClient.roleClaim,
    });
    assert.equal(ground.system.platformUrl, publicUrl);
    idp.people.set('ada', { email: 'ada@provided.example', email_verified: true, groups: ['staff', 'admin'] });
    idp.people.set('bob', { email: 'bob@provided.example', email_verified: true, groups: ['staff'] });
  });
  after(async () => {
    await ground?.end();
    await idp?.close();
  });
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  const button = /^Sign in with 127/;

  test('the button leads to the provider and back to the requested page, signed in', async () => {
    idp.next = 'ada';
    const page = await ground.stranger();
    await openPage(page, at('/keys'));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('link', { name: button }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('link', { name: button }).click();
    await page.getByRole('heading', { name: 'Identity provider' }).waitFor();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/keys');
    const cookies = await page.context().cookies(at('/'));
    const session = cookies.find(({ name }) => name === 'metergate_session')!;
    assert.deepEqual([session.httpOnly, session.sameSite], [true, 'Strict']);
    assert.ok(!cookies.some(({ name }) => name === 'metergate_sign_in'), 'what was carried there and back is gone');
    await page.reload();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await openPage(page, at('/members'));
    await page.getByRole('cell', { name: 'ada@provided.example', exact: true }).waitFor();
    assert.ok(ground.complaints.splice(0).every((line) => line.includes('401')), 'nobody was signed in at first');
  });

  test('a session that ended is renewed through the provider, on the page where it ended', async () => {
    idp.next = 'ada';
    const page = await ground.stranger();
    await openPage(page, at('/sign-in?to=/caps'));
    await page.getByRole('link', { name: button }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Caps & limits', level: 1 }).waitFor();
    await page.request.post(at('/platform/v1/auth/sign-out'));
    await page.getByRole('link', { name: 'Members' }).first().click();
    await page.getByText('Your session ended').waitFor();
    await page.getByRole('dialog').getByRole('link', { name: button }).click();
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/members');
    // Requests without a session were refused, which the browser reports.
    ground.complaints.length = 0;
  });

  test('signing out ends the session at the provider too, which then asks who signs in', async () => {
    idp.next = 'ada';
    const page = await ground.stranger();
    await openPage(page, at('/sign-in?to=/keys'));
    await page.getByRole('link', { name: button }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('link', { name: button }).click();
    await page.getByRole('heading', { name: 'Identity provider' }).waitFor();
    ground.complaints.length = 0;
  });

  test('an invitation is opened through the provider, and every way into the account is shown and can be ended', async () => {
    idp.next = 'ada';
    const invited = await ground.system.cli(['user', 'invite', '--org', 'default', '--role', 'viewer', '--email', 'ada@provided.example', '--json']);
    const { link } = invited.json() as { link: string };
    const page = await ground.stranger();
    await openPage(page, at(`/join#${link.split('#')[1]}`));
    await page.getByRole('link', { name: button }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Join as ada@provided.example' }).click();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await openPage(page, at('/settings?tab=you'));
    await page.getByText('Your only way to sign in').waitFor();
    await page.getByText('This session').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: /^End Session/ }).last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByText('The session ended.').or(page.getByRole('heading', { name: 'Sign in' })).first().waitFor();
    ground.complaints.length = 0;
  });

  test('metergate login: its page leads through the provider and back to the choice, by the machine\'s browser and by a code', async () => {
    idp.next = 'ada';
    const machine = newMachine();
    try {
      machine.write('.claude/settings.json', '{}\n');
      const login = machine.metergate('login', ground.system.platformUrl, '--yes');
      const page = await ground.stranger();
      const visited: string[] = [];
      page.on('framenavigated', (frame) => visited.push(frame.url()));
      const opened = await machine.opened();
      await page.goto(opened);
      await page.getByRole('link', { name: button }).click();
      await page.getByRole('link', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: /^Give .* a key of yours\?$/ }).waitFor();
      assert.equal(page.url(), opened, 'the same sign-in of the same machine');
      await page.getByText('ada@provided.example').first().waitFor();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('This machine has what it needs.').waitFor();
      const { code, stderr } = await login.ended;
      assert.equal(code, 0, stderr);
      assert.match(stderr, /Signed in as ada@provided\.example in default/);
      const key = /svc_live_\w{43}/.exec(readFileSync(join(machine.home, '.claude/settings.json'), 'utf8'))![0];
      assert.ok(visited.some((url) => url.startsWith(idp.issuer)) && visited.every((url) => !url.includes(key)), visited.join());
      assert.equal((await machine.metergate('logout', '--yes', '--end-key').ended).code, 0);

      await openPage(page, at('/settings'));
      await page.context().clearCookies({ domain: '127.0.0.1' });
      const byCode = machine.metergate('login', ground.system.platformUrl, '--code', '--yes');
      const [, typed] = await byCode.says(/\n {2}([A-Z]{4}-[A-Z]{4})\n/);
      await page.goto(at('/connect'));
      await page.getByRole('link', { name: button }).click();
      await page.getByRole('link', { name: 'Continue' }).click();
      await page.getByLabel('Code').fill(typed!);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('The machine has been allowed, for a minute.').waitFor();
      assert.equal((await byCode.ended).code, 0);
      const made = readFileSync(join(machine.home, '.claude/settings.json'), 'utf8');
      // The provider gives no role any more: whoever signs in then has no key either.
      idp.people.set('ada', { email: 'ada@provided.example', email_verified: true, groups: ['staff'] });
      await page.context().clearCookies({ domain: '127.0.0.1' });
      await page.goto(at('/sign-in'));
      await page.getByRole('link', { name: button }).click();
      await page.getByRole('link', { name: 'Continue' }).click();
      await page.getByText('gives you no role in Metergate').waitFor();
      const ended = /svc_live_\w{43}/.exec(made)![0];
      const answer = await fetch(at('/platform/v1/self'), { headers: { authorization: `Bearer ${ended}` } });
      assert.equal(answer.status, 401);
    } finally {
      idp.people.set('ada', { email: 'ada@provided.example', email_verified: true, groups: ['staff', 'admin'] });
      machine.remove();
    }
    const complaints = ground.complaints.splice(0);
    assert.ok(complaints.every((line) => /40[13]/.test(line)), complaints.join('\n'));
  });

  test('somebody without a role here learns why, and finds the way back', async () => {
    idp.next = 'bob';
    const page = await ground.stranger();
    await openPage(page, at('/sign-in'));
    await page.getByRole('link', { name: button }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByText('gives you no role in Metergate').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    const complaints = ground.complaints.splice(0);
    assert.ok(complaints.every((line) => line.includes('403')), complaints.join('\n'));
    await page.getByRole('link', { name: 'Back to signing in' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('the browser complained of nothing', () => assert.deepEqual(ground.complaints, []));
}
