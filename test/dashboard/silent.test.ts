/** In a real browser: a network that loses what is sent, without a word. Nothing waits for ever, and what was lost is asked for again. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage, settled, startGround, untilTrue, type Ground } from './browser.ts';
import { startSilentNetwork, type SilentNetwork } from './silent-network.ts';

const here = `${process.platform}-${process.arch}`;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let network: SilentNetwork;
  let page: Page;
  const loaded: string[] = [];
  const at = (path: string): string => `${network.url}${path}`;
  const away = () => page.getByText('The platform is away').first();

  before(async () => {
    ground = await startGround();
    network = await startSilentNetwork(ground.system.platformUrl);
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
    await page.clock.install();
    page.on('requestfinished', (request) => { loaded.push(request.url()); });
  });
  after(async () => {
    await ground?.end();
    await network?.close();
  });
  beforeEach(async () => {
    loaded.length = 0;
    network.carryAgain();
    await openPage(page, at('/settings'));
  });

  /** Lets the page's own time go by, in the steps of its timers, until this is so. */
  async function until(check: () => Promise<boolean>): Promise<void> {
    await untilTrue(async () => {
      if (await check()) return true;
      await page.clock.runFor(1_000);
      return false;
    });
  }

  /** The network carries again, and the page has found out. From here on its time is the usual one, or it would not wait for answers. */
  async function back(): Promise<void> {
    network.carryAgain();
    await away().waitFor({ state: 'detached' });
  }

  /** All scripts are there, so that a click needs nothing but the page's data. */
  async function scriptsLoaded(): Promise<void> {
    await until(() => Promise.resolve(loaded.some((url) => url.includes('/tokens-page-'))));
    await settled(page);
  }

  test('a page whose request is never answered says that the platform is away, and comes once it answers', async () => {
    await scriptsLoaded();
    network.fallSilent();
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();
    await until(() => away().isVisible());
    assert.ok(network.lost() > 0);
    await back();
    await page.getByText('No token yet').waitFor();
  });

  test('so does a page that is opened, before it knows who is signed in', async () => {
    // Held where they are: its scripts come.
    await page.route('**/platform/v1/**', () => {});
    await page.goto(at('/tokens'), { waitUntil: 'commit' });
    await until(() => away().isVisible());
    await page.unroute('**/platform/v1/**');
    await back();
    await page.getByText('No token yet').waitFor();
  });

  test('what a form sent is given up at last, and the form says that there was no answer', async () => {
    await openPage(page, at('/tokens?new=token'));
    await page.getByRole('dialog').getByLabel('Name').fill('nightly');
    network.fallSilent();
    await page.getByRole('dialog').getByRole('button', { name: 'Make the token' }).click();
    await until(() => away().isVisible());
    await back();
    await page.getByText('The platform did not answer').first().waitFor();
  });
}
