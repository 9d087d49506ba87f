/**
 * By hand, with real programs: PostgreSQL with a standby, pgbouncer in transaction mode in front of it, haproxy in front of two gateway
 * nodes, and calls all the time. `node test/operation/distributed-trial.ts` prints, part by part, what callers saw and whether anything was
 * lost: both nodes restarted one after the other; the primary killed and the standby promoted. Needs the programs of Debian's packages
 * postgresql, pgbouncer and haproxy, and root, because PostgreSQL runs as a separate user. PG_BIN names another PostgreSQL.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { startCluster, type Cluster, type ClusterProcess } from '@metergate/testkit/cluster.ts';
import { Sharer, storeOf } from '../nodes/shared-fixture.ts';
import { beginLoad, callThrough, countsText, freePorts, startHaproxy, type Seen } from './behind-haproxy.ts';

const ports = { primary: 25_432, standby: 25_433, pooler: 26_432, ...await freePorts() };
const proxyUrl = `http://127.0.0.1:${ports.listen}`;
const password = 'trial';
const callers = 16;
const graceSeconds = 10;
/** Number of calls that were answered. */
let answered = 200;

const folder = mkdtempSync(join(tmpdir(), 'metergate-trial-'));
chmodSync(folder, 0o777);
const children: ChildProcess[] = [];
const pgBin = process.env['PG_BIN'] ?? `/usr/lib/postgresql/${readdirSync('/usr/lib/postgresql').sort().at(-1)!}/bin`;

try {
  await trial();
} finally {
  for (const child of children) child.kill('SIGTERM');
  for (const name of ['primary', 'standby']) stopPostgres(name);
  rmSync(folder, { recursive: true, force: true });
}

async function trial(): Promise<void> {
  startPrimary();
  startStandby();
  await startPooler(ports.primary);
  const cluster = await startCluster(`postgres://metergate:${password}@127.0.0.1:${ports.pooler}/metergate`);
  try {
    await cluster.process(['platform']);
    const nodes = await Promise.all(ports.gateways.map((_, at) => startNode(cluster, at)));
    children.push(await startHaproxy(folder, ports));
    const store = await storeOf(cluster);
    const sharer = await Sharer.of(cluster, store, 'trial');
    await sharer.cap(1_000_000);
    for (let warm = 0; warm < 200; warm += 1) await callThrough(proxyUrl, sharer.key);
    await rollingRestart(cluster, nodes, sharer);
    await failover(cluster, sharer);
    await store.close();
  } finally {
    await cluster.stop();
  }
}

async function rollingRestart(cluster: Cluster, nodes: ClusterProcess[], sharer: Sharer): Promise<void> {
  const load = beginLoad(proxyUrl, sharer.key, callers);
  await pass(2_000);
  for (const at of [0, 1]) {
    nodes[at]!.signal('SIGTERM');
    const code = await nodes[at]!.ended;
    if (code !== 0) say(`node ${at + 1} ended with ${code}`);
    nodes[at] = await startNode(cluster, at);
    await pass(3_000);
  }
  await report('rolling restart of two nodes', cluster, sharer, await load.end());
}

async function failover(cluster: Cluster, sharer: Sharer): Promise<void> {
  const load = beginLoad(proxyUrl, sharer.key, callers);
  await pass(3_000);
  const killedMs = Date.now();
  postgres(['-D', join(folder, 'primary'), '-m', 'immediate', 'stop']);
  await pass(2_000);
  postgres(['-D', join(folder, 'standby'), '-w', 'promote']);
  await startPooler(ports.standby);
  say(`the standby was promoted after ${Date.now() - killedMs} ms`);
  await pass(12_000);
  const answers = await load.end();
  const refused = answers.filter(({ code }) => code !== '200');
  if (refused.length > 0) say(`refused from ${refused[0]!.atMs - killedMs} to ${refused.at(-1)!.atMs - killedMs} ms after the kill`);
  await report('standby promoted under load', cluster, sharer, answers);
}

async function report(what: string, cluster: Cluster, sharer: Sharer, answers: readonly Seen[]): Promise<void> {
  answered += answers.filter(({ code }) => code === '200').length;
  const { records, sum, cap } = await sharer.spent(answered);
  say(`${what}: ${countsText(answers)}`);
  const { length: forwarded } = cluster.upstream.requests;
  say(`  answered ${answered}, forwarded ${forwarded}, records ${records}, spent ${sum.toFixed(2)}, cap says ${cap.toFixed(2)}`);
}

function startNode(cluster: Cluster, at: number): Promise<ClusterProcess> {
  return cluster.process(['gateway'], {
    SVC_DATA_DIR: join(folder, `node-${at + 1}`), SVC_GATEWAY_PORT: String(ports.gateways[at]), SVC_OPS_PORT: String(ports.ops[at]),
    SVC_GRACE_SECONDS: String(graceSeconds),
  });
}

function asPostgres(program: string, words: readonly string[]): void {
  execFileSync('runuser', ['-u', 'postgres', '--', 'env', `PGPASSWORD=${password}`, join(pgBin, program), ...words], { stdio: 'ignore' });
}

function postgres(words: readonly string[]): void {
  asPostgres('pg_ctl', words);
}

function startPrimary(): void {
  const directory = join(folder, 'primary');
  writeFileSync(join(folder, 'password'), password, { mode: 0o644 });
  asPostgres('initdb', ['-D', directory, '-U', 'metergate', `--pwfile=${join(folder, 'password')}`, '-A', 'scram-sha-256']);
  const settings = `port=${ports.primary}\nlisten_addresses='127.0.0.1'\nunix_socket_directories='${folder}'\nwal_level=replica\nhot_standby=on\n`;
  writeFileSync(join(directory, 'postgresql.auto.conf'), settings);
  postgres(['-D', directory, '-w', '-l', join(folder, 'primary.log'), 'start']);
  asPostgres('psql', ['-h', '127.0.0.1', '-p', String(ports.primary), '-U', 'metergate', 'postgres', '-c', 'create database metergate']);
}

function startStandby(): void {
  const directory = join(folder, 'standby');
  asPostgres('pg_basebackup', ['-h', '127.0.0.1', '-p', String(ports.primary), '-U', 'metergate', '-D', directory, '-R', '-X', 'stream']);
  execFileSync('sh', ['-c', `echo "port=${ports.standby}" >> ${directory}/postgresql.auto.conf`]);
  postgres(['-D', directory, '-w', '-l', join(folder, 'standby.log'), 'start']);
}

function stopPostgres(name: string): void {
  try {
    postgres(['-D', join(folder, name), '-m', 'immediate', 'stop']);
  } catch {
    // It is not running.
  }
}

/** Starts pgbouncer the first time; later it gets another server. */
async function startPooler(serverPort: number): Promise<void> {
  const running = children.find(({ spawnargs }) => spawnargs.includes('pgbouncer'));
  writeFileSync(join(folder, 'users.txt'), `"metergate" "${password}"\n`, { mode: 0o644 });
  writeFileSync(join(folder, 'pgbouncer.ini'), `[databases]
metergate = host=127.0.0.1 port=${serverPort} dbname=metergate
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ports.pooler}
unix_socket_dir =
pidfile = ${join(folder, 'pgbouncer.pid')}
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
server_login_retry = 1
ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout
`, { mode: 0o644 });
  const words = ['-u', 'postgres', '--', 'pgbouncer', '-q', join(folder, 'pgbouncer.ini')];
  if (running === undefined) children.push(spawn('runuser', words, { stdio: 'ignore' }));
  else process.kill(Number(readFileSync(join(folder, 'pgbouncer.pid'), 'utf8')), 'SIGHUP');
  await pass(1_000);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
