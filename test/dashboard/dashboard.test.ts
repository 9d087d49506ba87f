/**
 * In a real browser against the whole product: each page does its main job end to end, axe finds nothing on any page in light and dark,
 * nothing is wider than a phone, the browser complains of nothing, and names are shown as text whatever they contain.
 * The browser comes from npm, for Linux on x64; elsewhere the routes' own tests check what the pages request.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { allShipped } from '../all-shipped.ts';
import {
  atRest, axeFindings, axeHere, call, colorRules, followTo, openPage, password, settled, shownOn, startGround, untilTrue, type Ground,
} from './browser.ts';
import { loadedHere, pagePaths } from './pages.ts';

/** The width of a page after it was made narrow, once it has come to rest. */
async function settledWidth(page: Page): Promise<number> {
  return page.evaluate<number>(`${atRest}.then(() => document.documentElement.scrollWidth)`);
}

async function untilScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
}

const here = `${process.platform}-${process.arch}`;
const naughty = [
  '<script>document.title="run"</script>',
  '"><img src=x onerror=alert(1)>', "'; drop table x --", '{{7*7}} ${7*7}', '𝕏 مرحبا 日本 ­', '=1+1',
];

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  /** The owner's page, signed in by the first test. */
  let page: Page;
  let key: string;
  before(async () => {
    ground = await startGround();
    page = await ground.visitor();
  });
  after(async () => { await ground?.end(); });
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;

  test('from the one-time link to the first metered call', async () => {
    const { link } = (await ground.system.cli(['user', 'invite', '--org', 'default', '--role', 'owner', '--json'])).json() as { link: string };
    await page.goto(at(`/join#${link.split('#')[1]}`));
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password);
    await page.getByRole('textbox', { name: 'Password again' }).fill(password);
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await page.getByText('Waiting for the first call').waitFor();
    await page.getByLabel('Name').fill('first key');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByText('Copy the service key now').waitFor();
    key = (await page.locator('pre[aria-label="service key"]').textContent()) ?? '';
    assert.match(key, /^svc_live_/);
    assert.ok((await page.locator('pre[aria-label="settings for curl"]').textContent())?.includes(key), 'the new key is filled in');
    await page.getByText('1 of 4 steps').or(page.getByText('2 of 4 steps')).waitFor();
    await page.getByRole('button', { name: 'Send a test call' }).click();
    await page.getByText('Answered 200').waitFor();
    await page.getByText('A call came through').waitFor();
    // On a busy machine, a node that has just started may learn of a key late.
    await untilTrue(async () => (await call(ground.system, key)).status === 200);
    await page.getByRole('link', { name: 'Look at the call' }).click();
    await page.getByRole('heading', { name: 'gpt-5-mini' }).waitFor();
    await page.getByText('Priced by the list').waitFor();
  });

  test('a cap is set, and refuses once it is reached', async () => {
    await openPage(page, at('/caps'));
    await page.getByRole('button', { name: 'New cap' }).first().click();
    await page.getByLabel('Limit, US dollars').fill('0.000001');
    await page.getByRole('button', { name: 'Arm the cap' }).click();
    await page.getByText('Refusing calls').waitFor();
    await untilTrue(async () => (await call(ground.system, key)).status === 402);
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No cap yet').waitFor();
    await untilTrue(async () => (await call(ground.system, key)).status === 200);
  });

  test('a run is seen live, opened and closed, and its calls are refused from then on', async () => {
    const headers = { 'x-svc-run-id': 'run-of-the-test', 'x-svc-run-budget': '2.50', 'x-svc-run-ttl': '3600' };
    assert.equal((await call(ground.system, key, { headers })).status, 200);
    await openPage(page, at('/runs'));
    await page.getByRole('cell', { name: 'run-of-the-test' }).click();
    await page.getByRole('button', { name: 'Close the run…' }).click();
    await page.getByRole('button', { name: 'Close the run', exact: true }).click();
    await page.getByRole('dialog', { name: 'Run' }).getByText('Closed', { exact: true }).waitFor();
    await untilTrue(async () => (await call(ground.system, key, { headers })).status === 402);
  });

  test('a Baseline is made, its key shown once, and its report filled by the tap', async () => {
    await openPage(page, at('/baseline'));
    await page.getByRole('button', { name: 'Make a Baseline' }).click();
    await page.getByText('No event has come yet').waitFor();
    await page.getByRole('button', { name: 'Show the tap key' }).click();
    await page.getByText('Copy the tap key now').waitFor();
    const tapKey = (await page.locator('pre[aria-label="tap key"]').textContent()) ?? '';
    const events = ['a', 'b', 'c'].map((id) => ({
      schema: 'svc-tap-v1', provider: 'openai', model: 'gpt-5-mini', request_id: `req-${id}`, input_tokens: 1_000, output_tokens: 500,
      cached_tokens: 0, stop_reason: 'stop', tool_calls: 0, status: 200, retries: 0, latency_ms: 840, rate_limit: null,
      timestamp: new Date().toISOString(), tag: 'checkout-bot',
    }));
    const posted = await fetch(at('/tap/v1/events'), {
      method: 'POST', headers: { authorization: `Bearer ${tapKey}`, 'content-type': 'application/json', 'user-agent': 'test' },
      body: JSON.stringify({ events }),
    });
    assert.equal(posted.status, 202);
    await page.getByRole('cell', { name: 'checkout-bot' }).waitFor();
    await page.getByText('3 events have come').waitFor();
    for (const kind of ['modeled', 'reported']) await page.getByText(kind).first().waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Make another key…' }).waitFor();
    assert.equal(await page.getByText(tapKey).count(), 0, 'it is shown only once');
  });

  test('what explore shows is saved as it is seen', async () => {
    await allShipped(ground.system);
    await openPage(page, at('/explore?by=model'));
    await page.getByRole('button', { name: 'Save as a file' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'CSV' }).click()]);
    const lines = readFileSync(await download.path(), 'utf8').trimEnd().split('\r\n');
    const usage = await page.request.get(at('/platform/v1/usage?by=model'));
    const { data } = await usage.json() as { data: { model: string; calls: number; cost: string }[] };
    assert.equal(lines[0]?.split(',')[0], 'model');
    assert.equal(lines.length, data.length + 1);
    for (const { model, calls, cost } of data) {
      assert.ok(lines.some((line) => line.startsWith(`${model},${calls},`) && line.includes(cost)), `${model} ${calls} ${cost}`);
    }
  });

  test('a view of explore that is saved is there wherever the person signs in, and is removed', async () => {
    await openPage(page, at('/explore?by=project&metric=calls&range=90d'));
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await page.getByLabel('Name').fill(naughty[0]!);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The view is saved.').waitFor();
    const elsewhere = await ground.stranger();
    await elsewhere.request.post(at('/platform/v1/auth/sign-in/email'), { data: { email: 'ada@example.com', password } });
    await openPage(elsewhere, at('/explore'));
    await elsewhere.getByRole('button', { name: 'Views' }).click();
    await elsewhere.getByRole('menuitem', { name: naughty[0]!, exact: true }).click();
    await elsewhere.waitForURL(({ searchParams: of }) => of.get('by') === 'project' && of.get('metric') === 'calls' && of.get('range') === '90d');
    await elsewhere.getByRole('button', { name: 'Views' }).focus();
    await elsewhere.keyboard.press('Enter');
    await elsewhere.getByRole('menuitem', { name: `Remove ${naughty[0]!}` }).waitFor();
    // A key press before the menu has the focus moves nothing in it.
    await elsewhere.locator('[role="menu"]:focus-within').waitFor();
    for (let steps = 0; steps < 3 && await elsewhere.locator(':focus').getAttribute('aria-label') !== `Remove ${naughty[0]!}`; steps++) {
      await elsewhere.keyboard.press('ArrowDown');
    }
    await elsewhere.keyboard.press('Enter');
    await elsewhere.getByText('The view is removed.').waitFor();
    const { data } = await (await page.request.get(at('/platform/v1/views'))).json() as { data: unknown[] };
    assert.deepEqual(data, []);
  });

  test('the overview is filtered and grouped by its address, and every figure leads to calls', async () => {
    await openPage(page, at('/?by=model&range=24h'));
    await page.getByRole('img', { name: 'cost a day by model' }).waitFor();
    await page.getByLabel('Grouped by').selectOption('By service key');
    await page.getByRole('img', { name: 'cost a day by key' }).waitFor();
    await openPage(page, at('/?model=gpt-5-mini'));
    await page.getByText('Model: gpt-5-mini').waitFor();
    assert.equal(await page.getByText('Latency p50').count(), 0, 'what is only known of all calls is not shown of some');
    await page.getByRole('link', { name: /^Spend \$/ }).click();
    await page.waitForURL(/calls\?.*model=gpt-5-mini/);
    await openPage(page, at('/?model=nothing-like-it'));
    await page.getByText('No call in this time range matches the filters.').waitFor();
  });

  test('errors and costs that are not whole lead to just their calls, and the list is narrowed by how calls ended', async () => {
    const { key } = await (await page.request.post(at('/platform/v1/keys'), { data: { name: 'of unknown models' } })).json() as { key: string };
    await untilTrue(async () => (await call(ground.system, key, { model: 'model-that-nobody-priced' })).status === 200);
    await allShipped(ground.system);
    await openPage(page, at('/?range=24h'));
    const leads = async (figure: string) => {
      // By the name that a screen reader says: a figure alone tells nobody what it is of.
      const link = page.getByRole('link', { name: new RegExp(`^${figure} .*%$`) });
      return new URL((await link.getAttribute('href'))!, at('/')).searchParams;
    };
    assert.equal((await leads('Provider errors')).get('status'), 'error');
    assert.equal((await leads('Cost incomplete')).get('lacks'), 'any');
    await followTo(page, at('/calls?range=24h&lacks=any'));
    await page.getByRole('cell', { name: /model-that-nobody-priced/ }).first().waitFor();
    assert.equal(await page.getByRole('cell', { name: /gpt-5-mini/ }).count(), 0);
    await page.getByLabel('How it ended').selectOption('5xx');
    await page.waitForURL(({ searchParams }) => searchParams.get('status') === '5xx' && searchParams.get('lacks') === 'any');
    await page.getByText('No call in this time').waitFor();
  });

  test('a time range that begins before the oldest record is marked as incomplete, wherever it is shown', async () => {
    const gone = new Date(Date.now() - 5 * 86_400_000).toISOString();
    // Done inside the page: a browser whose requests are intercepted does not cache scripts for its next page.
    const script = await page.addInitScript((recordsGoneBefore) => {
      const ask = globalThis.fetch;
      globalThis.fetch = async (...asked) => {
        const answer = await ask(...asked);
        if (!/\/platform\/v1\/organizations\/org_/.test(answer.url)) return answer;
        return Response.json({ ...await answer.json() as object, recordsGoneBefore }, { status: answer.status, headers: answer.headers });
      };
    }, gone);
    await openPage(page, at('/start'));
    for (const path of ['/', '/explore', '/projects', '/exports', '/calls', `/statement?month=${gone.slice(0, 7)}`]) {
      const separator = path.includes('?') ? '&' : '?';
      await followTo(page, at(`${path}${separator}range=30d`));
      await page.getByText('Part of this time is missing').waitFor();
      if (path.startsWith('/statement')) continue;
      await followTo(page, at(`${path}${separator}range=24h`));
      await page.getByText('Part of this time is missing').first().waitFor({ state: 'detached' });
    }
    assert.deepEqual(await axeFindings(page), []);
    await script.dispose();
  });

  test('who runs the deployment sees its nodes; the owner of another organization does not', async () => {
    await openPage(page, at('/'));
    await page.getByRole('link', { name: 'Nodes' }).click();
    const node = page.getByRole('region', { name: /^Node on / });
    await node.getByText('Ready', { exact: true }).waitFor();
    await node.getByText('All shipped').waitFor();
    await page.getByText('Proved up to').waitFor();
    const proof = await (await page.request.get(at('/platform/v1/figure-proof'))).json() as { differences: unknown[] };
    assert.deepEqual(proof.differences, []);
    const made = await ground.system.cli(['org', 'create', 'another']);
    assert.equal(made.code, 0, made.stderr);
    const owner = ['user', 'create', '--email', 'eve@example.com', '--org', 'another', '--role', 'owner'];
    assert.equal((await ground.system.cli(owner, password)).code, 0);
    const other = await ground.stranger();
    await other.request.post(at('/platform/v1/auth/sign-in/email'), { data: { email: 'eve@example.com', password } });
    await openPage(other, at('/'));
    assert.equal(await other.getByRole('link', { name: 'Nodes' }).count(), 0);
    for (const own of ['nodes', 'figure-proof']) assert.equal((await other.request.get(at(`/platform/v1/${own}`))).status(), 403);
    await openPage(other, at('/nodes'));
    await other.getByText('This page is for those who run the deployment.').waitFor();
    ground.complaints.length = 0;
  });

  test('names, projects, labels and models are shown as text, whatever they contain', async () => {
    const made = await Promise.all(naughty.map(async (name) => {
      const answer = await page.request.post(at('/platform/v1/keys'), { data: { name, project: name } });
      assert.equal(answer.status(), 201);
      return (await answer.json() as { key: string }).key;
    }));
    // A node learns of the keys one after the other.
    await Promise.all(naughty.map((name, index) => untilTrue(async () => (await call(ground.system, made[index]!, {
      model: name, headers: { 'x-svc-tags': Buffer.from(name, 'utf8').toString('latin1') },
    })).status !== 401)));
    await allShipped(ground.system);
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => { dialogs.push(dialog.message()); void dialog.dismiss(); });
    const month = new Date().toISOString().slice(0, 7);
    await openPage(page, at('/keys'));
    for (const path of ['/keys', '/calls', '/', '/explore?by=project', '/projects', `/statement?month=${month}`]) {
      if (path !== '/keys') await followTo(page, at(path));
      for (const name of naughty.slice(0, 2)) await page.getByText(name).first().waitFor();
      assert.equal(await page.locator('main img, main script').count(), 0, path);
    }
    assert.deepEqual(dialogs, []);
    assert.match(await page.title(), /Metergate$/);
  });

  test('keyboard alone: signing in, a service key, a cap', async () => {
    const other = await ground.stranger();
    const press = async (...keys: string[]): Promise<void> => { for (const each of keys) await other.keyboard.press(each); };
    await openPage(other, at('/keys?new=key'));
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.keyboard.type('ada@example.com');
    await press('Tab');
    await other.keyboard.type(password);
    await press('Enter');
    await other.getByRole('dialog', { name: 'New service key' }).locator('input:focus').waitFor();
    await other.keyboard.type('by keyboard');
    await press('Enter');
    await other.getByText('Copy the service key now').waitFor();
    await press('Escape');
    await other.getByRole('cell').getByText('by keyboard', { exact: true }).waitFor();
    await press('Control+k');
    await other.getByPlaceholder(/^Any id/).waitFor();
    await other.keyboard.type('set a cap');
    await other.locator('.palette-action').first().filter({ hasText: 'Set a cap' }).waitFor();
    await press('Enter');
    await other.getByRole('dialog', { name: 'New cap' }).locator('input:focus').waitFor();
    for (let tabs = 0; tabs < 6 && await other.locator(':focus').getAttribute('inputmode') === null; tabs++) await press('Tab');
    await other.keyboard.type('900');
    await press('Enter');
    await other.getByText('$900.00').waitFor();
    await other.getByRole('button', { name: 'Your account' }).focus();
    await press('Enter');
    await other.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    // A key press before the menu has the focus does not close it.
    await other.locator('[role="menu"]:focus-within').waitFor();
    await press('Escape');
    await untilTrue(() => other.evaluate<boolean>("document.activeElement.ariaLabel === 'Your account'"));
  });

  test('a session that ends loses nothing that was typed', async () => {
    // A separate session, which no later test uses.
    const other = await ground.stranger();
    await other.request.post(at('/platform/v1/auth/sign-in/email'), { data: { email: 'ada@example.com', password } });
    await openPage(other, at('/keys?new=key'));
    await other.getByLabel('Name').fill('typed before the end');
    await other.request.post(at('/platform/v1/auth/sign-out'));
    await other.getByRole('button', { name: 'Make the key' }).click();
    const again = other.getByRole('dialog', { name: 'Your session ended' });
    await again.getByRole('textbox', { name: 'Password' }).fill(password);
    await again.getByRole('button', { name: 'Sign in again' }).click();
    await again.waitFor({ state: 'hidden' });
    assert.equal(await other.getByLabel('Name').inputValue(), 'typed before the end');
    await other.getByRole('button', { name: 'Make the key' }).click();
    await other.getByText('Copy the service key now').waitFor();
    // Of this page alone: one that another test left open may ask for what its reader may not see at any moment.
    const own = ground.complaints.splice(0).filter((line) => line.startsWith(at('/keys')));
    assert.deepEqual(own.filter((line) => !/status of 401/.test(line)), []);
  });

  test('the first page takes less than 200 KB of compressed script, and nothing from elsewhere', async () => {
    const other = await ground.visitor();
    let bytes = 0;
    const elsewhere: string[] = [];
    other.on('response', (response) => {
      if (!response.url().startsWith(ground.system.platformUrl)) elsewhere.push(response.url());
      if (response.url().endsWith('.js')) bytes += Number(response.headers()['content-length']);
    });
    await openPage(other, at('/sign-in'));
    assert.ok(bytes > 10_000 && bytes < 200_000, `${bytes} bytes of script`);
    await other.request.post(at('/platform/v1/auth/sign-in/email'), { data: { email: 'ada@example.com', password } });
    bytes = 0;
    // While a request is not answered, the scripts of other pages are not loaded ahead.
    const answered = Promise.withResolvers<void>();
    await other.route(/\/platform\/v1\/organizations$/, (route) => answered.promise.then(() => route.continue()));
    await other.goto(at('/'));
    await other.locator('.uplot canvas').waitFor();
    assert.ok(bytes > 100_000 && bytes < 200_000, `${bytes} bytes of script for the overview`);
    answered.resolve();
    await settled(other);
    assert.deepEqual(elsewhere, []);
    const policy = (await other.request.get(at('/'))).headers()['content-security-policy'] ?? '';
    assert.doesNotMatch(policy, /unsafe/);
    await other.context().close();
  });

  // Every page is opened once: half of them in light and then switched to dark, half the other way.
  const bothWays = [['light', 'dark'], ['dark', 'light']] as const;
  for (const [half, [first, second]] of bothWays.entries()) {
    test(`axe finds nothing on pages in light and dark, opened in ${first}; none is wider than a phone`, async () => {
      ground.complaints.length = 0;
      await page.emulateMedia({ colorScheme: first, reducedMotion: 'reduce' });
      await openPage(page, at('/'));
      const found: string[] = [];
      const look = async (of: Page, path: string, rules?: readonly string[]): Promise<void> => {
        found.push(...(await axeHere(of, rules)).map((line) => `${path} ${line}`));
      };
      const measure = async (path: string): Promise<void> => {
        const width = await settledWidth(page);
        if (width > 375) found.push(`${path} is ${width} wide on a phone`);
      };
      for (const path of pagePaths.filter((_, index) => index % 2 === half)) {
        await page.emulateMedia({ colorScheme: first });
        await page.setViewportSize({ width: 1_280, height: 860 });
        // Pages that no other test loads are loaded here.
        if (loadedHere.includes(path)) await openPage(page, at(path));
        else if (page.url() !== at(path)) await followTo(page, at(path));
        assert.equal(new URL(page.url()).pathname, path.replace(/\?.*/, ''), 'the page itself is looked at, not the way in');
        await untilScheme(page, first);
        const shown = await shownOn(page);
        await look(page, `${path}, ${first}`);
        await page.emulateMedia({ colorScheme: second });
        await untilScheme(page, second);
        await page.evaluate(atRest);
        // If only the colours differ, all other rules find the same.
        await look(page, `${path}, ${second}`, await shownOn(page) === shown ? colorRules : undefined);
        await page.setViewportSize({ width: 375, height: 800 });
        await measure(`${path}, ${second}`);
        await page.emulateMedia({ colorScheme: first });
        await measure(`${path}, ${first}`);
      }
      await page.setViewportSize({ width: 1_280, height: 860 });
      const visitor = await ground.stranger();
      await visitor.emulateMedia({ colorScheme: first });
      for (const path of ['/sign-in', '/join#x', '/limits', '/nowhere']) {
        await openPage(visitor, at(path));
        await look(visitor, `${path}, ${first}`);
      }
      assert.deepEqual(found, []);
      // The browser itself logs answers that are 401 or 404: who is signed in, and whether there is an upstream.
      assert.deepEqual(ground.complaints.filter((line) => !/status of 40[14]/.test(line)), []);
    });
  }
}
