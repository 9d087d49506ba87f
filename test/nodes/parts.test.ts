/**
 * `metergate gateway` and `metergate platform`, each in a separate process on a shared PostgreSQL store (rules: Processes; rules: Interfaces).
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startCluster, type Cluster } from '@metergate/testkit/cluster.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { productEnv, runCli } from '@metergate/testkit/system.ts';
import { unusedPort } from '@metergate/testkit/unused-port.ts';
import { Sharer, storeOf } from './shared-fixture.ts';

let postgres: TestPostgres;
let cluster: Cluster;
const folder = mkdtempSync(join(tmpdir(), 'metergate-parts-'));

before(async () => {
  postgres = await testPostgres();
  cluster = await startCluster(await postgres.createDatabase());
});
after(async () => {
  await cluster?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const refusal = async (part: string, env: Record<string, string>): Promise<string> => {
  const result = await runCli([part], productEnv({ SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0', ...env }));
  assert.deepEqual([result.code, result.stdout], [1, ''], result.stderr);
  assert.match(result.stderr, /^metergate: [^\n]+\.\n$/);
  return result.stderr;
};

test('a single part on an embedded store ends with one sentence and leaves nothing', async () => {
  const dataDirectory = join(folder, 'none');
  for (const part of ['gateway', 'platform']) {
    assert.match(await refusal(part, { SVC_DATA_DIR: dataDirectory }), new RegExp(`metergate ${part} needs a PostgreSQL store`));
  }
  assert.deepEqual(readdirSync(folder), []);
});

test('a gateway that starts before its platform says what it waits for, is not ready, and serves once the platform has made the store', async () => {
  const databaseUrl = await postgres.createDatabase();
  const opsPort = await unusedPort();
  const env = { SVC_DATABASE_URL: databaseUrl, SVC_DATA_DIR: join(folder, 'early'), SVC_OPS_PORT: String(opsPort) };
  const starting = cluster.process(['gateway'], env);
  const asked = await answered(`http://127.0.0.1:${opsPort}/readyz`, (said) => said.includes('There is no store at'));
  assert.match(asked, /^not ready\nstarting: There is no store at .* Waiting for it\.\n$/);
  assert.deepEqual(readdirSync(folder), [], 'nothing is made before there is a store');
  assert.equal((await fetch(`http://127.0.0.1:${opsPort}/healthz`)).status, 200);
  const platform = await cluster.process(['platform'], { SVC_DATABASE_URL: databaseUrl });
  const gateway = await starting;
  assert.equal((gateway.stderr().match(/Waiting for it/g) ?? []).length, 1, gateway.stderr());
  assert.equal(await answered(`http://127.0.0.1:${opsPort}/readyz`, (said) => said === 'ready\n'), 'ready\n');
  const doctor = await runCli(['doctor', '--json'], productEnv({ ...env, SVC_MASTER_KEY: Buffer.from(cluster.masterKey).toString('base64') }));
  const { nodes, checks } = doctor.json() as { nodes: { state: string }[]; checks: { name: string; state: string; message: string }[] };
  assert.deepEqual(nodes.map(({ state }) => state), ['live']);
  const found = (name: string): string => checks.filter((each) => each.name === name).map(({ state, message }) => `${state} ${message}`).join();
  assert.match(found('nodes'), /^ok 1 gateway node reports/);
  assert.match(found('server'), /^ok The server on this machine is ready/);
  assert.match(found('clock') + found('journal'), /^ok .*ok 1 segment/);
  for (const each of [gateway, platform]) {
    each.signal('SIGTERM');
    assert.equal(await each.ended, 0, each.stderr());
  }
  rmSync(join(folder, 'early'), { recursive: true });
});

/** The answer at that address, once it is the expected one. */
async function answered(url: string, wanted: (said: string) => boolean): Promise<string> {
  let said = '';
  await eventually(async () => wanted(said = await fetch(url).then((answer) => answer.text(), String)), () => said);
  return said;
}

test('the platform makes the schema and prints its own addresses; gateways apply its settings, and stop with nothing left', async () => {
  const platform = await cluster.process(['platform'], { SVC_DATA_DIR: join(folder, 'platform') });
  assert.match(platform.stdout(), /^metergate ready platform=http:\/\/127\.0\.0\.1:\d+ ops=http:\/\/127\.0\.0\.1:\d+\n$/);
  assert.deepEqual(readdirSync(folder), [], 'a platform keeps nothing on its machine');
  const nodes = await Promise.all([cluster.node(), cluster.node()]);
  for (const node of nodes) {
    assert.match(node.stdout(), /^metergate ready gateway=http:\/\/127\.0\.0\.1:\d+ ops=http:\/\/127\.0\.0\.1:\d+\n$/);
    assert.equal((await fetch(`${node.urls['ops']}/readyz`)).status, 200);
  }
  const store = await storeOf(cluster);
  const sharer = await Sharer.of(cluster, store, 'parts');
  await sharer.cap(10);
  for (const node of nodes) await sharer.admitted(node, 1);
  for (const each of [...nodes, platform]) {
    each.signal('SIGTERM');
    assert.equal(await each.ended, 0, each.stderr());
  }
  const { sum, cap } = await sharer.spent();
  assert.deepEqual([sum, cap], [2, 2]);
  // A stopped node's leases are free at once: a new node gets all that is left.
  const fresh = await cluster.node();
  for (let call = 0; call < 8; call += 1) await sharer.admitted(fresh, 1);
  assert.equal((await sharer.call(fresh, 1)).status, 402);
  await store.close();
});
