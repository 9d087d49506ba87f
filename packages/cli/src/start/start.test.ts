/**
 * `metergate start` from outside, as the real process: what a first start makes and prints, what a second one finds, and that a failed
 * start leaves one sentence, exit code 1 and nothing on the disk. Rules: Processes; rules: Interfaces.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '@metergate/testkit/eventually.ts';
import { productEnv, providerKeys, runCli, startSystem, type CliResult } from '@metergate/testkit/system.ts';
import { wholeMetrics } from '@metergate/testkit/whole-metrics.ts';
import { ensureDataDirectory } from './data-directory.ts';

const folder = mkdtempSync(join(tmpdir(), 'metergate-start-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const freePorts = { SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0' };

function start(extra: Record<string, string>): Promise<CliResult> {
  return runCli(['start'], productEnv({ ...freePorts, ...extra }));
}

/** One sentence on stderr that holds `words`, nothing on stdout, exit 1. */
function assertRefused(result: CliResult, words: RegExp): void {
  assert.equal(result.code, 1, result.stderr);
  assert.equal(result.stdout, '');
  assert.match(result.stderr, /^metergate: [^\n]+\.\n$/);
  assert.match(result.stderr, words);
}

test('a first start makes directory, key, organization and connections; SIGTERM drains and ends with 0; a second start finds it all', async () => {
  const dataDirectory = join(folder, 'first', 'data');
  const system = await startSystem({ publishedLimits: true, dataDirectory });
  try {
    assert.equal(statSync(dataDirectory).mode & 0o777, 0o700);
    assert.equal(statSync(join(dataDirectory, 'master.key')).mode & 0o777, 0o600);
    const { gatewayUrl, platformUrl, opsUrl } = system;
    assert.equal(system.stdout(), `metergate ready gateway=${gatewayUrl} platform=${platformUrl} ops=${opsUrl}\n`, 'one line on stdout');
    await system.says(/OPENAI_API_KEY and ANTHROPIC_API_KEY/);
    await system.says(/metergate key create --org default/);
    await system.says(new RegExp(`${system.gatewayUrl}/v1`));
    const said = system.stdout() + system.stderr();
    for (const secret of ['svc_live_', ...Object.values(providerKeys)]) assert.ok(!said.includes(secret), 'without a terminal no secret is shown');
    const organizations = (await system.cli(['org', 'list', '--json'])).json() as { name: string; plan: string }[];
    assert.deepEqual(organizations.map(({ name, plan }) => ({ name, plan })), [{ name: 'default', plan: 'scale' }]);
    assert.deepEqual((await system.cli(['key', 'list', '--org', 'default', '--json'])).json(), []);

    const running = new RegExp(`already uses the data directory ${dataDirectory}`);
    assertRefused(await start({ SVC_DATA_DIR: dataDirectory }), running);
    // As if started twice by mistake: the ports are taken too, but that is not what to fix.
    assertRefused(await start({ SVC_DATA_DIR: dataDirectory, SVC_GATEWAY_PORT: new URL(gatewayUrl).port }), running);
    assert.equal((await fetch(`${system.opsUrl}/readyz`)).status, 200);
    assert.equal((await fetch(`${system.opsUrl}/healthz`)).status, 200);
    const metrics = await wholeMetrics(system);
    for (const name of ['runtime_info', 'calls_in_flight', 'snapshot_age_seconds', 'journal_commits_total', 'event_loop_delay_seconds']) {
      assert.match(metrics, new RegExp(`^metergate_${name}[ {]`, 'm'));
    }
    const again = await system.restart();
    assert.equal((await again.cli(['org', 'list', '--json'])).stdout, `${JSON.stringify(organizations)}\n`);
    assert.equal(await again.stop(), 0);
    assert.deepEqual(readdirSync(join(dataDirectory, 'journal')), [], 'all that was journalled is shipped');
  } finally {
    await system.stop();
  }
});

test('one process has an embedded store, by whatever data directory and name it comes to it', async () => {
  const [one, other] = [join(folder, 'with-store'), join(folder, 'without-store')];
  const system = await startSystem({ dataDirectory: one });
  try {
    ensureDataDirectory(other);
    copyFileSync(join(one, 'master.key'), join(other, 'master.key'));
    symlinkSync(one, join(folder, 'another-name'));
    for (const path of [join(one, 'metergate.db'), join(folder, 'another-name', 'metergate.db')]) {
      assertRefused(await start({ SVC_DATA_DIR: other, SVC_DATABASE_URL: `sqlite:${path}` }), /already uses the store .+PostgreSQL/);
    }
    assert.equal((await fetch(`${system.opsUrl}/readyz`)).status, 200);
  } finally {
    assert.equal(await system.stop(), 0);
  }
});

test('after kill -9 the directory is free again: its lock ends with the process', async () => {
  const system = await startSystem({ dataDirectory: join(folder, 'killed') });
  await system.kill9();
  const again = await system.restart();
  assert.equal(await again.stop(), 0);
});

test('the sandbox says what it is, answers without a provider key, and leaves no placeholder to a start without it', async () => {
  const dataDirectory = join(folder, 'sandbox');
  const sandbox = await startSystem({ dataDirectory, args: ['--sandbox'], connectProviders: false });
  await sandbox.says(/SANDBOX: answers are simulated/);
  const { key } = await sandbox.createKey();
  const answer = await fetch(`${sandbox.gatewayUrl}/v1/chat/completions`, {
    method: 'POST', headers: { 'authorization': `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}',
  });
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
  assert.equal(await sandbox.stop(), 0);

  const plain = await startSystem({ dataDirectory, connectProviders: false });
  try {
    const refused = await fetch(`${plain.gatewayUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(refused.status, 401);
    assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'provider_key_missing');
  } finally {
    await plain.stop();
  }
});

test('a taken port is named with its variable, and nothing is written', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const dataDirectory = join(folder, 'taken');
  try {
    for (const variable of ['SVC_GATEWAY_PORT', 'SVC_PLATFORM_PORT', 'SVC_OPS_PORT']) {
      assertRefused(await start({ SVC_DATA_DIR: dataDirectory, [variable]: String(port) }), new RegExp(`${port}.*${variable}`));
    }
    assert.equal(existsSync(dataDirectory), false);
  } finally {
    taken.close();
  }
});

test('if the store cannot be opened, the start removes the directory, lock and key that it made', async () => {
  const dataDirectory = join(folder, 'away', 'deep', 'data');
  const masterKey = randomBytes(32).toString('base64');
  const away = await start({ SVC_DATA_DIR: dataDirectory, SVC_MASTER_KEY: masterKey, SVC_DATABASE_URL: 'postgres://u:topsecret@127.0.0.1:1/x' });
  assertRefused(away, /cannot be reached/);
  assert.ok(!away.stderr.includes('topsecret'));
  assertRefused(await start({ SVC_DATA_DIR: dataDirectory, SVC_DATABASE_URL: `sqlite:${join(folder, 'nowhere', 'x.db')}` }), /nowhere/);
  assert.equal(existsSync(join(folder, 'away')), false);

  const none = join(folder, 'no-store.db');
  writeFileSync(none, 'not a store');
  assertRefused(await start({ SVC_DATA_DIR: dataDirectory, SVC_DATABASE_URL: `sqlite:${none}`, SVC_MASTER_KEY: masterKey }), /no-store/);
  assert.equal(existsSync(`${none}.lock`), false);

  const own = join(folder, 'own');
  mkdirSync(own);
  writeFileSync(join(own, 'note'), 'not ours');
  assertRefused(await start({ SVC_DATA_DIR: own, SVC_DATABASE_URL: `sqlite:${join(folder, 'nowhere', 'x.db')}` }), /nowhere/);
  assert.deepEqual(readdirSync(own), ['note'], 'what was there stays');
});

test('a data directory that is not a directory, and a master key that is not the store\'s, are one sentence each', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  assertRefused(await start({ SVC_DATA_DIR: file }), /is not a directory/);

  const asked = await start({ SVC_DATA_DIR: file, SVC_LOG_FORMAT: 'json' });
  const { level, message } = JSON.parse(asked.stderr) as { level: string; message: string };
  assert.deepEqual([asked.code, level, /is not a directory/.test(message)], [1, 'error', true], 'a log that is asked for in JSON holds nothing else');

  const locked = join(folder, 'locked');
  mkdirSync(locked);
  writeFileSync(join(locked, 'lock'), '4711\n'.repeat(30));
  assertRefused(await start({ SVC_DATA_DIR: locked }), /lock cannot be taken.+remove it/);

  const blocked = join(folder, 'blocked');
  mkdirSync(blocked);
  writeFileSync(join(blocked, 'journal'), '');
  assertRefused(await start({ SVC_DATA_DIR: blocked }), /journal.* cannot be read \(ENOTDIR\)/);

  const system = await startSystem({ dataDirectory: join(folder, 'keyed') });
  assert.equal(await system.stop(), 0);
  const wrong = await start({ SVC_DATA_DIR: system.dataDirectory, SVC_MASTER_KEY: randomBytes(32).toString('base64') });
  assertRefused(wrong, /master key is not the one/);
  const before = readdirSync(system.dataDirectory);
  rmSync(join(system.dataDirectory, 'master.key'));
  assertRefused(await start({ SVC_DATA_DIR: system.dataDirectory }), /no master key/);
  assert.deepEqual(readdirSync(system.dataDirectory), before.filter((name) => name !== 'master.key'), 'a lost key is never replaced by a new one');
});

const launcher = fileURLToPath(new URL('../../bin/metergate.mjs', import.meta.url));

test('a server whose output nobody reads any more goes on, and is stopped as ever', async () => {
  const env = productEnv({ ...freePorts, SVC_DATA_DIR: join(folder, 'unread') });
  const server = spawn(process.execPath, [launcher, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(server, 'close');
  server.stdout.destroy();
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => { said += text; });
  const url = await eventually(() => /http:\/\/127\.0\.0\.1:\d+(?=\/v1)/.exec(said)?.[0], () => said);
  await eventually(async () => (await fetch(`${url}/v1/models`)).status === 401);
  server.kill('SIGTERM');
  assert.deepEqual((await closed)[0], 0);
  assert.match(said, /stopping; open calls may finish/);
});

test('a command whose output cannot be written says so', { skip: !existsSync('/dev/full') && 'no full device here' }, () => {
  const { status, stderr } = spawnSync('sh', ['-c', '"$0" "$1" --help > /dev/full', process.execPath, launcher], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [1, 'metergate: Standard output cannot be written (ENOSPC).\n']);
});
