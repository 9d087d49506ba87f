/**
 * In a real browser: what opens over a page, what a page is before anything is there, and what it is where its answers fail. Axe finds nothing in
 * any of these states, in light and in dark, none is wider than a phone, and what is modal lies in the middle of the window or at its right edge.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { atRest, axeFindings, axeHere, call, followTo, openPage, password, settled, startGround, untilTrue, type Ground } from './browser.ts';
import { pagePaths } from './pages.ts';

const here = `${process.platform}-${process.arch}`;

/** A page, and what is done there until the state is reached. */
type State = readonly [path: string, reach?: (page: Page) => Promise<unknown>];

const dialog = (page: Page) => page.getByRole('dialog').last().waitFor();
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
/** The menu of the first row that has one, and one of its items. */
const item = (name: string | RegExp) => async (page: Page) => {
  await press(/^What to do with/)(page);
  await page.getByRole('menuitem', { name }).click();
  await dialog(page);
};
const ask = (name: string | RegExp) => async (page: Page) => {
  await press(name)(page);
  await dialog(page);
};
const listed = (label: string) => async (page: Page) => {
  await page.getByLabel(label, { exact: true }).first().click();
  await page.getByRole('listbox').filter({ visible: true }).first().waitFor();
};

const states: readonly State[] = [
  ['/', async (page) => { await press('Filter')(page); await dialog(page); }],
  ['/', async (page) => { await press('Your account')(page); await page.getByRole('menuitem', { name: 'Sign out' }).waitFor(); }],
  ['/', async (page) => { await press('Colors of the page')(page); await page.getByRole('menuitem', { name: 'Dark' }).waitFor(); }],
  ['/', async (page) => { await page.keyboard.press('Control+k'); await page.getByPlaceholder(/^Any id/).fill('no such name'); }],
  ['/?since=2026-01-05T00:00:00Z&until=2026-01-12T00:00:00Z', async (page) => {
    await press(/^First and last day/)(page);
    await page.getByRole('table').filter({ visible: true }).first().waitFor();
  }],
  ['/explore?by=key&beside=before'],
  ['/explore?by=person'],
  ['/explore?by=day&and=model&metric=tokens'],
  ['/explore', async (page) => { await press('Views')(page); await page.getByRole('menuitem').first().waitFor(); }],
  ['/explore', async (page) => {
    await press('Views')(page);
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await dialog(page);
  }],
  ['/explore', async (page) => { await press('Save as a file')(page); await page.getByRole('menuitem', { name: 'CSV' }).waitFor(); }],
  ['/calls?call=CALL', async (page) => {
    await dialog(page);
    await press('Verify')(page);
    await page.getByText('Verified in this browser').waitFor();
  }],
  ['/refusals', listed('Why')],
  ['/refusals?id=REFUSAL', dialog],
  ['/runs?run=night-1', dialog],
  ['/runs?run=night-1', ask('Close the run…')],
  ['/runs?new=grant', async (page) => {
    await page.getByLabel('Run id').fill('night-2');
    await page.getByLabel('Highest budget, US dollars').fill('3');
    await press('Mint the grant')(page);
    await page.getByText("Send it with the run's first call").waitFor();
  }],
  ['/caps?new=cap', async (page) => {
    await page.getByLabel('Limit, US dollars').fill('0.000001');
    await page.getByText('it would have refused').waitFor();
  }],
  ['/caps', ask('Remove…')],
  ['/alerts?new=webhook', dialog],
  ['/alerts?new=threshold', dialog],
  ['/alerts?id=WEBHOOK', dialog],
  ['/alerts', item('Remove…')],
  ['/month', async (page) => { await press(/^Month: /)(page); await page.getByRole('button', { name: 'Year before' }).waitFor(); }],
  ['/month', ask('Set a budget')],
  ['/month', async (page) => {
    await ask('Set the rules')(page);
    await press('Add a rule')(page);
    await page.getByLabel('Who pays by rule 1', { exact: true }).selectOption('split');
    await press('Add an account')(page);
  }],
  ['/month', ask(/^Close .*…$/)],
  ['/baseline', press('Make a Baseline')],
  ['/keys?id=KEY', dialog],
  ['/keys', item('Rename, move, change…')],
  ['/keys', item('Rotate…')],
  ['/keys', item('Disable…')],
  ['/keys', item('Revoke…')],
  ['/keys?new=key', press('More settings')],
  ['/keys?new=key', async (page) => { await press('Make the key')(page); await page.getByText('Copy the service key now').waitFor(); }],
  ['/providers', ask(/^Disconnect/)],
  ['/providers', press('Declare an upstream…')],
  ['/members?new=invitation', dialog],
  ['/members', item('Remove…')],
  ['/tokens?new=token', dialog],
  ['/tokens', ask('Revoke…')],
  ['/settings', ask('Sign with another key…')],
  ['/settings?tab=erase'],
  ['/settings?tab=you', ask(/^End/)],
  ['/start?tool=codex', async (page) => { await press('Open: Send a call')(page); await listed('Client')(page); }],
];

/** Pages that cannot be shown without an answer. */
const asking = [
  '/', '/explore', '/calls', '/refusals', '/runs', '/alerts', '/projects', '/month', '/statement', '/keys', '/members', '/tokens', '/audit', '/nodes',
  '/settings', '/start', '/providers', '/baseline', '/caps',
] as const;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let page: Page;
  const ids: Record<string, string> = {};
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  const made = async (path: string, data: object): Promise<Record<string, string>> => {
    const answer = await page.request.post(at(`/platform/v1${path}`), { data });
    assert.equal(answer.status(), 201, await answer.text());
    return answer.json() as Promise<Record<string, string>>;
  };
  const first = async (path: string): Promise<string> =>
    ((await (await page.request.get(at(`/platform/v1${path}`))).json()) as { data: { id: string }[] }).data[0]!.id;

  before(async () => {
    ground = await startGround();
    const email = await ground.owner();
    page = await ground.person(email, { reducedMotion: 'reduce' });
    const { id, key } = await made('/keys', { name: 'worker', person: email });
    ids['KEY'] = id!;
    const headers = { 'x-svc-run-id': 'night-1', 'x-svc-run-budget': '0.5', 'x-svc-tags': 'team:core' };
    await untilTrue(async () => (await call(ground.system, key!, { headers })).status === 200);
    assert.equal((await call(ground.system, key!, { model: 'nobody-priced-this' })).status, 200);
    assert.equal((await call(ground.system, key!, { headers: { 'x-svc-run-budget': '1' } })).status, 400);
    await ground.system.calls({ count: 2 });
    await made('/caps', { scope: 'organization', window: 'month', limit: '900' });
    ids['WEBHOOK'] = (await made('/webhooks', { url: 'https://hooks.example.com/metergate' }))['id']!;
    await made('/tokens', { name: 'script', role: 'viewer', expiresInSeconds: null });
    const member = await ground.system.cli(['user', 'create', '--email', 'vi@example.com', '--org', 'default', '--role', 'viewer'], password);
    assert.equal(member.code, 0, member.stderr);
    ids['CALL'] = await first('/calls?limit=1&usage=reported');
    // A call is there at once; its receipt follows within seconds.
    await untilTrue(async () => (await (await page.request.get(at('/platform/v1/receipts'))).text()).includes(ids['CALL']!));
    await untilTrue(async () => ((await (await page.request.get(at('/platform/v1/refusals/log'))).json()) as { data: unknown[] }).data.length > 0);
    ids['REFUSAL'] = await first('/refusals/log');
  });
  after(async () => { await ground?.end(); });

  /** Where what is modal begins and ends, if that is neither around the middle of the window nor at its right edge. */
  const displaced = (of: Page): Promise<string[]> => of.evaluate<string[]>(`${atRest}.then(() => [...document.querySelectorAll('[aria-modal=true]')]
    .map((each) => each.getBoundingClientRect())
    .filter(({ left, right }) => Math.abs(right - innerWidth) > 1 && Math.abs(left + right - innerWidth) > 2)
    .map(({ left, right }) => 'lies from ' + left + ' to ' + right + ' of ' + innerWidth))`);

  /** What is wrong with a state: what axe finds, a place outside of the window, and a width that a phone does not have. */
  async function wrongWith(of: Page): Promise<string[]> {
    await settled(of);
    const found = [...await axeFindings(of), ...await displaced(of)];
    await of.setViewportSize({ width: 375, height: 800 });
    const width = await of.evaluate<number>(`${atRest}.then(() => document.documentElement.scrollWidth)`);
    await of.setViewportSize({ width: 1_280, height: 860 });
    return width > 375 ? [...found, `${width} wide on a phone`] : found;
  }

  for (const [of, opened] of Map.groupBy(states, ([path]) => /^\/\w*/.exec(path)![0])) {
    test(`what opens over ${of} is accessible in light and dark, and no wider than a phone`, async () => {
      const found: string[] = [];
      await openPage(page, at('/connect'));
      for (const [path, reach] of opened) {
        await followTo(page, at(path.replace(/=([A-Z]+)$/, (_, name: string) => `=${ids[name]}`)));
        await reach?.(page);
        found.push(...(await wrongWith(page)).map((line) => `${path} ${String(reach)} ${line}`));
        // What is open would lie over the next page; a page that is left takes what it opened with it.
        await page.keyboard.press('Escape');
        await followTo(page, at('/connect'));
      }
      assert.deepEqual(found, []);
    });
  }

  test('so is every page of an organization in which nothing is yet', async () => {
    assert.equal((await ground.system.cli(['org', 'create', 'new'])).code, 0);
    const owner = ['user', 'create', '--email', 'eve@example.com', '--org', 'new', '--role', 'owner'];
    assert.equal((await ground.system.cli(owner, password)).code, 0);
    const empty = await ground.person('eve@example.com', { reducedMotion: 'reduce' });
    const found: string[] = [];
    await openPage(empty, at('/settings'));
    for (const path of pagePaths.filter((each) => each !== '/settings')) {
      await followTo(empty, at(path));
      found.push(...(await wrongWith(empty)).map((line) => `${path} ${line}`));
      if (path === '/providers') await empty.getByText('It takes any text as a key: connect one to go on.').waitFor();
      if (path === '/') assert.equal(await empty.locator('main .panel').count(), 1, 'one panel says that nothing is there, and no other');
    }
    assert.deepEqual(found, []);
  });

  /** Goes to pages while their answers fail, and says what is wrong with them besides that. */
  async function failing(
    { paths, requests, answer, said }:
    { readonly paths: readonly string[]; readonly requests: RegExp; readonly answer: (route: Route) => Promise<void>; readonly said: string },
  ): Promise<string[]> {
    const found: string[] = [];
    await openPage(page, at('/connect'));
    await page.route(requests, answer);
    for (const [index, path] of paths.entries()) {
      await followTo(page, at(path));
      await page.getByRole('alert').filter({ hasText: said }).first().waitFor();
      assert.equal(await page.getByRole('navigation', { name: 'Pages' }).count(), 1, path);
      assert.equal(await page.locator('main h1').count(), 1, path);
      // Faults look the same on every page: one is looked at in both schemes and on a phone.
      found.push(...(index === 0 ? await wrongWith(page) : await axeHere(page)).map((line) => `${path} ${line}`));
    }
    // A request that is caught while this ends would never be answered, and its page would wait for it.
    await settled(page);
    await page.unroute(requests);
    return found;
  }

  test('so is every page whose answers fail: it says so, keeps its head and its menu, and comes when it is asked again', async () => {
    const failed = { status: 500, json: { error: { code: 'internal_error', message: 'Something failed.' } } };
    const found = await failing({
      paths: asking, requests: /\/platform\/v1\/(?!auth\/session)/, answer: (route) => route.fulfill(failed), said: 'Something failed.',
    });
    // The last of these pages is still open.
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('alert').first().waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: '$900' }).first().waitFor();
    assert.deepEqual(found, []);
  });

  const storeAway = { status: 503, json: { error: { code: 'unavailable', message: 'The store cannot answer this request right now.' } } };

  for (const [what, answer, said] of [
    ['that gets no answer', (route: Route) => route.abort('connectionrefused'), 'The platform did not answer'],
    ['of a platform whose store is away', (route: Route) => route.fulfill(storeAway), storeAway.json.error.message],
  ] as const) {
    test(`so is a page ${what}: it says that the platform is away, and comes by itself`, async () => {
      const found = await failing({ paths: ['/keys', '/calls', '/month'], requests: /\/platform\/v1\//, answer, said });
      await page.getByRole('alert').first().waitFor({ state: 'detached' });
      await page.getByText('The platform is away').waitFor({ state: 'detached' });
      assert.deepEqual(found, []);
    });
  }

  test('where the store is away for what a page asks alone, the page says so, that nothing else is away, and comes by itself', async () => {
    const requests = /\/platform\/v1\/(?!auth\/session)/;
    await failing({ paths: ['/keys'], requests, answer: (route) => route.fulfill(storeAway), said: storeAway.json.error.message });
    assert.equal(await page.getByText('The platform is away').count(), 0);
    await page.getByRole('alert').first().waitFor({ state: 'detached' });
    await page.getByRole('cell').first().waitFor();
  });

  test('what a page lacked that was left is not asked for again; what is shown from before says so until it is there anew', async () => {
    const own = await ground.person('ada@example.com', { reducedMotion: 'reduce' });
    await own.clock.install();
    await openPage(own, at('/keys'));
    const requests = /\/platform\/v1\/keys/;
    let asked = 0;
    await own.route(requests, (route) => {
      asked += 1;
      return route.fulfill(storeAway);
    });
    // The answer from before is not asked for anew within five seconds.
    await followTo(own, at('/connect'));
    await own.clock.runFor(6_000);
    await followTo(own, at('/keys'));
    const older = own.getByRole('status').filter({ hasText: 'A part of this page is from before' });
    await untilTrue(async () => {
      if (await older.isVisible()) return true;
      // Its retries are the page's own.
      await own.clock.runFor(1_000);
      return false;
    });
    await own.getByRole('cell', { name: 'worker' }).first().waitFor();
    assert.deepEqual(await axeFindings(own), []);
    assert.equal(await own.getByText('The platform is away').count(), 0);
    await followTo(own, at('/connect'));
    await older.waitFor({ state: 'detached' });
    const before = asked;
    for (let second = 0; second < 120; second += 1) await own.clock.runFor(1_000);
    await settled(own);
    assert.equal(asked, before);
    await followTo(own, at('/keys'));
    await older.waitFor();
    await own.unroute(requests);
    await untilTrue(async () => {
      if (!await older.isVisible()) return true;
      await own.clock.runFor(1_000);
      return false;
    });
    await own.context().close();
  });

  test('where older rows do not come, the list says so', async () => {
    await openPage(page, at('/connect'));
    const requests = /\/platform\/v1\/audit/;
    await page.route(requests, async (route) => {
      const failed = { status: 500, json: { error: { code: 'internal_error', message: 'It failed.' } } };
      if (route.request().url().includes('cursor=')) return route.fulfill(failed);
      const response = await route.fetch();
      return route.fulfill({ response, json: { ...await response.json() as object, nextCursor: 'older' } });
    });
    await followTo(page, at('/audit'));
    await page.getByRole('button', { name: 'Older changes' }).click();
    await page.getByRole('alert').filter({ hasText: 'It failed.' }).waitFor();
    await page.getByRole('row').nth(1).waitFor();
    await settled(page);
    await page.unroute(requests);
  });

  test('a document that is opened while the store is away says so, and comes by itself', async () => {
    const requests = /\/platform\/v1\//;
    await page.route(requests, (route) => route.fulfill(storeAway));
    await page.goto(at('/keys'));
    await page.getByRole('heading', { name: 'The platform is away' }).waitFor();
    await page.unroute(requests);
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  });

  test('no two buttons of a page have the same name: those in rows say whose they are', async () => {
    await made('/caps', { scope: 'key', key: ids['KEY'], window: 'month', limit: '5' });
    await made('/webhooks', { url: 'https://hooks.example.com/other' });
    await made('/tokens', { name: 'other script', role: 'viewer', expiresInSeconds: null });
    await made('/invitations', { email: 'first@example.com', role: 'viewer' });
    await made('/invitations', { email: 'second@example.com', role: 'viewer' });
    const caps = (await (await page.request.get(at('/platform/v1/caps'))).json()) as { data: { id: string }[] };
    for (const { id } of caps.data) await made('/alerts', { cap: id, at: [80] });
    for (const subject of ['team:core', 'team:other']) await made('/month-budgets', { scope: 'label', subject, month: null, amount: '5', at: [80] });
    await call(ground.system, (await ground.system.createKey()).key, { headers: { 'x-svc-project': 'first' } });
    const same: string[] = [];
    for (const path of pagePaths) {
      await openPage(page, at(path));
      same.push(...(await sameNames(page)).map((name) => `${path} ${name}`));
    }
    assert.deepEqual(same, []);
  });
}

/** The names that more than one button of the page has, or more than one link in a row of a list. Buttons that sort are identified by their table. */
async function sameNames(page: Page): Promise<string[]> {
  await axeHere(page, ['button-name']);
  return page.evaluate<string[]>(`(() => {
    axe.setup(document);
    const named = [...document.querySelectorAll('main button:not(th button), main td.card-actions a')]
      .filter((each) => each.checkVisibility({ visibilityProperty: true }))
      .map((each) => axe.commons.text.accessibleText(each));
    axe.teardown();
    return [...new Set(named.filter((name, at) => named.indexOf(name) !== at))];
  })()`);
}
