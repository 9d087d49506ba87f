/**
 * By hand: the upgrade from another version, of which there is a checkout with its dependencies installed.
 * Embedded: that version makes a data directory, serves calls, and is killed under load; this version starts on what it left.
 * PostgreSQL: two versions side by side, with calls through haproxy all the time. The other version makes the store, an organization with a cap
 * and a key, and runs two gateways. Then a platform of this version is killed while it upgrades the store under load, another one upgrades it and
 * makes a key, which the old gateways serve, and the gateways are replaced one after the other: the first one in order, the second one is killed.
 *
 * `node test/operation/upgrade-trial.ts OLD_CHECKOUT [TIMES]` prints what callers saw, what took how long, and whether a record was lost,
 * doubled or set aside, or a sum is not that of its records. It ends with 1 if so. Needs haproxy.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { migrations } from '@metergate/store/schema/migrations/list.ts';
import { ownLauncher, startCluster, type Cluster, type ClusterProcess } from '@metergate/testkit/cluster.ts';
import { testPostgres } from '@metergate/testkit/postgres.ts';
import { killWhen } from '../nodes/cells-suite.ts';
import { beginLoad, callThrough, countsText, freePorts, startHaproxy, type Seen } from './behind-haproxy.ts';
import { tryEmbedded } from './embedded-upgrade.ts';
import { commandsOf, heldOf, openUpgraded, organizationBy, type Commands, type Upgraded } from './upgraded-store.ts';

const ports = await freePorts();
const proxyUrl = `http://127.0.0.1:${ports.listen}`;
const callers = 8;
/** A row while the store is upgraded. */
const upgrading = "select from pg_locks where relation = to_regclass('journal_segment') and mode = 'ShareRowExclusiveLock' and granted";
/** By then the proxy has noticed that a node is gone. */
const noticedMs = 2_000;
const [checkout, times = '1'] = process.argv.slice(2);
if (checkout === undefined) throw new Error('name a checkout of the version before, with its dependencies installed');
const oldLauncher = join(resolve(checkout), 'packages/cli/bin/metergate.mjs');

const postgres = await testPostgres();
try {
  for (let run = 1; run <= Number(times); run += 1) {
    say(`run ${run}`);
    if (!await tryEmbedded(oldLauncher, say)) process.exitCode = 1;
    if (!await trial(await postgres.createDatabase())) process.exitCode = 1;
  }
} finally {
  await postgres.stop();
}

/** True if nothing was lost, doubled or set aside, and nothing refused or broken but by the kill. */
async function trial(databaseUrl: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-upgrade-'));
  const cluster = await startCluster(databaseUrl);
  const oldPlatform = await cluster.process(['platform'], {}, oldLauncher);
  const nodes = await Promise.all([0, 1].map((at) => startNode(cluster, folder, { at, launcher: oldLauncher })));
  const proxy = await startHaproxy(folder, ports);
  try {
    const organization = await organizationBy(commandsOn(cluster, oldLauncher), cluster.upstream.url);
    const { key } = organization;
    const warm: string[] = [];
    for (let count = 0; count < 50; count += 1) warm.push(await callThrough(proxyUrl, key));
    const load = beginLoad(proxyUrl, key, callers);
    await pass(3_000);
    if (!await killWhen(cluster, ['platform'], upgrading)) say('  no platform was killed while it upgraded the store');
    const beginMs = Date.now();
    const platform = await cluster.process(['platform']);
    const steps = [`schema ${migrations.length} ${Date.now() - beginMs}`];
    oldPlatform.signal('SIGTERM');
    await pass(3_000);
    const newKey = String((await commandsOn(cluster, ownLauncher)(['key', 'create', '--org', 'upgraded']))['key']);
    await pass(1_000);
    // This reaches both old gateways, because the proxy alternates.
    const made = [await untilServed(newKey), await untilServed(newKey)].flat();
    let killed = { fromMs: 0, toMs: 0 };
    for (const at of [0, 1]) {
      const fromMs = Date.now();
      nodes[at]!.signal(at === 0 ? 'SIGTERM' : 'SIGKILL');
      const code = await nodes[at]!.ended;
      if (at === 1) killed = { fromMs, toMs: fromMs + noticedMs };
      else if (code !== 0) say(`  node ${at + 1} ended with ${code}`);
      nodes[at] = await startNode(cluster, folder, { at, launcher: ownLauncher });
      steps.push(`node ${at + 1} replaced ${Date.now() - beginMs}`);
      await pass(3_000);
    }
    const answers = await load.end();
    say(`  milliseconds since the new platform was started: ${steps.join(', ')}`);
    const byKill = ({ atMs }: Seen): boolean => atMs >= killed.fromMs && atMs <= killed.toMs;
    const refused = answers.filter((seen) => seen.code !== '200' && !byKill(seen)).map(({ atMs }) => atMs - beginMs);
    if (refused.length > 0) say(`  refused from ${refused[0]} to ${refused.at(-1)}`);
    say(`  within ${noticedMs} ms of the kill: ${countsText(answers.filter(byKill))}`);
    const served = [...warm, ...made, ...answers.map(({ code }) => code)].filter((code) => code === '200').length;
    say(`  shared: ${countsText(answers)}; with a key that the new version made, on the old gateways: ${made.join(', ')}`);
    const sound = await isSound(cluster, organization, { served, folder });
    for (const each of [...nodes, platform]) each.signal('SIGTERM');
    return sound && refused.length === 0 && made.at(-1) === '200';
  } finally {
    proxy.kill('SIGTERM');
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function isSound(
  { databaseUrl, masterKey, upstream }: Cluster, organization: Upgraded, { served, folder }: { readonly served: number; readonly folder: string },
): Promise<boolean> {
  const store = await openUpgraded(databaseUrl, masterKey);
  try {
    const { records, interrupted, differ } = await heldOf(store, organization, served);
    const aside = [0, 1].flatMap((at) => {
      const refused = join(folder, `node-${at}`, 'journal', 'refused');
      return existsSync(refused) ? readdirSync(refused) : [];
    }).length;
    const forwarded = upstream.requests.length;
    say(`  answered ${served}, forwarded ${forwarded}, records ${records}, of these interrupted ${interrupted}, set aside ${aside}, `
      + `sums that differ ${differ.length}`);
    for (const each of differ) say(`  ${each}`);
    // Of each caller the kill cut at most one call. Nothing was forwarded that has no record.
    return records >= served && records - served <= callers && forwarded <= records && aside === 0 && differ.length === 0;
  } finally {
    await store.close();
  }
}

/** Calls like a client that retries: a node that has not learned of a key in time answers 500 and knows it at the next try. */
async function untilServed(key: string): Promise<string[]> {
  const codes: string[] = [];
  while (codes.at(-1) !== '200' && codes.length < 5) {
    codes.push(await callThrough(proxyUrl, key));
    await pass(200);
  }
  return codes;
}

function commandsOn({ databaseUrl, masterKey }: Cluster, launcher: string): Commands {
  return commandsOf(launcher, { SVC_DATABASE_URL: databaseUrl, SVC_MASTER_KEY: Buffer.from(masterKey).toString('base64') });
}

function startNode(
  cluster: Cluster, folder: string, { at, launcher }: { readonly at: number; readonly launcher: string },
): Promise<ClusterProcess> {
  return cluster.process(['gateway'], {
    SVC_DATA_DIR: join(folder, `node-${at}`), SVC_GATEWAY_PORT: String(ports.gateways[at]), SVC_OPS_PORT: String(ports.ops[at]),
    SVC_GRACE_SECONDS: '10',
  }, launcher);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
