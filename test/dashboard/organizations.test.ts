/**
 * In a real browser: a person who belongs to two organizations, in different roles. Whatever switches the session to the other organization, no
 * tab goes on under the name of the one before.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { call, openPage, password, startGround, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  let email: string;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  const organization = (of: Page, name: string) => of.getByRole('button', { name: `Organization: ${name}`, exact: true });
  const inMenu = (of: Page, name: string) => of.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });
  const note = (of: Page) => of.evaluate<string | null>("localStorage.getItem('metergate-signed-in')");
  const post = async (by: Page, path: string, data: object): Promise<Record<string, unknown>> => {
    const answer = await by.request.post(at(`/platform/v1${path}`), { data });
    assert.ok(answer.ok(), await answer.text());
    return await answer.json() as Record<string, unknown>;
  };
  /** Without what a document that is being left asks of its organization when the session is already for the other one. */
  const complaints = (): string[] => ground.complaints.splice(0).filter((line) => !/status of 404/.test(line));
  const choose = async (from: string, to: string): Promise<void> => {
    await organization(page, from).click();
    await page.getByRole('menuitem', { name: to }).click();
  };

  before(async () => {
    ground = await startGround();
    email = await ground.owner();
    const { key } = await ground.system.createKey();
    assert.equal((await call(ground.system, key)).status, 200);
    await ground.system.calls({ count: 1 });
    assert.equal((await ground.system.cli(['org', 'create', 'another'])).code, 0);
    const eve = ['user', 'create', '--email', 'eve@example.com', '--org', 'another', '--role', 'owner'];
    assert.equal((await ground.system.cli(eve, password)).code, 0);
    const { link } = await post(await ground.person('eve@example.com'), '/invitations', { email, role: 'viewer' });
    page = await ground.person(email, { reducedMotion: 'reduce' });
    const { organization: { id } } = await (await page.request.get(at('/platform/v1/auth/session'))).json() as { organization: { id: string } };
    await post(page, '/auth/invitations/accept', { token: String(link).split('#')[1] });
    await post(page, '/auth/organization', { organization: id });
  });
  after(async () => {
    await ground?.end();
  });

  test('a switch on the overview shows name, menu and figures of the other organization; an open tab follows, and both go back', async () => {
    const tab = await page.context().newPage();
    await openPage(tab, at('/caps?new=cap'));
    await openPage(page, at('/'));
    for (const each of [page, tab]) await organization(each, 'default').waitFor();
    await inMenu(page, 'Audit').waitFor();
    await page.locator('.focal').filter({ hasText: '$' }).waitFor();
    await choose('default', 'another');
    for (const each of [page, tab]) {
      await organization(each, 'another').waitFor();
      await each.getByText('No call in this time').waitFor();
      assert.equal(await inMenu(each, 'Audit').count(), 0);
      assert.equal(await each.locator('.focal').count(), 0);
      assert.equal(each.url(), at('/'));
    }
    await choose('another', 'default');
    for (const each of [page, tab]) {
      await organization(each, 'default').waitFor();
      await inMenu(each, 'Audit').waitFor();
      await each.locator('.focal').filter({ hasText: '$' }).waitFor();
    }
    await tab.close();
    assert.deepEqual(complaints(), []);
  });

  test('somebody who signs in again over a page goes on in the organization that the page shows', async () => {
    for (const [from, to, opened] of [['default', 'another', 'Runs'], ['another', 'default', 'Caps & limits']] as const) {
      await choose(from, to);
      await organization(page, to).waitFor();
      await page.context().clearCookies();
      await inMenu(page, opened).click();
      const again = page.getByRole('dialog', { name: 'Your session ended' });
      await again.getByRole('textbox', { name: 'Password' }).fill(password);
      await again.getByRole('button', { name: 'Sign in again' }).click();
      await again.waitFor({ state: 'hidden' });
      const { organization: { name } } = await (await page.request.get(at('/platform/v1/auth/session'))).json() as { organization: { name: string } };
      assert.equal(name, to);
      await organization(page, to).waitFor();
    }
    assert.deepEqual(complaints().filter((line) => !/status of 401/.test(line)), []);
  });

  test('a browser that signed out keeps no note of the session', async () => {
    assert.notEqual(await note(page), null);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await note(page), null);
  });
}
