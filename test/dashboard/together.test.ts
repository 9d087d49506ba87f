/**
 * In a real browser: two admins change settings at the same time, the platform restarts under an open page, the browser's language is none by
 * the standard, and somebody opens pages that their role does not show.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventuallyHolds } from '@metergate/testkit/eventually.ts';
import type { Page } from 'playwright-core';
import { axeFindings, call, openPage, password, startGround, untilTrue, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let email: string;
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
  const save = (page: Page) => page.getByRole('group').getByRole('button', { name: 'Save', exact: true }).click();
  const saved = (page: Page) => page.getByText('The settings are saved.').first().waitFor();
  const settings = async (page: Page): Promise<Record<string, unknown>> => {
    const session = await (await page.request.get(at('/platform/v1/auth/session'))).json() as { organization: { id: string } };
    return (await page.request.get(at(`/platform/v1/organizations/${session.organization.id}`))).json() as Promise<Record<string, unknown>>;
  };

  before(async () => {
    ground = await startGround();
    email = await ground.owner();
    const { key } = await ground.system.createKey();
    assert.equal((await call(ground.system, key)).status, 200);
    await ground.system.calls({ count: 1 });
  });
  after(async () => {
    await ground?.end();
  });

  test('two people who change different settings undo nothing of each other', async () => {
    const [one, other] = [await ground.person(email), await ground.person(email)];
    await openPage(one, at('/settings'));
    await openPage(other, at('/settings'));
    await field(one, 'A run at most').fill('7');
    await save(one);
    await saved(one);
    await field(other, 'Live runs together').fill('90');
    await save(other);
    await saved(other);
    const { runCeiling, runExposure } = await settings(one);
    assert.deepEqual([runCeiling, runExposure], ['7.000000000', '90.000000000']);
    assert.deepEqual(ground.complaints, []);
  });

  test('two people who change the same setting: the second sees both values and decides', async () => {
    const [one, other] = [await ground.person(email), await ground.person(email)];
    await openPage(one, at('/settings'));
    await openPage(other, at('/settings'));
    await field(one, 'A run at most').fill('11');
    await save(one);
    await saved(one);
    await field(other, 'A run at most').fill('12');
    await field(other, 'Live runs together').fill('91');
    await save(other);
    const conflict = other.getByRole('alert').filter({ hasText: 'Somebody else changed this meanwhile' });
    await conflict.getByText('A run at most: you entered 12, it is 11 now.').waitFor();
    assert.deepEqual(await axeFindings(other), []);
    assert.equal((await settings(one))['runExposure'], '90.000000000', 'nothing is half saved');
    await conflict.getByRole('button', { name: 'Keep theirs' }).click();
    await eventuallyHolds(async () => assert.equal(await field(other, 'A run at most').inputValue(), '$11'));
    await save(other);
    await saved(other);
    assert.deepEqual([(await settings(one))['runCeiling'], (await settings(one))['runExposure']], ['11.000000000', '91.000000000']);
    assert.deepEqual(ground.complaints.splice(0).filter((line) => !line.includes('409')), []);
  });

  test('two people who set the same cap: the second sees the first one, and decides', async () => {
    const [one, other] = [await ground.person(email), await ground.person(email)];
    const limits = async () => ((await (await one.request.get(at('/platform/v1/caps'))).json()) as { data: { limit: string }[] }).data
      .map(({ limit }) => limit);
    for (const page of [one, other]) {
      await openPage(page, at('/caps?new=cap'));
      await page.getByLabel('Limit, US dollars').fill(page === one ? '500' : '900');
    }
    await one.getByRole('button', { name: 'Arm the cap' }).click();
    await one.getByText('The cap is armed.').waitFor();
    await other.getByRole('button', { name: 'Arm the cap' }).click();
    const conflict = other.getByRole('alert').filter({ hasText: 'Somebody else changed this meanwhile' });
    await conflict.getByText('Limit: you entered 900, it is 500 now.').waitFor();
    assert.deepEqual(await axeFindings(other), []);
    assert.deepEqual(await limits(), ['500.000000000']);
    await conflict.getByRole('button', { name: 'Save mine' }).click();
    await other.getByText('The cap is armed.').waitFor();
    assert.deepEqual(await limits(), ['900.000000000']);
    assert.deepEqual(ground.complaints.splice(0).filter((line) => !line.includes('409')), []);
  });

  test('two people who declare the same upstream, or set the same thresholds: the second sees the first, and decides', async () => {
    const [one, other] = [await ground.person(email), await ground.person(email)];
    const conflict = other.getByRole('alert').filter({ hasText: 'Somebody else changed this meanwhile' });
    const fields = (page: Page) => page.locator('form').filter({ hasText: 'Sent as Authorization: Bearer' });
    for (const page of [one, other]) {
      await openPage(page, at('/providers'));
      await fields(page).getByLabel('Address').fill(page === one ? 'https://one.example.com' : 'https://other.example.com');
      await fields(page).getByLabel('Credential', { exact: true }).fill('a-secret-of-ours');
    }
    await fields(one).getByRole('button', { name: 'Declare' }).click();
    await one.getByText('The upstream is declared.').first().waitFor();
    await fields(other).getByRole('button', { name: 'Declare' }).click();
    await conflict.getByText('Address: you entered https://other.example.com, it is https://one.example.com now.').waitFor();
    assert.doesNotMatch(await conflict.innerText(), /secret/);
    await conflict.getByRole('button', { name: 'Save mine' }).click();
    await other.getByText('The upstream is declared.').first().waitFor();
    const declared = await (await one.request.get(at('/platform/v1/upstream'))).json() as Record<string, unknown>;
    assert.deepEqual([declared['url'], declared['hasCredential']], ['https://other.example.com', true]);
    await one.request.post(at('/platform/v1/caps'), { data: { scope: 'organization', window: 'month', limit: '900' } });
    for (const page of [one, other]) await openPage(page, at('/alerts?new=threshold'));
    await one.getByRole('button', { name: 'Set the thresholds' }).click();
    await one.getByText('The thresholds are set.').first().waitFor();
    const percents = other.getByRole('combobox', { name: 'Percent of its limit' });
    await percents.fill('95');
    await percents.press('Enter');
    // Its list would lie over the button.
    await percents.blur();
    await other.getByRole('button', { name: 'Set the thresholds' }).click();
    await conflict.waitFor();
    const alerts = await (await one.request.get(at('/platform/v1/alerts'))).json() as { data: { at: number[] }[] };
    assert.deepEqual(alerts.data.map(({ at: percent }) => percent), [[50, 80, 100]]);
    assert.deepEqual(ground.complaints.splice(0).filter((line) => !/409|404/.test(line)), []);
  });

  test('whoever types a provider key while somebody else connects one hears of it, and decides', async () => {
    const [one, other] = [await ground.person(email), await ground.person(email)];
    const key = (page: Page, name: string) => field(page, `${name} key`);
    const button = (page: Page, name: string) => page.locator('form').filter({ has: key(page, name) }).getByRole('button', { name: 'Replace' });
    const replace = async (page: Page, name: string): Promise<void> => {
      await key(page, name).fill('sk-canary-theirs');
      await button(page, name).click();
      await untilTrue(async () => await key(page, name).inputValue() === '');
    };
    const version = async (): Promise<unknown> => {
      const { data } = await (await one.request.get(at('/platform/v1/providers'))).json() as { data: { provider: string; version: number }[] };
      return data.find(({ provider }) => provider === 'openai')!.version;
    };
    for (const page of [one, other]) await openPage(page, at('/providers'));
    await key(other, 'OpenAI').fill('sk-canary-mine');
    await replace(one, 'OpenAI');
    const theirs = await version();
    // The other page reads both connections again.
    await replace(other, 'Anthropic');
    const conflict = other.getByRole('alert').filter({ hasText: 'Somebody else changed this meanwhile' });
    await conflict.getByText('The OpenAI key was replaced after you began to type.').waitFor();
    await eventuallyHolds(async () => assert.equal(await button(other, 'OpenAI').isDisabled(), true));
    assert.deepEqual(await axeFindings(other), []);
    assert.equal(await version(), theirs);
    await conflict.getByRole('button', { name: 'Save mine' }).click();
    await untilTrue(async () => await key(other, 'OpenAI').inputValue() === '');
    await conflict.waitFor({ state: 'detached' });
    assert.notEqual(await version(), theirs);
    // Nothing was read again since typing began: the platform refuses, and the page then asks.
    await key(one, 'OpenAI').fill('sk-canary-late');
    await button(one, 'OpenAI').click();
    const late = one.getByRole('alert').filter({ hasText: 'Somebody else changed this meanwhile' });
    await late.getByRole('button', { name: 'Keep theirs' }).click();
    await eventuallyHolds(async () => assert.equal(await key(one, 'OpenAI').inputValue(), ''));
    assert.deepEqual(ground.complaints.splice(0).filter((line) => !line.includes('409')), []);
  });

  test('a fallback price takes both of its rates', async () => {
    const page = await ground.person(email);
    await openPage(page, at('/settings'));
    await field(page, 'Fallback price, input').fill('3');
    await save(page);
    await page.getByText('A price takes both.').waitFor();
    assert.equal((await settings(page))['fallbackPrice'], null);
  });

  test('the chart is drawn under a language code that is not valid', async () => {
    const page = await ground.person(email);
    await page.addInitScript("Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix', configurable: true })");
    await openPage(page, at('/'));
    await page.locator('.chart canvas').first().waitFor();
    assert.deepEqual(ground.complaints, []);
  });

  for (const locale of ['de-DE', 'ar-EG']) {
    test(`times are in English and in the digits of all figures where the browser's language is ${locale}`, async () => {
      const page = await ground.person(email, { locale });
      await openPage(page, at('/audit'));
      const moment = page.getByRole('table', { name: 'Changes' }).locator('time').first();
      assert.match(await moment.innerText(), /^\d\d:\d\d:\d\d UTC\s+[A-Z][a-z]{2} \d{1,2}$/);
      assert.match((await moment.getAttribute('title'))!, /^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d:\d\d \S+$/);
      assert.deepEqual(ground.complaints, []);
    });
  }

  test('a page that the role does not show says which role it takes; an unknown address keeps the menu', async () => {
    const made = await ground.system.cli(['user', 'create', '--email', 'vi@example.com', '--org', 'default', '--role', 'viewer'], password);
    assert.equal(made.code, 0, made.stderr);
    const page = await ground.person('vi@example.com');
    await openPage(page, at('/members?new=invitation'));
    await page.getByText('This page needs the role admin.').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await openPage(page, at('/no-such-page'));
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Pages' }).count(), 1);
    assert.deepEqual(ground.complaints, []);
  });

  test('while the network is gone the frame stays, a click opens a page, and everything comes back by itself', async () => {
    const page = await ground.person(email);
    await openPage(page, at('/'));
    // The scripts of the other pages are there some seconds after the first.
    await untilTrue(() => page.evaluate("performance.getEntriesByType('resource').some(({ name }) => name.includes('settings-page'))"));
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await page.getByText('The platform is away').first().waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Pages' }).count(), 1);
    await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.context().setOffline(false);
    await page.getByText('The platform is away').first().waitFor({ state: 'detached' });
    await page.getByText('could not be shown').waitFor({ state: 'detached' });
    await page.getByText('No token yet').waitFor();
    ground.complaints.length = 0;
  });
}
