/**
 * In a browser: the first owner opens the one-time link, sets an email and a password, and is signed in. From then on the link is void; its
 * token leaves the page only in that one request, and the page loads nothing from elsewhere. Rule 16.
 * The browser comes from npm, for Linux on x64; elsewhere the routes' own tests check the same steps.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { password, startGround, type Ground } from '../dashboard/browser.ts';

const here = `${process.platform}-${process.arch}`;

if (here !== 'linux-x64') {
  test(`the browser's test of the first owner's page is for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  before(async () => { ground = await startGround(); });
  after(() => ground?.end());

  test('the first owner sets an email and a password by the one-time link and is signed in', async () => {
    const { system } = ground;
    const { link } = (await system.cli(['user', 'invite', '--org', 'default', '--role', 'owner', '--json'])).json() as { link: string };
    const token = link.split('#')[1]!;
    const page = await ground.visitor();
    const asked: string[] = [];
    const said: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`));
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    await page.goto(`${system.platformUrl}/join#${token}`);
    await page.locator('#email').waitFor();
    assert.equal(page.url(), `${system.platformUrl}/join`, 'the token is out of the address bar');

    await page.fill('#email', 'ada@example.com');
    await page.fill('#password', password);
    await page.fill('#again', `${password}!`);
    const setUp = page.getByRole('button', { name: 'Set up' });
    await setUp.click();
    await page.getByText('The two passwords are not the same.').waitFor();
    await page.fill('#password', 'short');
    await page.fill('#again', 'short');
    await setUp.click();
    await page.getByText('The password must have 12 to 256 characters.').waitFor();
    await page.fill('#password', password);
    await page.fill('#again', password);
    await setUp.click();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();

    const session = await page.evaluate(async () => (await fetch('/platform/v1/auth/session')).json() as Promise<Record<string, unknown>>);
    assert.deepEqual([session['email'], session['role']], ['ada@example.com', 'owner']);
    assert.equal(await page.evaluate('document.cookie'), '', 'no script sees the cookie');
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'metergate_session');
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.secure], [true, 'Strict', false]);
    const elsewhere = asked.filter((line) => !line.includes(` ${system.platformUrl}/`) && !line.includes(' data:'));
    assert.deepEqual(elsewhere, [], 'nothing comes from elsewhere');
    const accepting = `POST ${system.platformUrl}/platform/v1/auth/invitations/accept`;
    assert.deepEqual(asked.filter((line) => line.includes(token) && !line.startsWith(accepting)), []);
    // The only line that the browser itself logs is the 400 for the refused password.
    assert.deepEqual(said.filter((line) => !line.includes('400')), []);

    const second = await ground.stranger();
    await second.goto(`${system.platformUrl}/join#${token}`);
    await second.fill('#email', 'eve@example.com');
    await second.fill('#password', password);
    await second.fill('#again', password);
    await second.getByRole('button', { name: 'Set up' }).click();
    await second.getByText('This link is not valid').waitFor();
  });
}
