/** `metergate month` on a separate store, and the same over HTTP: closed, shown, handed out, verified; a store that was put back. Rule 24b. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { freshSqlite, platformFixture } from '@metergate/platform/http/test-support/platform-fixture.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { ownStore, type OwnStore } from '../test-support/own-store.ts';

let own: OwnStore;
let organization: OrganizationId;
const nowMs = Date.UTC(2026, 10, 20);
const records = (id: OrganizationId, month: number, count: number) =>
  Array.from({ length: count }, (_, index) => sampleRecord(id, { startedAtMs: Date.UTC(2026, month, 1 + index) }));
const ship = (segment: string, month: number, count: number): Promise<void> =>
  own.inStore((store) => store.calls.ship(batchOf(segment, records(organization, month, count))));
const json = async (...args: readonly string[]) => await own.json(['month', ...args]) as Record<string, unknown>;

async function keepCopy(name: string): Promise<void> {
  await own.inStore((each) => each.erasure.settle());
  copyFileSync(join(own.directory, 'data', 'metergate.db'), join(own.directory, name));
}

before(async () => {
  own = await ownStore(() => nowMs);
  organization = ((await own.json(['org', 'create', 'acme'])) as { id: OrganizationId }).id;
  await keepCopy('without-calls.db');
  await ship('seg_october', 9, 5);
  await keepCopy('with-calls.db');
});
after(() => own?.end());

test('a month is closed, stays as it is, and its file verifies with the printed key, in a place without a store too', async () => {
  const closed = await json('close', '2026-10', '--org', 'acme');
  assert.deepEqual([closed['state'], closed['version'], closed['adjustedCost']], ['closed', 1, '0.617283945']);
  await ship('seg_late', 9, 2);
  assert.deepEqual(await json('show', '2026-10', '--org', 'acme'), closed);
  await json('export', '2026-10', '--org', 'acme', '--out', 'october.jsonl');
  writeFileSync(join(own.directory, 'key.pem'), (await own.run(['receipts', 'public-key', '--org', 'acme'])).stdout);
  for (const env of [{}, { SVC_DATA_DIR: join(own.directory, 'nowhere') }]) {
    const verdict = await own.json(['month', 'verify', 'october.jsonl', '--public-key', 'key.pem'], { env }) as Record<string, unknown>;
    const { valid, month, adjustedCost, storeBehind, storeLacks } = verdict;
    assert.deepEqual([valid, month, adjustedCost, storeBehind, storeLacks], [true, '2026-10', '0.617283945', undefined, undefined]);
  }
  assert.match((await own.run(['month', 'show', '2026-10', '--org', 'acme'])).stdout, /closed, version 1/);
  assert.match((await own.run(['month', 'list', '--org', 'acme'])).stdout, /2026-10 +closed +1 +5/);
  await own.json(['month', 'statement', '2026-10', '--org', 'acme', '--out', 'october.html']);
  assert.match(readFileSync(join(own.directory, 'october.html'), 'utf8'), /0\.617283945 USD<\/strong>\n<p>Closed .*, version 1\./);
});

test('each wrong input is named: a month that is not over, an altered file, a missing file', async () => {
  assert.match((await own.run(['month', 'close', '2026-11', '--org', 'acme'])).stderr, /2026-11 is not over/);
  assert.match((await own.run(['month', 'close', '2026-10', '--org', 'acme'])).stderr, /2026-10 is closed\. Reopen it/);
  const text = readFileSync(join(own.directory, 'october.jsonl'), 'utf8');
  writeFileSync(join(own.directory, 'altered.jsonl'), text.replace('"calls":"5"', '"calls":"4"'));
  const { code, stdout } = await own.run(['month', 'verify', 'altered.jsonl']);
  assert.deepEqual([code, /^NOT VALID at line \d+: the lines before it are not those that were signed/.test(stdout)], [1, true]);
  assert.match((await own.run(['month', 'verify', 'absent.jsonl'])).stderr, /absent\.jsonl does not exist/);
});

test('the file of a month shows that the store was restored to a moment before the closing', async () => {
  const store = join(own.directory, 'data', 'metergate.db');
  const putBack = (name: string): void => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(store + suffix, { force: true });
    copyFileSync(join(own.directory, name), store);
  };
  putBack('with-calls.db');
  const { code, stdout } = await own.run(['month', 'verify', 'october.jsonl', '--json']);
  const { valid, storeLacks } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual([code, valid, storeLacks], [1, true, { month: '2026-10', version: 1 }]);
  putBack('without-calls.db');
  const before = await own.run(['month', 'verify', 'october.jsonl', '--json']);
  assert.deepEqual([before.code, JSON.parse(before.stdout).storeBehind], [1, { store: 0, file: 5 }]);
});

test('over HTTP a month is closed by an admin, reopened by an owner, listed, shown and handed out', async () => {
  const place = freshSqlite();
  const platform = await platformFixture(place.url);
  try {
    const acme = await platform.organization('acme');
    await platform.store.calls.ship(batchOf('seg_http', records(acme.id, 0, 3)));
    const ask = (path: string, token: string, body?: unknown) =>
      platform.ask(`/platform/v1/months${path}`, { token, ...(body === undefined ? {} : { method: 'POST', body }) });
    assert.equal((await ask('/2026-01/close', acme.tokens.member, {})).status, 403);
    const closed = await ask('/2026-01/close', acme.tokens.admin, {});
    assert.deepEqual([closed.status, closed.body['state'], closed.body['adjustedCost']], [200, 'closed', '0.370370367']);
    assert.deepEqual((await ask('/2026-01', acme.tokens.viewer)).body, closed.body);
    assert.equal((await ask('/2026-01/close', acme.tokens.admin, {})).status, 409);
    assert.equal(((await ask('', acme.tokens.viewer)).body['data'] as unknown[]).length, 1);
    assert.equal((await ask('/2026-01/reopen', acme.tokens.admin, {})).status, 403);
    assert.equal((await ask('/2026-01/reopen', acme.tokens.owner, {})).body['state'], 'open');
    assert.equal((await ask('/2026-01?version=1', acme.tokens.viewer)).body['version'], 1);
    assert.equal((await ask('/2026-01?version=2', acme.tokens.viewer)).status, 404);
  } finally {
    await platform.end();
    place.remove();
  }
});

test('a closing waits for a node until it has shipped, or for as long as was asked, and names the node', async () => {
  let nowMs = Date.UTC(2026, 10, 5);
  const paused: number[] = [];
  const waiting = await ownStore(() => nowMs, async (ms) => {
    paused.push(ms);
    nowMs += ms;
    if (paused.length === 4) await say('stopped');
  });
  const say = (state: 'ready' | 'stopped') => waiting.inStore((store) => store.nodeReports.say('home_silent', {
    node: 'node_silent', host: 'one', version: '0', runtime: 'v26', startedAtMs: 1, state, reasons: [], callsInFlight: 0, oldestCallMs: null,
    callsForwarded: 0, callsRefused: 0, faults: 0, liveRuns: 0, journal: { rowsToShip: 0, lagMs: 0, bytes: 0, rowsInMemory: 0, setAside: 0 },
    settingsAgeMs: 0, eventLoopDelayMs: 0, spendDifferences: 0, leases: null,
  }, Date.UTC(2026, 9, 30)));
  try {
    const { id } = await waiting.json(['org', 'create', 'acme']) as { id: OrganizationId };
    await waiting.inStore((store) => store.calls.ship(batchOf('seg_waiting', records(id, 9, 3))));
    await say('ready');
    const close = (...more: string[]) => waiting.run(['month', 'close', '2026-10', '--org', 'acme', ...more]);
    assert.match((await close()).stderr, /node_silent: It last reported.*Try again later/);
    assert.deepEqual(paused, []);
    const late = await close('--wait', '12s');
    assert.deepEqual([late.code, paused], [1, [5_000, 5_000, 2_000]]);
    assert.match(late.stderr, /^Calls of 2026-10 may still come\. node_silent: .*\. Waiting until 2026-11-05 00:00:12Z\.\n/);
    assert.match(late.stderr, /Try again later/, 'and then why it gave up');
    const closed = await close('--wait', '15m', '--json');
    assert.deepEqual([closed.code, paused.length, (JSON.parse(closed.stdout) as { state: string }).state], [0, 4, 'closed']);
    assert.match((await close('--wait', 'x')).stderr, /--wait must be a duration/);
  } finally {
    waiting.end();
  }
});
