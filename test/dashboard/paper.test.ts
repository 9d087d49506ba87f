/**
 * In a real browser: what paper shows. Names of any kind push no figure off the sheet, heads are repeated and totals are not, colors are those
 * of white paper, and the time that the figures are of is written out.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventuallyHolds } from '@metergate/testkit/eventually.ts';
import type { Page } from 'playwright-core';
import { call, followTo, openPage, startGround, untilTrue, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;
/** A4 and Letter without the margins that browsers leave, in pixels. */
const sheets = [718, 740] as const;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;

  before(async () => {
    ground = await startGround();
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce', colorScheme: 'dark' });
    const names = [
      'w'.repeat(200), '\u05e9\u05dc\u05d5\u05dd '.repeat(40).trim(), '\u{1f469}\u200d\u{1f467}'.repeat(40), '<img src=x onerror=alert(1)>',
    ];
    for (const name of names) {
      const made = await page.request.post(at('/platform/v1/keys'), { data: { name: name.slice(0, 200), project: name, person: 'ada@example.com' } });
      assert.equal(made.status(), 201, await made.text());
      const { id, key } = await made.json() as { id: string; key: string };
      await page.request.post(at('/platform/v1/caps'), { data: { scope: 'key', key: id, window: 'month', limit: '123456.78' } });
      const headers = { 'x-svc-run-id': `run-${'r'.repeat(120)}`, 'x-svc-tags': `${'l'.repeat(128)},env:prod` };
      assert.equal((await call(ground.system, key, { model: `nobody-priced-${'m'.repeat(100)}`, headers })).status, 200);
      assert.equal((await call(ground.system, key, { headers: { ...headers, 'x-svc-run-budget': 'nine' } })).status, 400);
    }
    await ground.system.calls({ count: names.length });
    const refused = async () => (await (await page.request.get(at('/platform/v1/refusals/log'))).json()) as { data: unknown[] };
    await untilTrue(async () => (await refused()).data.length === names.length);
    await openPage(page, at('/settings'));
  });
  after(async () => {
    await ground?.end();
    assert.deepEqual(ground?.complaints, [], 'the browser complains of nothing');
  });

  /** Puts the page on paper as a browser does, and calls `look` while it is there. */
  async function printed(width: number, look: () => Promise<void>): Promise<void> {
    await page.setViewportSize({ width, height: 1_000 });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: 'print', reducedMotion: 'reduce', colorScheme: 'dark' });
    await look();
    await page.emulateMedia({ media: 'screen', reducedMotion: 'reduce', colorScheme: 'dark' });
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await page.setViewportSize({ width: 1_280, height: 860 });
  }

  /** What ends to the right of the sheet, or is cut in its cell. */
  const cut = (width: number): Promise<readonly string[]> => page.evaluate(`[...document.querySelectorAll('main :is(.panel, td, th, data, canvas)')]
    .filter((each) => each.checkVisibility() && !each.closest('.visually-hidden'))
    .filter((each) => each.getBoundingClientRect().right > ${width} || (each.localName === 'td' && each.scrollWidth > each.clientWidth + 1))
    .map((each) => [each.localName, each.className, each.textContent.slice(0, 20), each.getBoundingClientRect().right].join(' '))`);

  for (const path of ['/', '/explore?by=project&and=label', '/calls', '/keys', '/projects', '/caps', '/runs', '/refusals', '/audit', '/month',
    `/statement?month=${new Date().toISOString().slice(0, 7)}`]) {
    test(`${path} fits paper, whatever the names are`, async () => {
      await followTo(page, at(path));
      for (const width of sheets) {
        await printed(width, async () => {
          await eventuallyHolds(async () => assert.deepEqual(await cut(width), []));
        });
      }
    });
  }

  test('in a dark scheme paper has light colors, and the screen has its own again', async () => {
    await followTo(page, at('/'));
    const text = (): Promise<string> => page.evaluate("getComputedStyle(document.querySelector('.focal')).color");
    const shown = await text();
    await printed(718, async () => eventuallyHolds(async () => assert.equal(await text(), 'rgb(21, 32, 31)')));
    await eventuallyHolds(async () => assert.equal(await text(), shown));
    assert.notEqual(shown, 'rgb(21, 32, 31)');
  });

  test('of a page with a sheet over it paper has the sheet alone, as long as it is', async () => {
    const { data: [call] } = await (await page.request.get(at('/platform/v1/calls?limit=1'))).json() as { data: [{ id: string }] };
    await followTo(page, at(`/calls?call=${call.id}`));
    await page.getByRole('dialog').getByText('Exchange').waitFor();
    await printed(718, async () => {
      await eventuallyHolds(async () => {
        assert.equal(await page.getByRole('table', { name: 'Calls' }).filter({ visible: true }).count(), 0);
        const [position, height, whole] = await page.evaluate<[string, number, number]>(`(() => {
          const sheet = document.querySelector('[role=dialog]');
          return [getComputedStyle(sheet).position, sheet.clientHeight, sheet.scrollHeight];
        })()`);
        assert.deepEqual([position, height], ['static', whole]);
        assert.deepEqual(await cut(718), []);
      });
    });
    await page.keyboard.press('Escape');
  });

  test('paper says of what time it is, and has nothing that can only be pressed', async () => {
    for (const path of ['/calls?range=7d', '/explore', '/projects']) {
      await followTo(page, at(path));
      await printed(718, async () => {
        await page.getByText(/^[A-Z][a-z]{2} \d{1,2}, [\d:]+ UTC to [A-Z][a-z]{2} \d{1,2}, [\d:]+ UTC$/).waitFor();
        await eventuallyHolds(async () => assert.equal(await page.locator('main').getByRole('button').filter({ visible: true }).count(), 0, path));
      });
    }
  });
}
