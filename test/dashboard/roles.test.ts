/**
 * In a real browser, as a viewer and as a member: no page, and no form that an address opens, asks the platform for anything that the role may not
 * have; a page that the role does not open says so calmly; an id that leads nowhere is no fault to try again.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { followTo, openPage, password, settled, startGround, type Ground } from './browser.ts';
import { pagePaths } from './pages.ts';

const here = `${process.platform}-${process.arch}`;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  before(async () => { ground = await startGround(); });
  after(async () => { await ground?.end(); });

  const forms = ['/caps?new=cap', '/alerts?new=webhook', '/members?new=invitation', '/runs?new=grant', '/keys?new=key'];
  const nowhere = [`/calls?call=req_${'0'.repeat(32)}`, '/runs?run=nope', '/refusals?id=nope', '/keys?id=nope', '/no/such/page'];

  for (const role of ['viewer', 'member'] as const) {
    test(`a ${role} is refused nothing on any page`, async () => {
      const email = `${role}@example.com`;
      const made = await ground.system.cli(['user', 'create', '--email', email, '--org', 'default', '--role', role], password);
      assert.equal(made.code, 0, made.stderr);
      const page = await ground.person(email, { reducedMotion: 'reduce' });
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() >= 400) refused.push(`${new URL(page.url()).pathname}: ${response.status()} ${new URL(response.url()).pathname}`);
      });
      const at = (path: string): string => `${ground.system.platformUrl}${path}`;
      await openPage(page, at('/settings?tab=organization'));
      for (const path of [...pagePaths, ...forms]) {
        if (page.url() !== at(path)) await followTo(page, at(path));
        assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, path);
      }
      assert.deepEqual(refused, []);
      await followTo(page, at('/audit'));
      await page.getByText('This page needs the role admin.').waitFor();
      for (const path of nowhere) {
        await followTo(page, at(path));
        await settled(page);
        assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, path);
        await page.getByRole('navigation', { name: 'Pages' }).first().waitFor();
      }
      await page.context().close();
    });
  }
}
