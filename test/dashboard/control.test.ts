/**
 * In a real browser: limits and notifications. A cap is tried before it is armed and refuses afterwards; a webhook is made, tested and notified
 * of a threshold, with a receiver that fails first; a service key is renamed, moved, disabled, enabled and rotated.
 */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { axeFindings, call, openPage, settled, startGround, untilTrue, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  let key: { id: string; key: string };
  let receiver: Server;
  const received: Received[] = [];
  const answers = [500];
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  const send = async (model?: string): Promise<number> => (await call(ground.system, key.key, model === undefined ? {} : { model })).status;

  before(async () => {
    ground = await startGround();
    page = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
    key = await ground.system.createKey();
    receiver = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text) => { body += text; }).on('end', () => {
        received.push({ headers: request.headers as Record<string, string>, body });
        response.writeHead(answers.shift() ?? 204).end();
      });
    });
    await new Promise<void>((resolve) => { receiver.listen(0, '127.0.0.1', resolve); });
    for (let calls = 0; calls < 4; calls += 1) assert.equal(await send(), 200);
    await ground.system.calls({ count: 4 });
  });
  after(async () => {
    receiver?.close();
    await ground?.end();
    assert.deepEqual(ground?.complaints.filter((line) => !/status of 40[014]/.test(line)), [], 'the browser complains of nothing');
  });

  test('a cap shows what it would have refused, is armed, shows that it is reached, and refuses', async () => {
    await openPage(page, at('/caps'));
    await page.getByRole('button', { name: 'New cap' }).first().click();
    const told = page.getByRole('status', { name: 'What it would have refused' });
    await told.getByText('Name a limit').waitFor();
    await page.getByLabel('Limit, US dollars').fill('100000');
    await told.getByText('nothing').waitFor();
    await page.getByLabel('Limit, US dollars').fill('0.000001');
    await told.getByText('it would have refused 3 of 4 calls').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    assert.equal(await send(), 200, 'trying arms nothing');
    await page.getByRole('button', { name: 'Arm the cap' }).click();
    await page.getByText('Refusing calls').waitFor();
    await page.getByRole('cell', { name: 'reached', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Reached lately' }).waitFor();
    await untilTrue(async () => await send() === 402);
    const refused = page.getByRole('region', { name: 'Refused calls' });
    await refused.getByRole('cell', { name: 'Monthly budget reached' }).waitFor();
    await refused.getByRole('link').waitFor();
    await page.getByRole('button', { name: /^Change / }).click();
    await page.getByLabel('Limit, US dollars').fill('100');
    await page.getByRole('button', { name: 'Change the cap' }).click();
    await page.getByText('Armed, refuses').waitFor();
    await untilTrue(async () => await send() === 200);
    await page.getByRole('cell', { name: /a day$/ }).waitFor();
    await openPage(page, at('/'));
    await page.getByText(/Not reached at the pace|Reached in/).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Budget reached' }).waitFor();
    await page.getByRole('radiogroup', { name: 'What is drawn' }).getByText('Refusals').click();
    await page.getByRole('img', { name: 'Refusals by day' }).waitFor();
  });

  test('a webhook is made, tested against a receiver that fails at first, and notified when a threshold is passed', async () => {
    await openPage(page, at('/alerts'));
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Address').fill('https://8.8.8.8:22/');
    await page.getByRole('button', { name: 'Make the webhook' }).click();
    await page.getByRole('alert').getByText('The port must be').waitFor();
    await page.getByLabel('Address').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`);
    await page.getByRole('button', { name: 'Make the webhook' }).click();
    await page.getByText('Copy the signing secret now').waitFor();
    const secret = (await page.locator('pre[aria-label="signing secret"]').textContent())!;
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Send a test' }).click();
    const deliveries = page.getByRole('dialog', { name: 'Deliveries' });
    await deliveries.getByText('answered 500').waitFor();
    await deliveries.getByText('On its way').waitFor();
    await deliveries.getByText('Delivered').waitFor();
    assert.equal(received.length, 2);
    for (const { headers, body } of received) {
      assert.deepEqual((new Webhook(secret).verify(body, headers) as { type: string }).type, 'webhook.test');
    }
    assert.deepEqual(await axeFindings(page), []);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New thresholds' }).click();
    await page.getByRole('button', { name: 'Set the thresholds' }).click();
    await page.getByRole('region', { name: 'Thresholds of caps' }).getByText('80%').waitFor();
    const spent = await (await page.request.get(at('/platform/v1/caps'))).json() as { data: { id: string; spent: string }[] };
    const limit = (Number(spent.data[0]!.spent) * 1.5).toFixed(9);
    const nearer = { scope: 'organization', window: 'month', limit, mode: 'refuse' };
    assert.equal((await page.request.post(at('/platform/v1/caps'), { data: nearer })).status(), 201);
    await untilTrue(async () => received.some(({ body }) => body.includes('cap.threshold')));
    await openPage(page, at('/alerts'));
    await page.getByRole('cell', { name: /^http.*hooks$/ }).click();
    await deliveries.getByText('A cap passed a threshold').waitFor();
  });

  test('a service key is renamed, moved, disabled, enabled and rotated, and its sheet shows who did it', async () => {
    const limit = { scope: 'organization', window: 'month', limit: '1000', mode: 'refuse' };
    assert.equal((await page.request.post(at('/platform/v1/caps'), { data: limit })).status(), 201);
    await untilTrue(async () => await send() === 200);
    await openPage(page, at('/keys'));
    const menu = async (item: string): Promise<void> => {
      await page.getByRole('row').filter({ hasText: 'svc_live_' }).last().getByRole('button', { name: /What to do with/ }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menu('Rename, move, change…');
    await page.getByLabel('Name').fill('the renamed');
    await page.getByLabel('Project').fill('project-moved');
    await page.getByRole('button', { name: 'Change the key' }).click();
    await page.getByRole('cell').getByText('the renamed', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'project-moved' }).waitFor();
    const { data } = await (await page.request.get(at('/platform/v1/keys'))).json() as { data: { id: string; name: string; lastUsedAt: string }[] };
    const own = data.find(({ name }) => name === 'the renamed')!;
    await page.getByRole('cell').getByText('the renamed', { exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Service key' });
    await sheet.getByText('set key').waitFor();
    await sheet.getByText('ada@example.com').first().waitFor();
    await settled(page);
    assert.deepEqual(await axeFindings(page), []);
    await page.keyboard.press('Escape');
    const made = await (await page.request.post(at('/platform/v1/keys'), { data: { name: 'to rotate' } })).json() as { id: string; key: string };
    const status = async (secret: string): Promise<number> => (await call(ground.system, secret)).status;
    await untilTrue(async () => await status(made.key) === 200);
    await openPage(page, at('/keys'));
    const row = page.getByRole('row').filter({ hasText: 'to rotate' });
    const choose = async (item: string): Promise<void> => {
      await row.getByRole('button', { name: 'What to do with to rotate' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Disable…');
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await row.getByText('Disabled').waitFor();
    await untilTrue(async () => await status(made.key) === 401);
    await choose('Enable');
    await row.getByText('In use').waitFor();
    await untilTrue(async () => await status(made.key) === 200);
    await choose('Rotate…');
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    await page.getByText('Copy the service key now').waitFor();
    const next = (await page.locator('pre[aria-label="service key"]').textContent())!;
    assert.notEqual(next, made.key);
    await untilTrue(async () => await status(next) === 200);
    assert.equal(await status(made.key), 200, 'the grace time runs');
    assert.ok(own.id.startsWith('key_'));
  });
}
