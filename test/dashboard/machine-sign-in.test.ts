/**
 * In a real browser: an admin sets the terms of own keys, a member lets a machine sign in that runs `metergate login`, by its own browser and by a
 * code, and finds the key among theirs. Decisions 195 and 196.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newMachine, type Machine } from '../login/machine.ts';
import { axeFindings, openPage, password, startGround, type Ground } from './browser.ts';

const here = `${process.platform}-${process.arch}`;

if (here !== 'linux-x64') {
  test(`the browser's tests of the dashboard are for linux-x64; this machine is ${here}`, () => assert.notEqual(here, 'linux-x64'));
} else {
  let ground: Ground;
  let admin: Page;
  let machine: Machine;
  const email = 'grace@example.com';
  const at = (path: string): string => `${ground.system.platformUrl}${path}`;
  before(async () => {
    ground = await startGround();
    admin = await ground.person(await ground.owner(), { reducedMotion: 'reduce' });
    const made = await ground.system.cli(['user', 'create', '--email', email, '--org', 'default', '--role', 'member'], password);
    assert.equal(made.code, 0, made.stderr);
    machine = newMachine();
    machine.write('.claude/settings.json', '{}\n');
  });
  after(async () => {
    machine?.remove();
    await ground?.end();
    assert.deepEqual(ground?.complaints.filter((line) => !/status of 40[0149]/.test(line)), [], 'the browser complains of nothing');
  });

  test('an admin sets the terms; a cap of own keys needs caps of keys that refuse', async () => {
    await openPage(admin, at('/settings'));
    const panel = admin.locator('section', { has: admin.getByRole('heading', { name: 'Keys that members make' }) });
    await panel.getByRole('switch', { name: 'Members make keys for themselves within these terms' }).check({ force: true });
    await panel.getByLabel('Keys of one member').fill('2');
    await panel.getByLabel('Longest life').fill('30');
    await panel.getByLabel('Cap of each key').fill('5');
    await panel.getByLabel('Cap of each member').fill('50');
    await panel.getByRole('button', { name: 'Save' }).click();
    await admin.getByText('Caps of keys refuse nothing here').waitFor();
    assert.equal((await ground.system.cli(['org', 'set', 'default', '--enforce-key-caps', 'on'])).code, 0);
    await panel.getByRole('button', { name: 'Save' }).click();
    await admin.getByText('The terms are saved.').waitFor();
    const { stdout } = await ground.system.cli(['org', 'show', 'default']);
    assert.match(stdout, /--own-keys +keys=2,expires=30d,cap=5\/month,person-cap=50\/month\n/);
  });

  test('by the machine\'s own browser: sign in, see what asks, allow; the key is on the machine and in no address', async () => {
    const login = machine.metergate('login', ground.system.platformUrl, '--yes');
    const page = await ground.stranger();
    const visited: string[] = [];
    page.on('framenavigated', (frame) => visited.push(frame.url()));
    await page.goto(await machine.opened());
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: /^Give .* a key of yours\?$/ }).waitFor();
    await page.getByText('Up to 2 keys for each member.').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('This machine has what it needs.').waitFor();
    const { code, stdout, stderr } = await login.ended;
    assert.equal(code, 0, stdout + stderr);
    const key = /svc_live_\w{43}/.exec(readFileSync(join(machine.home, '.claude/settings.json'), 'utf8'))![0];
    assert.ok(visited.length > 2 && visited.every((url) => !url.includes('svc_live_')), visited.join());
    assert.ok(!(await page.content()).includes(key.slice(14)));
    assert.equal((await machine.metergate('logout', '--yes').ended).code, 0);
    assert.equal(readFileSync(join(machine.home, '.claude/settings.json'), 'utf8'), '{}\n');
  });

  test('by a code: a wrong one is refused in words, the right one leads to the same choice; the key is among theirs, within the terms', async () => {
    const login = machine.metergate('login', ground.system.platformUrl, '--code', '--yes');
    const [, code] = await login.says(/\n {2}([A-Z]{4}-[A-Z]{4})\n/);
    const page = await ground.person(email, { reducedMotion: 'reduce' });
    await openPage(page, at('/connect'));
    await page.getByLabel('Code').fill('BBBB-BBBB');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('There is no such sign-in').first().waitFor();
    await page.getByLabel('Code').fill(code!.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('The machine has been allowed, for a minute.').waitFor();
    await page.getByRole('button', { name: 'Take it back' }).waitFor();
    assert.equal((await login.ended).code, 0);
    await openPage(page, at('/keys?tab=yours'));
    await page.getByText('2 keys', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByText('A key ends 30 days after it was made.').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByText('You have 2 keys, and may have no more than 2. Revoke one first.').waitFor();
    assert.equal((await machine.metergate('logout', '--yes', '--end-key').ended).code, 0);
  });
}
