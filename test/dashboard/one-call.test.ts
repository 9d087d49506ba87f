/**
 * In a real browser: the sheet of one call shows line by line how its cost was computed, and the browser's own cryptography verifies its
 * receipt: a valid one, one that somebody changed, and one that differs from the page.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventuallyHolds } from '@metergate/testkit/eventually.ts';
import type { Page } from 'playwright-core';
import { axeFindings, call, openPage, startGround, untilTrue, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  let id: string;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;

  before(async () => {
    ground = await startGround();
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
    const { key } = await ground.system.createKey({ project: 'billing' });
    for (let calls = 0; calls < 3; calls += 1) assert.equal((await call(ground.system, key, { headers: { 'x-svc-tags': 'a, b' } })).status, 200);
    id = (await ground.system.calls({ count: 3 }))[1]!.id;
    // A call is there at once; its receipt follows within seconds.
    await untilTrue(async () => (await (await page.request.get(at('/platform/v1/receipts'))).text()).includes(id));
  });
  after(async () => {
    await ground?.end();
    assert.deepEqual(ground?.complaints.filter((line) => !/status of 40[14]/.test(line)), [], 'the browser complains of nothing');
  });

  test('the lines of a cost add up to the cost, on a page that names prices and counts', async () => {
    await openPage(page, at(`/calls?call=${id}`));
    const lines = page.getByRole('region', { name: 'How the cost came about' });
    await lines.getByText('per million').first().waitFor();
    const record = await (await page.request.get(at(`/platform/v1/calls/${id}`))).json() as { cost: string };
    await eventuallyHolds(async () => {
      const amounts = await lines.locator('tbody tr td:last-child').allTextContents();
      const sum = amounts.reduce((all, amount) => all + Number(amount.replace('$', '')), 0);
      assert.equal(sum.toFixed(9), record.cost);
    });
    assert.deepEqual(await axeFindings(page), []);
  });

  test('the receipt of a call verifies in the browser, and the checked file can be saved', async () => {
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Verified in this browser').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the file' }).click()]);
    const command = await ground.system.cli(['receipts', 'verify', await download.path(), '--json']);
    assert.equal((command.json() as { valid: boolean }).valid, true, command.stdout + command.stderr);
    assert.deepEqual(await axeFindings(page), []);
  });

  test('a receipt that somebody changed does not verify; a page that shows something else is caught', async () => {
    await page.route('**/platform/v1/receipts?*', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: (await answer.text()).replace('"status":"200"', '"status":"201"') });
    });
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The receipts do not verify').waitFor();
    await page.getByText('hash differs').waitFor();
    await page.unroute('**/platform/v1/receipts?*');
    await page.route(`**/platform/v1/calls/${id}`, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...await answer.json() as object, outputTokens: 1_000_000 } });
    });
    await page.route('**/platform/v1/calls?*', (route) => route.fulfill({ json: { data: [], nextCursor: null } }));
    await openPage(page, at(`/calls?call=${id}`));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('It differs from this page in: outputTokens.').waitFor();
  });
}
