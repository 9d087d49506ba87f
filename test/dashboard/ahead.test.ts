/**
 * In a real browser: everything that a page asks of the platform goes out beside its script, not after it, and the document names that script
 * itself.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { atRest, call, openPage, settled, startGround, untilTrue, type Ground } from './browser.ts';
import { pagePaths } from './pages.ts';

const here = `${process.platform}-${process.arch}`;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  /** The page's own script. */
  const drawing = /\/assets\/[a-z-]+-page-[\w-]+\.js$/;

  before(async () => {
    ground = await startGround();
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
    const { key } = await ground.system.createKey({ project: 'billing' });
    assert.equal((await call(ground.system, key, { headers: { 'x-svc-run-id': 'r1', 'x-svc-tags': 'a, b' } })).status, 200);
    await ground.system.calls({ count: 1 });
    // Ranges end at a minute: two of them would be two requests.
    await page.clock.setFixedTime(new Date());
    await openPage(page, at('/settings'));
  });
  after(async () => { await ground?.end(); });

  /** What the page asks while its script is held back, and what it asks only after that. */
  async function asked(path: string): Promise<{ readonly ahead: ReadonlySet<string>; readonly late: readonly string[] }> {
    const ahead = new Set<string>();
    const late: string[] = [];
    const open = new Set<Request>();
    const script = Promise.withResolvers<void>();
    let held = 0;
    const note = (request: Request): void => {
      if (request.resourceType() !== 'fetch') return;
      open.add(request);
      const { pathname, search } = new URL(request.url());
      if (held >= 0) ahead.add(pathname + search);
      else if (!ahead.has(pathname + search)) late.push(pathname + search);
    };
    const end = (request: Request): void => void open.delete(request);
    page.on('request', note).on('requestfinished', end).on('requestfailed', end);
    await page.route(drawing, async (route) => {
      held += 1;
      await script.promise;
      await route.continue();
    });
    await page.goto(at(path), { waitUntil: 'commit' });
    const isAnswered = (): boolean => held > 0 && ahead.size > 0 && open.size === 0;
    await untilTrue(async () => {
      if (!isAnswered()) return false;
      // Whatever answers lead to is on its way once the page's thread has nothing to do.
      await page.evaluate(atRest);
      return isAnswered();
    });
    held = -1;
    script.resolve();
    await page.locator('main h1').first().waitFor();
    await settled(page);
    await page.unroute(drawing);
    page.off('request', note).off('requestfinished', end).off('requestfailed', end);
    return { ahead, late };
  }

  for (const path of [...pagePaths, '/?range=90d&by=label', '/explore?by=key&and=label&beside=before', '/runs?run=r1']) {
    test(`${path} asks for everything ahead`, async () => {
      const { ahead, late } = await asked(path);
      assert.deepEqual(late, [], `asked ahead: ${[...ahead].join(' ')}`);
    });
  }

  test('the document names the scripts of its page for who is signed in, and for nobody else', async () => {
    const preloads = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<readonly string[]> => {
      const document = await (await fetch(at(path), { headers: { accept: 'text/html', ...headers } })).text();
      return [...document.matchAll(/<link rel="modulepreload" crossorigin href="([^"]+)"/g)].map(([, script]) => script!);
    };
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const always = await preloads('/keys');
    const signedIn = await preloads('/keys', { cookie });
    const own = signedIn.filter((script) => !always.includes(script));
    assert.ok(own.some((script) => script.includes('/keys-page-')) && own.some((script) => script.includes('/shell-')), own.join(' '));
    for (const script of own) assert.equal((await fetch(at(script))).status, 200, script);
    assert.equal(own.some((script) => script.includes('/caps-page-')), false);
    assert.ok(!always.some((script) => script.includes('-page-')), always.join(' '));
  });
}
