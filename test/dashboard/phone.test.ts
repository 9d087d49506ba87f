/**
 * In a real browser, as wide as a phone: each list is a stack of cards. Who and how much are the first line, how it stands is the second, and
 * nothing has to be scrolled to the side. To a screen reader a card is still a row of a table. And on a screen between a phone and a wide one.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventuallyHolds } from '@metergate/testkit/eventually.ts';
import type { Page } from 'playwright-core';
import { axeFindings, call, followTo, openPage, settled, startGround, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;
const width = 375;

/** What the first card of each list must show, and where. */
const lists = [
  {
    path: '/calls', table: 'Calls', below: ['Tokens in / out', 'Key, project'],
    first: { lead: /gpt-5-mini/, money: /\$/, state: /200/, under: /\d\d:\d\d/ },
  },
  {
    path: '/keys', table: 'Service keys', below: ['Project', 'Last used'],
    first: { lead: /unnamed.*svc_/, money: /\$/, state: /in use|active/i },
  },
  { path: '/runs', table: 'Runs', first: { lead: /night-build/, money: /\$/, state: /live/i, under: /ago|now/ }, below: ['Ends'] },
  { path: '/projects', table: 'Projects', first: { lead: /billing/, money: /\$/ }, below: ['Calls', 'Cap'] },
  { path: '/caps', table: 'Caps', first: { lead: /billing/, state: /./, under: /month/, wide: /\$/ }, below: ['Will be reached', 'Starts again'] },
  { path: '/audit', table: 'Changes', first: { lead: /[a-z]/, under: /\d\d:\d\d/ }, below: ['Who', 'Detail'] },
] as const;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  const wideLists = ['/keys', '/calls', '/runs', '/projects', '/caps', '/refusals', '/audit', '/explore?by=key&and=label'];
  const widerThanTheirPlace = (): Promise<string[]> => page.evaluate(`[...document.querySelectorAll('.data-table-frame')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.ariaLabel + ' is ' + each.scrollWidth + ' wide')`);

  before(async () => {
    ground = await startGround();
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce', viewport: { width, height: 800 } });
    const { key } = await ground.system.createKey({ project: 'billing' });
    const cap = await page.request.post(at('/platform/v1/caps'), { data: { scope: 'project', project: 'billing', window: 'month', limit: '5' } });
    assert.equal(cap.status(), 201, await cap.text());
    const headers = { 'x-svc-run-id': 'night-build', 'x-svc-run-budget': '2.50', 'x-svc-labels': 'team:payments' };
    assert.equal((await call(ground.system, key, { headers })).status, 200);
    await ground.system.calls({ count: 1 });
    await openPage(page, at('/settings'));
  });
  after(async () => {
    await ground?.end();
    assert.deepEqual(ground?.complaints, [], 'the browser complains of nothing');
  });

  for (const { path, table, first, below } of lists) {
    test(`${path} on a phone shows cards: nothing to the side, money and state first`, async () => {
      await followTo(page, at(path));
      const list = page.getByRole('table', { name: table, exact: true });
      const card = list.locator('tbody').getByRole('row').first();
      await card.waitFor();
      const cells = await list.locator('tbody').getByRole('cell').all();
      for (const cell of cells) {
        const box = (await cell.boundingBox())!;
        assert.ok(box.x >= 0 && box.x + box.width <= width, `${await cell.innerText()} is at ${box.x} to ${box.x + box.width}`);
      }
      // Figures come with a request of their own and may be later than the rows.
      for (const [place, shown] of Object.entries(first)) {
        await card.locator(`.card-${place}`).filter({ hasText: shown }).first().waitFor();
      }
      const top = async (of: string): Promise<number> => (await card.locator(of).first().boundingBox())!.y;
      if ('money' in first) assert.ok(await top('.card-money') < await top('.card-line'), 'money stands above the details');
      if ('state' in first) assert.ok(await top('.card-state') < await top('.card-line'), 'the state stands above the details');
      const heads = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.card-line')].map((cell) => getComputedStyle(cell, '::before').content)");
      for (const head of below) assert.ok(heads.includes(`"${head}"`), `${head} among ${heads.join(', ')}`);
      assert.deepEqual(await axeFindings(page), []);
    });
  }

  test('keys are found by a part of their name, project or beginning, and show what they spent this month', async () => {
    await followTo(page, at('/keys'));
    const cards = page.getByRole('table', { name: 'Service keys' }).locator('tbody').getByRole('row');
    await page.getByRole('searchbox', { name: 'Find keys' }).fill('BILL');
    await eventuallyHolds(async () => assert.equal(await cards.count(), 1));
    const { data: [row] } = await (await page.request.get(at('/platform/v1/usage?by=key'))).json() as { data: [{ cost: string }] };
    assert.ok(Number(row.cost) > 0);
    const money = cards.first().locator('.card-money');
    await eventuallyHolds(async () => assert.equal(Number((await money.innerText()).replace('$', '')), Number(Number(row.cost).toPrecision(2))));
    await page.getByRole('searchbox', { name: 'Find keys' }).fill('no such key');
    await page.getByRole('heading', { name: '0 keys' }).waitFor();
    await eventuallyHolds(async () => assert.equal(await cards.count(), 0));
  });

  test('a list of cards is sorted by the names of its columns', async () => {
    await followTo(page, at('/projects'));
    const list = page.getByRole('table', { name: 'Projects', exact: true });
    await list.getByRole('button', { name: 'Spent' }).click();
    const spent = list.getByRole('columnheader', { name: 'Spent' });
    await eventuallyHolds(async () => assert.equal(await spent.getAttribute('aria-sort'), 'descending'));
  });

  test('on a narrow screen the menu makes room, every list fits its place, and an email stays in one line', async () => {
    const data = { name: 'nightly-evaluation', project: 'search', person: 'ada@example.com' };
    const made = await page.request.post(at('/platform/v1/keys'), { data });
    assert.equal(made.status(), 201, await made.text());
    await page.setViewportSize({ width: 1_024, height: 768 });
    // A list that was shown before may not have the key yet.
    await openPage(page, at('/settings'));
    for (const path of wideLists) {
      await followTo(page, at(path));
      const wider = await widerThanTheirPlace();
      assert.deepEqual(wider, [], path);
    }
    await followTo(page, at('/keys'));
    const email = page.getByRole('cell', { name: 'ada@example.com' }).locator('span');
    assert.ok((await email.boundingBox())!.height < 30, 'one line');
    const menu = page.locator('.frame-menu');
    const width = async (): Promise<number> => (await menu.boundingBox())!.width;
    assert.ok(await width() < 60, 'the icons alone');
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('link', { name: 'Runs' }).hover();
    await eventuallyHolds(async () => assert.ok(await width() > 200, 'with the names'));
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.mouse.move(800, 600);
    await eventuallyHolds(async () => assert.ok(await width() < 60, 'the icons alone, though the link has the focus'));
    await page.keyboard.press('Tab');
    await eventuallyHolds(async () => assert.ok(await width() > 200, 'with the names, for the keyboard'));
  });

  test('on a narrow screen every list fits its place whatever the names are', async () => {
    await page.setViewportSize({ width: 1_024, height: 768 });
    const names = [
      'w'.repeat(60), '\u05e9\u05dc\u05d5\u05dd'.repeat(14), '\u{1f469}\u200d\u{1f467}'.repeat(14), 'a-name-with-joints-' + 'y'.repeat(40),
    ];
    for (const name of names) {
      const made = await page.request.post(at('/platform/v1/keys'), { data: { name, project: name, person: 'ada@example.com' } });
      assert.equal(made.status(), 201, await made.text());
      const { id, key } = await made.json() as { id: string; key: string };
      const cap = await page.request.post(at('/platform/v1/caps'), { data: { scope: 'key', key: id, window: 'month', limit: '123456.78' } });
      assert.equal(cap.status(), 201, await cap.text());
      assert.equal((await call(ground.system, key, { headers: { 'x-svc-labels': `team:${'w'.repeat(50)}` } })).status, 200);
    }
    for (const cap of [{ scope: 'label', label: `team:${'w'.repeat(50)}` }, { scope: 'project', project: names[0] }]) {
      const made = await page.request.post(at('/platform/v1/caps'), { data: { ...cap, window: 'month', limit: '123456.78' } });
      assert.equal(made.status(), 201, await made.text());
    }
    await ground.system.calls({ count: 1 + names.length });
    for (const path of wideLists) {
      // The second is the narrowest with the names of the menu beside the page: there lists have hardly more room.
      for (const screen of [1_024, 1_216]) {
        await page.setViewportSize({ width: screen, height: 768 });
        await (screen === 1_024 ? openPage(page, at(path)) : settled(page));
        assert.deepEqual(await widerThanTheirPlace(), [], `${path} at ${screen}`);
      }
    }
  });
}
