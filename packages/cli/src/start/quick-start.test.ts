/** The first owner's one-time link is made and shown once, to a terminal; anyone else reads the command that makes one. Rules: Interfaces. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openStore, type Store } from '@metergate/store/store.ts';
import { prepareFirstStart, type FirstStart } from './first-start.ts';
import type { KeptData } from './kept-data.ts';
import { quickStartLines } from './quick-start.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'metergate-quick-start-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const urls = { gatewayUrl: 'http://gateway.test', platformUrl: 'http://platform.test' };
const atDefault: KeptData = { sentence: 'Data is kept in /here/data.', prefix: '', variables: [] };
const shown = (firstStart: FirstStart): string =>
  quickStartLines({ ...urls, place: atDefault, sandbox: false, alone: true, gatewayUnknown: false, firstStart }).join('\n');
const storeNamed = (name: string): Promise<Store> => openStore({
  url: `sqlite:${join(folder, name)}`, masterKey: new Uint8Array(32), clock: Date.now, randomBytes: (n) => randomBytes(n), create: true,
});

test('at a terminal the first start shows the link, the second does not', async () => {
  const store = await storeNamed('terminal.db');
  const start = () => prepareFirstStart({ store, env: {}, isTerminal: true, sandbox: false, randomBytes: (n) => randomBytes(n), nowMs: Date.now() });
  const first = await start();
  assert.match(shown(first), /\n {2}http:\/\/platform\.test\/join#[0-9A-Za-z]{43}\n/);
  const [organization] = await store.organizations.list();
  const [invitation, ...more] = await store.invitations.listOpen(organization!.id);
  assert.deepEqual([invitation!.role, invitation!.email, more], ['owner', null, []]);
  const second = await start();
  assert.equal(second.ownerPath, null);
  assert.doesNotMatch(shown(second), /join#/);
  assert.match(shown(second), /^No owner has joined yet\. Create a new one-time link with: npx .*metergate user invite --org default --role owner$/m);
  await store.members.create({ organization: organization!.id, email: 'ada@example.com', passwordHash: 'h', role: 'owner' });
  assert.doesNotMatch(shown(await start()), /owner|user invite/);
  await store.close();
});

test('elsewhere no link is made, and the command that makes one is named', async () => {
  const store = await storeNamed('pipe.db');
  const first = await prepareFirstStart({ store, env: {}, isTerminal: false, sandbox: false, randomBytes: (n) => randomBytes(n), nowMs: Date.now() });
  assert.doesNotMatch(shown(first), /join#/);
  assert.match(shown(first), /metergate user invite --org default --role owner/);
  const [organization] = await store.organizations.list();
  assert.deepEqual(await store.invitations.listOpen(organization!.id), []);
  await store.close();
});

test('the sandbox says at each start that its calls are recorded like real ones, and how to keep them apart', () => {
  for (const first of [true, false]) {
    const firstStart: FirstStart = { first, serviceKey: null, ownerPath: null, connectedFrom: [], connected: [], ownerAwaited: false };
    const lines = quickStartLines({ ...urls, place: atDefault, sandbox: true, alone: true, gatewayUnknown: false, firstStart });
    const typed = /priced and counted by caps like real ones[^]*\n {2}SVC_DATA_DIR=\.\/sandbox npx --no-install metergate start --sandbox\n/;
    assert.match(lines.join('\n'), typed);
    const place = { ...atDefault, prefix: 'SVC_DATA_DIR=./trial ' };
    const chosen = quickStartLines({ ...urls, place, sandbox: true, alone: true, gatewayUnknown: false, firstStart });
    assert.match(chosen.join('\n'), /like real ones\. Keep them apart from those\.\n\n/);
    assert.doesNotMatch(chosen.join('\n'), /\.\/sandbox/, 'a directory that was chosen needs no advice');
  }
});

const firstOf: FirstStart = { first: true, serviceKey: null, ownerPath: null, connectedFrom: [], connected: [], ownerAwaited: false };

test('every command that is shown works on the data of this start', () => {
  const place = { ...atDefault, prefix: 'SVC_DATA_DIR=./sandbox ' };
  const text = [firstOf, { ...firstOf, first: false, ownerAwaited: true }]
    .map((firstStart) => quickStartLines({ ...urls, place, sandbox: false, alone: true, gatewayUnknown: false, firstStart }).join('\n')).join('\n');
  const commands = text.match(/.*npx --no-install metergate .*/g) ?? [];
  assert.ok(commands.length >= 5, text);
  for (const command of commands) assert.match(command, /SVC_DATA_DIR=\.\/sandbox npx/);
});

test('a part on a shared store names the variables that commands need, and no sandbox, which it cannot have', () => {
  const place = { ...atDefault, variables: ['SVC_DATABASE_URL', 'SVC_MASTER_KEY'] };
  const text = quickStartLines({ ...urls, place, sandbox: false, alone: false, gatewayUnknown: true, firstStart: firstOf }).join('\n');
  assert.match(text, /^Commands need SVC_DATABASE_URL and SVC_MASTER_KEY as this start has them\.$/m);
  assert.doesNotMatch(text, /sandbox/);
  assert.match(text, /^No gateway runs in this process\. Put the address of yours in SVC_PUBLIC_GATEWAY_URL/m);
});

test('the curl line can be pasted into any shell: brackets of an IPv6 address are a pattern in some', () => {
  const curlOf = (gatewayUrl: string) =>
    quickStartLines({ ...urls, gatewayUrl, place: atDefault, sandbox: false, alone: true, gatewayUnknown: false, firstStart: firstOf })
      .find((line) => line.includes('curl '));
  assert.equal(curlOf('http://[::1]:8080'), "  curl 'http://[::1]:8080/v1/chat/completions' \\");
  assert.equal(curlOf('http://127.0.0.1:8080'), '  curl http://127.0.0.1:8080/v1/chat/completions \\');
});
