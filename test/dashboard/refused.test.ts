/**
 * In a real browser, the way of somebody whose call was refused: from the first call to a cap that refuses, without leaving the browser; from the
 * id in an error to what refused it, by the palette and the keyboard alone; and a run's story, whose figures are those of its records.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { allShipped } from '../all-shipped.ts';
import { axeFindings, call, followTo, openPage, settled, startGround, untilTrue, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  let key: string;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  const json = async (path: string): Promise<Record<string, unknown>> =>
    await (await page.request.get(at(`/platform/v1${path}`))).json() as Record<string, unknown>;

  before(async () => {
    ground = await startGround();
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
  });
  after(async () => {
    await ground?.end();
    assert.deepEqual(ground?.complaints.filter((line) => !/status of 40[124]/.test(line)), [], 'the browser complains of nothing');
  });

  test('from one call to a cap to its refusal, and back, on one page', async () => {
    await openPage(page, at('/start'));
    await page.getByLabel('Name').fill('first day');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByText('Copy the service key now').waitFor();
    key = (await page.locator('pre[aria-label="service key"]').textContent())!;
    await page.getByRole('button', { name: 'Send a test call' }).click();
    await page.getByText('Answered 200').waitFor();
    await page.getByText('A call came through').waitFor();
    await page.getByRole('button', { name: 'Set the cap for a moment' }).click();
    await page.getByRole('button', { name: 'Take the cap away' }).waitFor();
    await untilTrue(async () => (await call(ground.system, key)).status === 402);
    await page.getByRole('button', { name: 'Send a test call' }).click();
    await page.getByText('Answered 402, budget_exceeded').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Take the cap away' }).click();
    await page.getByRole('button', { name: 'Set the cap for a moment' }).waitFor();
    await untilTrue(async () => (await call(ground.system, key)).status === 200);
    await page.getByText('Everything is in place.').waitFor();
    const body = { key: `svc_live_${'a'.repeat(40)}`, provider: 'openai', model: 'gpt-5-mini' };
    const foreign = await page.request.post(at('/platform/v1/test-calls'), { data: body });
    assert.deepEqual([foreign.status(), (await foreign.json() as { error: { code: string } }).error.code], [404, 'unknown_key']);
  });

  test("a run's story says when its budget fell, what it spent and what refused it", async () => {
    const send = (budget: string) =>
      call(ground.system, key, { model: 'gpt-4o', headers: { 'x-svc-run-id': 'night-7', 'x-svc-run-budget': budget } });
    assert.equal((await send('0.05')).status, 200);
    assert.equal((await send('0.03')).status, 200);
    await untilTrue(async () => Number(((await json('/runs/night-7/story'))['run'] as { spent: string }).spent) > 0);
    assert.equal((await send('0.000001')).status, 402);
    await untilTrue(async () => ((await json('/runs/night-7/story'))['refusals'] as unknown[]).length > 0);
    await allShipped(ground.system);
    await followTo(page, at('/runs?run=night-7'));
    const sheet = page.getByRole('dialog', { name: 'Run' });
    const story = sheet.getByRole('list', { name: 'What happened' });
    await story.getByText('Began, with a budget of $0.05').waitFor();
    await story.getByText('Budget lowered from $0.05: $0.03').waitFor();
    await story.getByText('Ended: over budget').waitFor();
    await sheet.getByText('The run has ended for good.').waitFor();
    const { run, steps } = await json('/runs/night-7/story') as { run: { spent: string }; steps: { calls: number; cost: string }[] };
    const { data } = await json('/calls?run=night-7') as { data: { cost: string }[] };
    const nano = (amounts: readonly string[]): bigint => amounts.reduce((sum, amount) => sum + BigInt(amount.replace('.', '')), 0n);
    assert.equal(steps.reduce((sum, { calls }) => sum + calls, 0), data.length);
    const cost = nano(data.map((each) => each.cost));
    assert.deepEqual([nano(steps.map((each) => each.cost)), nano([run.spent])], [cost, cost]);
    assert.deepEqual(await axeFindings(page), []);
    await story.getByRole('link', { name: 'Run budget reached' }).click();
    await page.getByRole('dialog', { name: 'Refused call' }).getByText('budget_exceeded').waitFor();
    assert.deepEqual(await axeFindings(page), []);
  });

  test('a run of which no call was let through says so, and leads to what refused it', async () => {
    const cap = await page.request.post(at('/platform/v1/caps'), { data: { scope: 'label', label: 'doomed', window: 'day', limit: '0.000001' } });
    assert.equal(cap.status(), 201, await cap.text());
    const doomed = async (headers: Readonly<Record<string, string>> = {}): Promise<number> =>
      (await call(ground.system, key, { headers: { 'x-svc-tags': 'doomed', ...headers } })).status;
    await untilTrue(async () => await doomed() === 402);
    assert.equal(await doomed({ 'x-svc-run-id': 'never-began' }), 402);
    await untilTrue(async () => ((await json('/refusals/log?run=never-began'))['data'] as unknown[]).length > 0);
    await openPage(page, at('/runs?run=never-began'));
    await page.getByRole('dialog', { name: 'Run' }).getByText('No call of this run was let through').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('link', { name: 'Its refused calls' }).click();
    await page.getByRole('cell', { name: 'Daily label budget reached' }).waitFor();
  });

  test('the palette gives the focus back to where it came from', async () => {
    await openPage(page, at('/refusals'));
    await page.getByRole('button', { name: 'Your account' }).focus();
    await page.keyboard.press('Control+k');
    const box = page.getByPlaceholder(/^Any id/);
    await box.fill('nothing like it');
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
    await untilTrue(() => page.evaluate<boolean>("document.activeElement.ariaLabel === 'Your account'"));
  });

  test('what opens over a page gives the focus back, also where it was opened from a menu that is gone', async () => {
    const opens: readonly (readonly [path: string, opener: RegExp, item?: RegExp])[] = [
      ['/keys', /^What to do with/, /^Rotate/], ['/keys', /^What to do with/, /^Revoke/], ['/', /^Filter$/],
      ['/explore', /^Views$/, /^Save this view/],
      ['/caps', /^New cap$/], ['/month', /^Month: /],
    ];
    for (const [path, opener, item] of opens) {
      await openPage(page, at(path));
      const button = page.getByRole('button', { name: opener }).first();
      await button.focus();
      const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.innerText');
      const name = await focused();
      await page.keyboard.press('Enter');
      if (item !== undefined) {
        const chosen = page.getByRole('menuitem', { name: item });
        await chosen.focus();
        await page.keyboard.press('Enter');
        await chosen.waitFor({ state: 'hidden' });
      }
      const over = page.locator('#over-page [role="dialog"]:visible, #over-page .mantine-Popover-dropdown:visible').first();
      await over.waitFor();
      await untilTrue(() => page.evaluate<boolean>("document.activeElement.closest('#over-page') !== null"));
      await page.keyboard.press('Escape');
      await over.waitFor({ state: 'hidden' });
      await untilTrue(async () => await focused() === name);
    }
  });

  test('the number of first steps that are done is not shown before it is known', async () => {
    const held: Route[] = [];
    await page.route(/\/platform\/v1\/keys/, (route) => { held.push(route); });
    await page.goto(at('/start'));
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await untilTrue(async () => held.length > 0);
    assert.equal(await page.getByText(/steps are done|Make a service key/).count(), 0);
    await Promise.all(held.splice(0).map((route) => route.continue()));
    await page.unroute(/\/platform\/v1\/keys/);
    await settled(page);
    await page.getByText('Everything is in place.').waitFor();
  });

  test('the id of an error leads to what refused it, with the keyboard alone; and so does every kind of name', async () => {
    await openPage(page, at('/'));
    const refused = await call(ground.system, key, { headers: { 'x-svc-run-id': 'night-7' } });
    const { 'x-request-id': shown, 'x-svc-request-id': own } = Object.fromEntries(refused.headers);
    await untilTrue(async () => (await page.request.get(at(`/platform/v1/refusals/log/${shown}`))).status() === 200);
    const find = async (words: string, kind: string) => {
      await page.keyboard.press('Control+k');
      const box = page.getByPlaceholder(/^Any id/);
      await box.fill(words);
      await page.locator('.palette-action').filter({ hasText: words }).filter({ hasText: kind }).first().waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await page.keyboard.press('Enter');
      await box.waitFor({ state: 'hidden' });
    };
    for (const id of [shown!, own!]) {
      await find(id, 'Refused call');
      await page.getByRole('dialog', { name: 'Refused call' }).getByText(own!).waitFor();
      await page.keyboard.press('Escape');
    }
    await find('night-', 'Run');
    await page.getByRole('dialog', { name: 'Run' }).getByText('night-7').first().waitFor();
    await page.keyboard.press('Escape');
    await find('first da', 'Service key');
    await page.getByRole('dialog', { name: 'Service key' }).waitFor();
    await page.keyboard.press('Escape');
    await find('gpt-4o', 'Model');
    await page.waitForURL(({ searchParams }) => searchParams.get('model') === 'gpt-4o');
    await find('test-ca', 'Label');
    await page.waitForURL(({ searchParams }) => searchParams.get('label') === 'test-call');
    await settled(page);
    const { data: [first] } = await json('/calls?limit=1') as { data: { id: string }[] };
    await find(first!.id, 'Call');
    await page.getByRole('dialog', { name: 'Call' }).waitFor();
    const viewer = await json('/find?text=ada') as { data: { kind: string }[] };
    assert.ok(viewer.data.some(({ kind }) => kind === 'person'));
  });
}
