/**
 * In a real browser: what leaves the product as a file. Each form of an export is saved and holds what the page showed; the statement
 * of a month adds up; receipts verify; projects and the settings' key are there; a member's password link is made and used.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { eventuallyHolds } from '@metergate/testkit/eventually.ts';
import { parquetReadObjects } from 'hyparquet';
import type { Locator, Page } from 'playwright-core';
import { axeFindings, call, followTo, openPage, password, settled, startGround, untilTrue, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;
const calls = 5;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;

  const panel = (title: string) => page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) });

  const percentIn = async (row: Locator): Promise<number> => Number.parseFloat((await row.getByText(/^[\d.]+%$/).textContent())!);

  before(async () => {
    ground = await startGround();
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
    const { key } = await ground.system.createKey({ project: 'billing' });
    for (let each = 0; each < calls; each += 1) {
      assert.equal((await call(ground.system, key, each === 0 ? {} : { headers: { 'x-svc-project': 'search' } })).status, 200);
    }
    const ids = (await ground.system.calls({ count: calls })).map(({ id }) => id);
    // Calls are there at once; their receipts follow within seconds, and not all of them together.
    await untilTrue(async () => {
      const receipts = await (await page.request.get(at('/platform/v1/receipts'))).text();
      return ids.every((id) => receipts.includes(id));
    });
  });
  after(async () => {
    await ground?.end();
    assert.deepEqual(ground?.complaints.filter((line) => !/status of 40[14]/.test(line)), [], 'the browser complains of nothing');
  });

  test('an export is chosen, saved in each form, and holds every call that the page counted', async () => {
    await openPage(page, at('/exports?range=24h'));
    await page.getByText(`${calls} calls`).waitFor();
    const saved = async (form: string): Promise<string> => {
      await page.getByRole('radio', { name: form }).check();
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /^Save the/ }).click()]);
      return download.path();
    };
    const lines = async (form: string): Promise<string[]> => readFileSync(await saved(form), 'utf8').trimEnd().split('\n');
    assert.equal((await lines('CSV')).length, calls + 1);
    assert.equal((await lines('JSON Lines')).length, calls);
    assert.match((await lines('FOCUS'))[0]!, /BilledCost/);
    const parquet = readFileSync(await saved('Parquet'));
    const rows = await parquetReadObjects({ file: parquet.buffer.slice(parquet.byteOffset, parquet.byteOffset + parquet.byteLength) as ArrayBuffer });
    assert.equal(rows.length, calls);
    const receipts = await ground.system.cli(['receipts', 'verify', await saved('Receipts'), '--json']);
    assert.deepEqual([(receipts.json() as { valid: boolean }).valid, (receipts.json() as { checked: number }).checked], [true, calls]);
  });

  test("a month's statement is read on the page, adds up, and is saved", async () => {
    const month = new Date().toISOString().slice(0, 7);
    await followTo(page, at(`/statement?month=${month}`));
    const byProject = page.getByRole('table', { name: 'By project' });
    await byProject.getByText('billing').waitFor();
    await eventuallyHolds(async () => {
      const amounts = (await byProject.locator('td:last-child').allTextContents()).map((amount) => Number(amount.replace('$', '')));
      const together = Number((await byProject.locator('tfoot th').last().textContent())!.replace('$', ''));
      assert.equal(amounts.reduce((sum, amount) => sum + amount, 0).toFixed(9), together.toFixed(9));
    });
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Save the statement' }).click()]);
    assert.match(readFileSync(await download.path(), 'utf8'), /billing/);
    await page.getByRole('textbox', { name: 'Project' }).or(page.getByRole('combobox', { name: 'Project' })).fill('search');
    await untilTrue(async () => !(await byProject.textContent())!.includes('billing'));
    await followTo(page, at('/projects'));
    await page.getByRole('cell', { name: 'search', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'billing', exact: true }).waitFor();
  });

  test('the bar behind a row is as long as the percentage in the row says, on the overview and in explore', async () => {
    for (const [path, title] of [['/', 'Projects'], ['/explore?by=project', 'Largest']] as const) {
      await followTo(page, at(path));
      const rows = panel(title).getByRole('listitem');
      await untilTrue(async () => /%/.test((await rows.first().textContent())!));
      await eventuallyHolds(async () => {
        assert.equal(await rows.count(), 2);
        for (const row of await rows.all()) {
          const said = await percentIn(row);
          const drawn = (await row.locator('i').boundingBox())!.width / (await row.boundingBox())!.width * 100;
          assert.ok(Math.abs(said - drawn) < 1, `${said} % is drawn as ${drawn} %`);
        }
      });
    }
  });

  test('a cost that nobody knows is never shown as $0, and says which calls are not in a sum', async () => {
    const { key } = await ground.system.createKey({ project: 'unpriced' });
    const { key: other } = await ground.system.createKey();
    await untilTrue(async () => (await call(ground.system, key, { model: 'model-that-nobody-priced' })).status === 200);
    await untilTrue(async () => (await call(ground.system, other)).status === 200);
    await ground.system.calls({ count: calls + 2 });
    await followTo(page, at('/projects?range=24h'));
    await page.getByRole('row', { name: /^unpriced not known 1 / }).waitFor();
    await page.getByRole('row', { name: /^without a project / }).waitFor();
    const leads = page.getByRole('row', { name: /^unpriced/ }).getByRole('link', { name: 'Calls' });
    assert.match((await leads.getAttribute('href'))!, /range=24h/, 'to the calls of the same time');
    // Loaded anew: what was asked for a moment ago is not asked for again.
    await openPage(page, at(`/statement?month=${new Date().toISOString().slice(0, 7)}`));
    await page.getByRole('row', { name: 'unpriced 1 1 with incomplete cost not known' }).waitFor();
    await followTo(page, at('/exports?range=7d'));
    await page.getByText('The cost of 1 call is unknown or incomplete').waitFor();
    // A call that is known to cost nothing: the sum of both is not unknown, and not $0 either.
    assert.equal((await call(ground.system, key, { headers: { 'x-sandbox-status': '400' } })).status, 400);
    await ground.system.calls({ count: calls + 3 });
    await followTo(page, at('/projects?range=7d'));
    await page.getByRole('row', { name: /^unpriced \$0 incomplete 2 / }).waitFor();
    await followTo(page, at('/explore?by=project&range=7d'));
    await panel('Largest').getByRole('listitem').filter({ hasText: 'unpriced$0 incomplete' }).waitFor();
  });

  test('the bar of today is labelled as today so far; an earlier period without calls is shown as such', async () => {
    await followTo(page, at('/?range=7d'));
    await page.getByText('Today is not over').waitFor();
    const days = page.getByRole('table', { name: 'Spend by day' }).getByRole('rowheader');
    await eventuallyHolds(async () => {
      const named = (await days.allTextContents()).map((name) => name.endsWith(', today so far'));
      assert.deepEqual([named.filter((isToday) => isToday).length, named.at(-1)], [1, true], 'a screen reader is told which day it is');
    });
    for (const figure of ['spend', 'calls', 'refusals']) await page.getByText(`no ${figure} before`, { exact: true }).waitFor();
    // Of a day that still runs, only what is over is compared: of all calls and of some. Of all, the times are named once.
    await page.getByText('the 7 days before', { exact: true }).waitFor();
    await page.getByText(/^both up to \d\d:00 UTC$/).waitFor();
    await followTo(page, at('/?range=7d&project=billing'));
    await page.getByText('Latency p50 / p95').waitFor({ state: 'hidden' });
    await page.getByText(/^no spend in the 7 days before, up to \d\d:00 UTC$/).waitFor();
    await followTo(page, at('/?range=last-month'));
    // A month that is over has no such bar.
    await page.getByText('Today is not over').waitFor({ state: 'hidden' });
  });

  test('every time on a page is in UTC and labelled so, whatever zone the browser is in', async () => {
    const [{ startedAt }] = await ground.system.calls({ count: calls }) as unknown as [{ startedAt: string }];
    const inUtc = startedAt.slice(11, 19);
    await followTo(page, at('/calls?range=24h'));
    const time = page.locator(`time[datetime="${startedAt}"]`).first();
    assert.ok((await time.textContent())!.startsWith(`${inUtc} UTC`), await time.textContent() ?? '');
    assert.match((await time.getAttribute('title'))!, /GMT\+[12]$/, "the reader's own zone is on hover");
    await followTo(page, at('/exports?range=24h'));
    await page.getByText(/^From .* UTC to .* UTC, end excluded$/).waitFor();
    await followTo(page, at('/?range=24h'));
    await page.getByText('By hour, in UTC').waitFor();
    await page.getByText('This hour is not over').waitFor();
  });

  test('the settings show the key of receipts, and another signs on request', async () => {
    await followTo(page, at('/settings'));
    await page.getByText('BEGIN PUBLIC KEY').waitFor();
    await page.getByRole('button', { name: 'Sign with another key…' }).click();
    await page.getByRole('button', { name: 'Sign with another key', exact: true }).click();
    await page.getByText('last of 2').waitFor();
    await settled(page);
    assert.deepEqual(await axeFindings(page), []);
  });

  test("an owner makes a member's password link, and the member signs in by it", async () => {
    const made = await ground.system.cli(['user', 'create', '--email', 'grace@example.com', '--org', 'default', '--role', 'viewer'], password);
    assert.equal(made.code, 0, made.stderr);
    await followTo(page, at('/members'));
    await page.getByRole('button', { name: 'What to do with grace@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Make a password link' }).click();
    const link = (await page.locator('pre[aria-label="link"]').textContent())!;
    const other = await ground.stranger();
    await other.goto(at(`/password#${link.split('#')[1]}`));
    await other.getByRole('textbox', { name: 'Password', exact: true }).fill('another long password');
    await other.getByRole('textbox', { name: 'Password again' }).fill('another long password');
    await other.getByRole('button', { name: 'Set password' }).click();
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.equal(await other.getByRole('link', { name: 'Audit' }).count(), 0, 'a viewer has no audit');
  });
}
