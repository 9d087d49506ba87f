/**
 * In a real browser: the month as finance works with it. A statement has one total and prints every row, teams add up to it, a bill is held
 * against the records, and the month is closed, kept as a signed file, and opened again.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { eventuallyHolds } from '@metergate/testkit/eventually.ts';
import type { Page } from 'playwright-core';
import { axeFindings, call, followTo, openPage, password, startGround, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;
const projects = 14;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  const asked = async <Answer>(path: string): Promise<Answer> => (await page.request.get(at(`/platform/v1${path}`))).json() as Promise<Answer>;
  const now = new Date();
  const thisMonth = now.toISOString().slice(0, 7);
  const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);

  before(async () => {
    ground = await startGround();
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
    const { key } = await ground.system.createKey();
    await Promise.all(Array.from({ length: projects }, async (_, index) => {
      const headers = { 'x-svc-project': `project-${index}` };
      assert.equal((await call(ground.system, key, { text: 'x'.repeat(index + 1), headers })).status, 200);
    }));
    await ground.system.calls({ count: projects });
    const rules = { rules: [{ projects: ['project-1'], team: 'search' }, { projects: ['*'], team: 'everyone' }], markup: '5' };
    const set = await page.request.put(at('/platform/v1/allocation'), { data: rules });
    assert.equal(set.status(), 200, await set.text());
  });
  after(async () => {
    await ground?.end();
    assert.deepEqual(ground?.complaints, [], 'the browser complains of nothing');
  });

  const costOf = async (month: string): Promise<string> => (await asked<{ figures: { cost: string } }>(`/months/${month}`)).figures.cost;

  test('a statement begins with its total; the page shows the costliest rows and paper gets all', async () => {
    await openPage(page, at(`/statement?month=${thisMonth}`));
    const cost = await costOf(thisMonth);
    await page.getByText(`$${cost}`, { exact: true }).first().waitFor();
    const table = page.getByRole('table', { name: 'By project' });
    const rows = table.locator('tbody tr');
    const visible = (count: number) => eventuallyHolds(async () => assert.equal(await rows.filter({ visible: true }).count(), count));
    await visible(10);
    await table.locator('tfoot').filter({ hasText: new RegExp(`Total of ${projects}${projects}\\$${cost.replace('.', '\\.')}`) }).waitFor();
    await page.emulateMedia({ media: 'print', reducedMotion: 'reduce' });
    await visible(projects);
    const places = await page.evaluate<readonly string[]>(`[...document.querySelectorAll('tfoot')].map((each) => getComputedStyle(each).display)`);
    assert.deepEqual([...new Set(places)], ['table-row-group'], 'the total is not repeated on every sheet');
    await page.emulateMedia({ media: 'screen', reducedMotion: 'reduce' });
    await visible(10);
    await page.getByRole('button', { name: `Show all ${projects}` }).click();
    await visible(projects);
    const name = new Date(`${lastMonth}-01`).toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    await page.getByRole('link', { name }).click();
    await page.getByText('No call in this month.').first().waitFor();
    assert.equal(new URL(page.url()).searchParams.get('month'), lastMonth);
  });

  test('teams pay what the allocation says, and a viewer closes and records nothing', async () => {
    await followTo(page, at(`/month?month=${thisMonth}`));
    const { totals, teams } = await asked<{ totals: { charge: string }; teams: { team: string }[] }>(`/months/${thisMonth}/allocation`);
    const table = page.getByRole('table', { name: 'Teams' });
    await table.getByRole('link', { name: 'search' }).waitFor();
    await table.locator('tfoot').filter({ hasText: `$${totals.charge}` }).waitFor();
    assert.equal(await table.locator('tbody tr').count(), teams.length);
    await page.getByText('can be closed when it is over').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Ledger as CSV' }).click();
    const withCommas = page.getByRole('menuitem', { name: 'Decimal commas, semicolons between' });
    await withCommas.waitFor();
    assert.deepEqual(await axeFindings(page), []);
    const [ledger] = await Promise.all([page.waitForEvent('download'), withCommas.click()]);
    assert.match(readFileSync(await ledger.path(), 'utf8'), /^\uFEFFmonth;team;[^]*;\d+,\d{9};/);
    const made = await ground.system.cli(['user', 'create', '--email', 'vera@example.com', '--org', 'default', '--role', 'viewer'], password);
    assert.equal(made.code, 0, made.stderr);
    const viewer = await ground.stranger();
    await viewer.request.post(at('/platform/v1/auth/sign-in/email'), { data: { email: 'vera@example.com', password } });
    await openPage(viewer, at('/month'));
    await viewer.getByText('An admin closes it.').waitFor();
    assert.equal(await viewer.getByRole('button', { name: /^Close|the rules/ }).count(), 0);
  });

  test('rules are set on the page: tried on the month before, and two people who set them see each other', async () => {
    const other = await ground.person('ada@example.com', { reducedMotion: 'reduce' });
    for (const each of [page, other]) {
      if (each === page) await followTo(page, at(`/month?month=${lastMonth}`));
      await openPage(each, at(`/month?month=${thisMonth}`));
      await each.getByRole('button', { name: 'Change the rules' }).click();
      assert.equal(await each.getByLabel('Who pays by rule 1: the team').inputValue(), 'search');
      await each.getByLabel('Who pays by rule 1: the team').fill(each === page ? 'finders' : 'seekers');
    }
    await page.getByRole('button', { name: 'Try them on' }).click();
    await page.getByRole('table', { name: 'What each team would have paid' }).getByRole('row').filter({ hasText: 'finders' }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    // What was tried is not shown beside rules that were changed since.
    await page.getByLabel('Markup, percent').fill('6');
    await page.getByRole('table', { name: 'What each team would have paid' }).waitFor({ state: 'detached' });
    await page.getByLabel('Markup, percent').fill('5');
    await page.getByRole('dialog').getByRole('button', { name: 'Set the rules' }).click();
    await page.getByText('The rules are set.').waitFor();
    await page.getByRole('table', { name: 'Teams' }).getByRole('link', { name: 'finders' }).waitFor();
    await other.getByRole('dialog').getByRole('button', { name: 'Set the rules' }).click();
    const conflict = other.getByRole('alert').filter({ hasText: 'Somebody else changed this meanwhile' });
    await conflict.getByText('you entered projects project-1: seekers; projects *: everyone, it is projects project-1: finders;').waitFor();
    await conflict.getByRole('button', { name: 'Save mine' }).click();
    await other.getByRole('table', { name: 'Teams' }).getByRole('link', { name: 'seekers' }).waitFor();
    const { allocation } = await asked<{ allocation: unknown }>('/allocation');
    assert.deepEqual(allocation, { rules: [{ projects: ['project-1'], team: 'seekers' }, { projects: ['*'], team: 'everyone' }], markup: '5' });
    ground.complaints.splice(0).forEach((line) => assert.match(line, /status of 409/));
    await other.context().close();
  });

  test('a bill is held against the records: what differs is named, and the differences are recorded on request', async () => {
    await followTo(page, at(`/month?month=${lastMonth}`));
    const start = Date.parse(now.toISOString().slice(0, 10)) / 1_000 - 86_400;
    const bill = { object: 'page', has_more: false, data: [{ object: 'bucket', start_time: start, end_time: start + 86_400, results: [
      { object: 'organization.costs.result', amount: { value: 1.25, currency: 'usd' }, line_item: 'gpt-5-mini, output', project_id: null },
    ] }] };
    const file = (value: unknown) => ({ name: 'costs.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(value)) });
    await page.locator('input[type=file]').setInputFiles(file({ nothing: 'known' }));
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('alert').getByText(/^The (?:form of the )?file /).waitFor();
    ground.complaints.splice(0).forEach((line) => assert.match(line, /status of 400/));
    await page.locator('input[type=file]').setInputFiles(file(bill));
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('status').getByText('1 of 1 lines differ: $1.250000000 on the bill, nothing here.').waitFor();
    const row = page.getByRole('table', { name: 'Lines that differ' }).locator('tbody tr');
    await row.filter({ hasText: /gpt-5-mini[\s\S]*Only on the bill[\s\S]*somebody calls the provider past the gateway/ }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Record the differences as corrections' }).click();
    await page.getByText('$1.250000000 of corrections are recorded').waitFor();
    const { data } = await asked<{ data: { correction: string }[] }>('/corrections?since=60d');
    assert.deepEqual(data.map(({ correction }) => correction), ['1.250000000']);
  });

  test('the times in the platform\'s sentences are written as all others on the page', async () => {
    const said = 'It last reported at 2025-11-01T04:05:06.007Z, and did not stop normally.';
    const shown = 'It last reported at Nov 1, 2025, 04:05 UTC, and did not stop normally.';
    await page.route(`**/platform/v1/months/${lastMonth}`, async (route) => {
      const response = await route.fetch();
      const month = { ...await response.json() as object, nodes: [{ node: 'node-a', reason: said }] };
      await route.fulfill({ response, json: month });
    });
    await page.route(`**/platform/v1/months/${lastMonth}/close`, (route) =>
      route.fulfill({ status: 409, json: { error: { code: 'month_waiting', message: `node-b: ${said}` } } }));
    await openPage(page, at(`/month?month=${lastMonth}`));
    await page.getByRole('listitem').filter({ hasText: `node-a: ${shown}` }).waitFor();
    await page.getByRole('button', { name: /^Close .*…$/ }).click();
    await page.getByRole('button', { name: 'Close the month' }).click();
    await page.getByRole('alert').getByText(`node-b: ${shown}`).waitFor();
    await page.unroute(`**/platform/v1/months/${lastMonth}`);
    await page.unroute(`**/platform/v1/months/${lastMonth}/close`);
    ground.complaints.splice(0).forEach((line) => assert.match(line, /status of 409/));
  });

  test('a month is closed by an admin, kept as a signed file, and opened again by the owner', async () => {
    // Opened anew, because the page keeps what it read of the closing before.
    await openPage(page, at(`/month?month=${lastMonth}`));
    const close = async (): Promise<void> => {
      await page.getByRole('button', { name: /^Close .*…$/ }).click();
      await page.getByRole('button', { name: 'Close the month' }).click();
    };
    await close();
    // In its first half minute the node may hold calls of the month that it found.
    const waiting = page.getByRole('button', { name: 'Close without waiting' });
    const file = page.getByRole('link', { name: 'Signed file' });
    await waiting.or(file).waitFor();
    if (await waiting.isVisible()) {
      await page.getByRole('alert').getByText('may still come').waitFor();
      await waiting.click();
      await page.getByText('It was closed without these nodes').waitFor();
    }
    const [download] = await Promise.all([page.waitForEvent('download'), file.click()]);
    assert.match(download.suggestedFilename(), /jsonl$/);
    assert.equal((await asked<{ state: string }>(`/months/${lastMonth}`)).state, 'closed');
    await followTo(page, at(`/statement?month=${lastMonth}`));
    await page.getByText('As it was closed, version 1.').waitFor();
    await page.getByRole('link', { name: 'What bills add, and what came late' }).click();
    await page.getByRole('button', { name: 'Open it again…' }).click();
    await page.getByRole('button', { name: 'Open it', exact: true }).click();
    await page.getByText('opened again').waitFor();
    assert.equal((await asked<{ state: string }>(`/months/${lastMonth}`)).state, 'open');
    ground.complaints.splice(0).forEach((line) => assert.match(line, /status of 409/));
  });
}
