/**
 * By hand, with real programs: `node test/operation/leaving-trial.ts [ROUNDS] [MODE …]`. Gateway nodes on a PostgreSQL are asked to stop, round
 * after round, while 24 callers keep their connections and call: one node by a bare SIGTERM, and two one after the other (a rolling restart), behind
 * haproxy as a balancer of requests (`http`) and of connections (`tcp`), and with none. Needs haproxy (`apt-get install haproxy`).
 *
 * A call is lost if its request went out on a connection that was open, and no whole answer came: `reset` if the connection was reset, `closed`
 * if it ended without a byte of the answer, `cut` if it ended in the middle, or a status other than 200. A refused connection has carried no call:
 * behind a balancer that counts as lost too, without one it is what a node that is gone looks like, and the caller tries the other, or waits. At the
 * end each call that was answered must have one record, and none may have two. It ends with 1 if anything was lost or doubled.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { startCluster, wanting, type Cluster, type ClusterProcess } from '@metergate/testkit/cluster.ts';
import { MessageParser, type HttpMessage } from '@metergate/testkit/http-message.ts';
import { startPostgres } from '@metergate/testkit/postgres.ts';
import { Sharer, storeOf } from '../nodes/shared-fixture.ts';
import { freePorts, type ProxyPorts } from './behind-haproxy.ts';

const callers = 24;
const graceSeconds = 15;
const modes = ['none', 'http', 'tcp'] as const;
type Mode = (typeof modes)[number];

const rounds = Number(process.argv[2] ?? 20);
const wanted = modes.filter((mode) => process.argv.length < 4 || process.argv.slice(3).includes(mode));
const folder = mkdtempSync(join(tmpdir(), 'metergate-leaving-'));
const children: ChildProcess[] = [];
let lastNumber = 0;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (wanted.some((mode) => mode !== 'none') && spawnSync('haproxy', ['-v']).error !== undefined) {
  say('haproxy is missing: apt-get install haproxy. Only the mode "none" can be tried without it.');
  process.exit(2);
}
const postgres = await startPostgres();

/** Both kinds of stop in that mode; gives how many calls were lost or doubled. */
async function trial(mode: Mode): Promise<number> {
  const database = await postgres.createDatabase();
  const cluster = await startCluster(database);
  const ports = await freePorts();
  try {
    await cluster.process(['platform']);
    const nodes = [await startNode(cluster, ports, mode, 0), await startNode(cluster, ports, mode, 1)];
    if (mode !== 'none') await startHaproxy(mode, ports);
    const store = await storeOf(cluster);
    const sharer = await Sharer.of(cluster, store, `leaving-${mode}`);
    const targets = mode === 'none' ? ports.gateways : [ports.listen];
    const bare = await underLoad({ targets: targets.slice(0, 1), key: sharer.key, balanced: mode !== 'none' }, async () => {
      for (let round = 0; round < rounds; round += 1) nodes[0] = await stopAndStart(cluster, { ports, mode, at: 0 }, nodes[0]!);
    });
    const rolling = await underLoad({ targets, key: sharer.key, balanced: mode !== 'none' }, async () => {
      for (let round = 0; round < rounds; round += 1) {
        for (const at of [0, 1]) nodes[at] = await stopAndStart(cluster, { ports, mode, at }, nodes[at]!);
      }
    });
    say(`${mode}: SIGTERM of one node, ${rounds} rounds: ${countsText(bare)}`);
    say(`${mode}: rolling restart, ${rounds} rounds: ${countsText(rolling)}`);
    const doubled = await doubledOrMissing(sharer, [...bare, ...rolling]);
    await store.close();
    return [...bare, ...rolling].filter(({ how }) => how !== '200' && how !== 'refused').length + doubled;
  } finally {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await cluster.stop();
  }
}

interface Place {
  readonly ports: ProxyPorts;
  readonly mode: Mode;
  readonly at: number;
}

async function stopAndStart(cluster: Cluster, { ports, mode, at }: Place, node: ClusterProcess): Promise<ClusterProcess> {
  await pass(700);
  node.signal('SIGTERM');
  const code = await node.ended;
  if (code !== 0) say(`a node ended with ${code}: ${node.stderr()}`);
  const next = await startNode(cluster, ports, mode, at);
  if (mode !== 'none') await untilSeenUp(mode);
  return next;
}

function startNode(cluster: Cluster, ports: ProxyPorts, mode: Mode, at: number): Promise<ClusterProcess> {
  return cluster.process(['gateway'], {
    SVC_DATA_DIR: join(folder, `${mode}-${at}`), SVC_GATEWAY_PORT: String(ports.gateways[at]), SVC_OPS_PORT: String(ports.ops[at]),
    SVC_GRACE_SECONDS: String(graceSeconds),
  });
}

/** Polls as `deploy/docker/haproxy.cfg` does. */
async function startHaproxy(mode: 'http' | 'tcp', { listen, gateways, ops }: ProxyPorts): Promise<void> {
  const file = join(folder, `haproxy-${mode}.cfg`);
  const servers = gateways.map((port, at) => `  server node-${at + 1} 127.0.0.1:${port} port ${ops[at]}`).join('\n');
  writeFileSync(file, `global
  stats socket ${statsOf(mode)}
defaults
  mode ${mode}
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  retries 0
listen gateway
  bind 127.0.0.1:${listen}
  balance leastconn
  option httpchk GET /readyz
${mode === 'http' ? '  option http-keep-alive\n  http-reuse safe\n' : ''}  default-server check inter 500ms fall 1 rise 1
${servers}
`);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  children.push(child);
  await pass(2_000);
  if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}: is port ${listen} free?`);
}

const statsOf = (mode: 'http' | 'tcp'): string => join(folder, `haproxy-${mode}.sock`);

/** Until the balancer calls both nodes ready, so that the next one may stop. On a busy machine its polls come late. */
async function untilSeenUp(mode: 'http' | 'tcp'): Promise<void> {
  for (;;) {
    const socket = connect(statsOf(mode)).setEncoding('utf8');
    socket.end('show stat\n');
    const lines = (await text(socket)).split('\n').filter((line) => line.startsWith('gateway,node-'));
    if (lines.length === 2 && lines.every((line) => line.split(',')[17] === 'UP')) return;
    await pass(100);
  }
}

interface Seen {
  readonly number: number;
  /** `200`, or how the call was lost; `refused`: there was no connection to call on. */
  readonly how: string;
}

interface Callers {
  readonly targets: readonly number[];
  readonly key: string;
  readonly balanced: boolean;
}

/** Calls all the while, on connections that are kept for as long as the other side keeps them. */
async function underLoad(by: Callers, during: () => Promise<void>): Promise<Seen[]> {
  const seen: Seen[] = [];
  const load = { going: true };
  const running = Promise.all(Array.from({ length: callers }, async (_, caller) => {
    let connection: Kept | null = null;
    for (let at = caller; load.going; at += 1) {
      if (connection === null || connection.isOver) connection = await Kept.to(by.targets[at % by.targets.length]!);
      if (connection === null) {
        if (by.balanced) seen.push({ number: 0, how: 'lost: no connection to the balancer' });
        await pass(20);
        continue;
      }
      lastNumber += 1;
      const number = lastNumber;
      seen.push({ number, how: await connection.call(by.key, number) });
      // From none to some hundred milliseconds, as agents do between two calls.
      await pass((caller * 37 + at * 13) % 240);
    }
    connection?.socket.destroy();
  }));
  await during();
  load.going = false;
  await running;
  return seen;
}

/** A connection that is used for one call after the other. */
class Kept {
  readonly socket: Socket;
  #answer: HttpMessage | null = null;
  #closes = false;
  #ended = false;
  #error: string | null = null;
  #bytes = 0;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    const parser = new MessageParser('responses', { onMessage: (message) => { this.#answer = message; this.#wake(); } }, { keepBodies: true });
    socket.on('data', (bytes: Buffer) => {
      this.#bytes += bytes.length;
      parser.push(bytes);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => { this.#error = error.code ?? error.message; });
    socket.on('end', () => { this.#ended = true; this.#wake(); });
    socket.on('close', () => { this.#ended = true; this.#wake(); });
  }

  /** Null: refused. */
  static async to(port: number): Promise<Kept | null> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    try {
      await once(socket, 'connect');
      return new Kept(socket);
    } catch {
      return null;
    }
  }

  /** No further call may go out on it. */
  get isOver(): boolean {
    if (!this.#closes && !this.#ended) return false;
    this.socket.destroySoon();
    return true;
  }

  async call(key: string, number: number): Promise<string> {
    const body = wanting(0.01, 5);
    this.#answer = null;
    this.#bytes = 0;
    const woken = new Promise<void>((resolve) => { this.#wake = resolve; });
    this.socket.write(`POST /upstream/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nx-svc-project: call-${number}\r\n`
      + `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await woken;
    const answer = this.#answer as HttpMessage | null;
    if (answer === null || !answer.whole) {
      if (this.#error !== null) return `lost: reset (${this.#error})`;
      return this.#bytes === 0 ? 'lost: closed without an answer' : 'lost: cut';
    }
    this.#closes = /^connection: close\r$/mi.test(answer.head.toString('latin1'));
    const status = answer.startLine.split(' ')[1]!;
    return status === '200' ? '200' : `lost: ${status} ${/"code":"(\w+)"/.exec(answer.body.toString())?.[1] ?? ''}`;
  }
}

/** `7480 x 200, 2 x lost: closed without an answer`. */
function countsText(seen: readonly Seen[]): string {
  const counts = new Map<string, number>();
  for (const { how } of seen) counts.set(how, (counts.get(how) ?? 0) + 1);
  return [...counts].map(([how, count]) => `${count} x ${how}`).join(', ');
}

/** How many calls have two records, and how many that were answered have none. */
async function doubledOrMissing(sharer: Sharer, seen: readonly Seen[]): Promise<number> {
  const answered = seen.filter(({ how }) => how === '200').map(({ number }) => `call-${number}`);
  let counts = await recordsByCall(sharer);
  const missing = (): number => answered.filter((call) => !counts.has(call)).length;
  for (const untilMs = performance.now() + 60_000; missing() > 0 && performance.now() < untilMs;) {
    await pass(500);
    counts = await recordsByCall(sharer);
  }
  const doubled = [...counts.values()].filter((count) => count > 1).length;
  say(`  ${answered.length} answered, ${counts.size} with records, ${missing()} answered without one, ${doubled} with two`);
  return doubled + missing();
}

/** Page by page: a busy machine may take longer for all of them at once than the store allows. */
async function recordsByCall({ store, id }: Sharer): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const page of store.callWalk.walk({ organization: id as never, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER })) {
    for (const { record: { project } } of page) counts.set(project!, (counts.get(project!) ?? 0) + 1);
  }
  return counts;
}

try {
  let spoiled = 0;
  for (const mode of wanted) spoiled += await trial(mode);
  process.exitCode = spoiled === 0 ? 0 : 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
