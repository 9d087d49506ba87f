/** A product with two organizations: the one that came first is hostile, has a past and does everything at once; the other is measured. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productEnv, runCli, startSystem, type System } from '@metergate/testkit/system.ts';
import { beginAttack, endAttack, type AttackProcess } from './attack-process.ts';
import type { Attacked } from './attacked.ts';
import { Neighbour } from './good-neighbour.ts';
import { slowNames } from './slow-names.ts';

export interface Neighbours {
  readonly system: System;
  readonly neighbour: Neighbour;
  /** Begins these attacks, in as many processes. Resolves once all are under way, with what ends them. */
  attack(processes: readonly string[]): Promise<() => Promise<void>>;
  /** Differences between what was reported to the good neighbour and what is recorded of it; empty: none. */
  recordFaults(): Promise<string[]>;
  stop(): Promise<void>;
}

const email = 'owner@quiet.example';
const password = 'a long enough password 1';

export interface NeighboursOptions {
  /** Made-up calls of the hostile organization, for its reports and exports. */
  readonly pastCalls: number;
  /** See `Attacked`. */
  readonly scale: number;
}

export async function startNeighbours({ pastCalls, scale }: NeighboursOptions): Promise<Neighbours> {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-neighbours-'));
  const provider = await startProvider();
  const hostile = await beginAttack('provider');
  const [hostileUrl = '', blackHoleUrl = ''] = hostile.line.split(' ');
  const data = join(directory, 'data');
  if (pastCalls > 0) await seed(data, pastCalls);
  const system = await startSystem({
    dataDirectory: data, publishedLimits: true,
    env: {
      SVC_RUN_REGISTRY_MAX: '2000', SVC_TRUSTED_PROXIES: '127.0.0.1', ...slowNames(directory),
      // By name, and with answers that close their connection: a name that is not resolved in time would be a failed call.
      SVC_OPENAI_URL: `http://localhost:${(provider.address() as AddressInfo).port}`,
    },
  });
  const stop = (): Promise<void> => stopAll({ system, provider, hostile, directory });
  const settled = Promise.all([settleNeighbour(system), settleHostile(system, { hostileUrl, blackHoleUrl })]);
  const [neighbour, attacked] = await settled.catch(async (cause: unknown) => {
    await stop();
    throw cause;
  });
  return {
    system, neighbour,
    async attack(processes) {
      const begun = await Promise.all(processes.map((attacks) => beginAttack(attacks, JSON.stringify({ ...attacked, scale }))));
      return async () => void await Promise.all(begun.map(endAttack));
    },
    recordFaults: () => recordFaults(system, neighbour),
    stop,
  };
}

async function settleNeighbour(system: System): Promise<Neighbour> {
  await system.createOrganization('quiet', 'enterprise');
  await run(system, ['org', 'set', 'quiet', '--requests-per-minute', '10000000000', '--tokens-per-minute', '10000000000']);
  await system.connectProvider('openai', 'quiet');
  await run(system, ['user', 'create', '--email', email, '--org', 'quiet', '--role', 'owner'], `${password}\n`);
  const { gatewayUrl, platformUrl } = system;
  const { key } = await system.createKey({ organization: 'quiet' });
  const tapKey = (await run(system, ['baseline', 'create', '--org', 'quiet']) as { key: string }).key;
  return new Neighbour({ gatewayUrl, platformUrl, key, tapKey, email, password });
}

interface HostileUrls { readonly hostileUrl: string; readonly blackHoleUrl: string }

async function settleHostile(system: System, { hostileUrl, blackHoleUrl }: HostileUrls): Promise<Omit<Attacked, 'scale'>> {
  await system.declareUpstream({ url: hostileUrl });
  const { gatewayUrl, platformUrl } = system;
  const { key } = await system.createKey();
  const tapKey = (await run(system, ['baseline', 'create', '--org', 'default']) as { key: string }).key;
  const { token } = await run(system, ['token', 'create', '--org', 'default', '--role', 'admin']) as { token: string };
  return { gatewayUrl, platformUrl, key, tapKey, token, blackHoleUrl };
}

async function seed(directory: string, calls: number): Promise<void> {
  const env = productEnv({ SVC_DATA_DIR: directory });
  const made = await runCli(['seed', '--organizations', '1', '--keys', '20', '--calls', String(calls), '--json'], env);
  if (made.code !== 0) throw new Error(`the past could not be made up: ${made.stderr}`);
}

async function run(system: System, args: readonly string[], stdin = ''): Promise<unknown> {
  const result = await system.cli([...args, '--json'], stdin);
  if (result.code !== 0) throw new Error(`metergate ${args.slice(0, 2).join(' ')}: ${result.stderr}`);
  return result.json();
}

/** Answers a chat call with the number that it carries as its tokens, as JSON or as a stream; every twentieth on a connection that then ends. */
async function startProvider(): Promise<Server> {
  let answers = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { n = 1, stream } = JSON.parse(await readAll(request) || '{}') as { n?: number; stream?: boolean };
    if ((answers += 1) % 20 === 0) response.setHeader('connection', 'close');
    answer(response, { n, stream: stream === true });
  };
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy())).listen(0, 'localhost');
  server.keepAliveTimeout = 65_000;
  await once(server, 'listening');
  return server;
}

async function readAll(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

function answer(response: ServerResponse, { n, stream }: { readonly n: number; readonly stream: boolean }): void {
  const usage = `"usage":{"prompt_tokens":${n},"completion_tokens":1,"total_tokens":${n + 1}}`;
  if (stream) {
    const chunk = (rest: string): string => `data: {"id":"c","object":"chat.completion.chunk","model":"gpt-4o-mini",${rest}}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let event = 0; event < 20; event += 1) response.write(chunk('"choices":[{"index":0,"delta":{"content":"word "}}]'));
    response.end(`${chunk(`"choices":[],${usage}`)}data: [DONE]\n\n`);
  } else {
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"object":"chat.completion","model":"gpt-4o-mini","choices":[],${usage}}`);
  }
}

async function recordFaults(system: System, { calls, promptTokens }: Neighbour): Promise<string[]> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const rows = await run(system, ['usage', '--org', 'quiet', '--by', 'model', '--since', '2d']) as { calls: number; inputTokens: number }[];
    const [counted, tokens] = [rows.reduce((sum, row) => sum + row.calls, 0), rows.reduce((sum, row) => sum + row.inputTokens, 0)];
    if (counted === calls && tokens === promptTokens) return [];
    if (performance.now() > deadline || counted > calls) {
      return [`records of ${counted} calls with ${tokens} tokens, where ${calls} with ${promptTokens} were answered`];
    }
    await new Promise((resume) => { setTimeout(resume, 250); });
  }
}

interface Started { readonly system: System; readonly provider: Server; readonly hostile: AttackProcess; readonly directory: string }

async function stopAll({ system, provider, hostile, directory }: Started): Promise<void> {
  await system.stop();
  await endAttack(hostile);
  provider.closeAllConnections();
  provider.close();
  rmSync(directory, { recursive: true, force: true });
}
