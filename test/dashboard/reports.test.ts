/**
 * Held in a real browser: what leaves the product as a file. Each form of an export is saved and holds what the page said; the statement
 * of a month adds up; receipts verify; projects and the settings' key are there; a member's password link is made and used.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import type { Page } from 'playwright-core';
import { axeFindings, call, followTo, openPage, password, settled, startGround, untilTrue, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;
const calls = 5;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;

  before(async () => {
    ground = await startGround();
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
    const { key } = await ground.system.createKey({ project: 'billing' });
    for (let each = 0; each < calls; each += 1) {
      assert.equal((await call(ground.system, key, each === 0 ? {} : { headers: { 'x-svc-project': 'search' } })).status, 200);
    }
    await ground.system.calls({ count: calls });
    await untilTrue(async () => (await page.request.get(at('/platform/v1/receipts'))).status() === 200);
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
    const byProject = page.getByRole('region', { name: 'By project' });
    await byProject.getByText('billing').waitFor();
    const amounts = (await byProject.locator('td:last-child').allTextContents()).map((amount) => Number(amount.replace('$', '')));
    const together = Number((await byProject.locator('tfoot th').last().textContent())!.replace('$', ''));
    assert.equal(amounts.reduce((sum, amount) => sum + amount, 0).toFixed(9), together.toFixed(9));
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Save the statement' }).click()]);
    assert.match(readFileSync(await download.path(), 'utf8'), /billing/);
    await page.getByRole('textbox', { name: 'Project' }).or(page.getByRole('combobox', { name: 'Project' })).fill('search');
    await untilTrue(async () => !(await byProject.textContent())!.includes('billing'));
    await followTo(page, at('/projects'));
    await page.getByRole('cell', { name: 'search', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'billing', exact: true }).waitFor();
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
