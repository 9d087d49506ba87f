/**
 * `node bench/fairness.ts [--only NAME] [--rounds 5] [--calls 300]`: what one organization's behaviour does to another's calls. In one run,
 * against one product, in alternating rounds: the 99th percentile of an organization's calls alone, and beside another that stalls bodies,
 * drips them, lets answers unfold, fills its share of runs, leaves connections idle or floods the tap. The other is a process of its own.
 * Printed as the ratio of all rounds together and that of each; nothing is asserted.
 * `sh -c 'ulimit -n 400; node bench/fairness.ts --only idle'` shows idle connections at few descriptors.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { startSystem } from '@metergate/testkit/system.ts';
import type { Attack } from './fairness-attack.ts';

const { values } = parseArgs({ options: {
  calls: { type: 'string', default: '300' }, rounds: { type: 'string', default: '5' }, only: { type: 'string', default: '' },
} });
const calls = Number(values.calls);
const json: HeaderPair = ['content-type', 'application/json'];

/** What is measured: chat calls, calls that each begin a run of their own, or posts of the tap. */
type Measure = 'chat' | 'run' | 'tap';

/** Each with what the other organization does meanwhile, and how many processes its attack takes. */
const trials: readonly { readonly name: string; readonly attack: Attack; readonly processes: number; readonly measure: Measure }[] = [
  { name: 'nine stalled bodies', attack: 'stalled', processes: 1, measure: 'chat' },
  { name: '3,000 dripping bodies', attack: 'dripping', processes: 1, measure: 'chat' },
  { name: '190 brotli bombs, again and again', attack: 'bombs', processes: 1, measure: 'chat' },
  { name: '190 plain calls, again and again', attack: 'plain', processes: 1, measure: 'chat' },
  { name: 'a full registry, new runs', attack: 'runs', processes: 1, measure: 'run' },
  { name: '600 idle connections', attack: 'idle', processes: 2, measure: 'chat' },
  { name: 'a flood of tap events, chat', attack: 'tap', processes: 1, measure: 'chat' },
  { name: 'a flood of tap events, new runs', attack: 'tap', processes: 1, measure: 'run' },
  { name: 'a flood of tap events, tap', attack: 'tap', processes: 1, measure: 'tap' },
];

const system = await startSystem({ env: { SVC_RUN_REGISTRY_MAX: '1000' } });
await system.createOrganization('hog', 'scale');
await system.connectProvider('openai', 'hog');
await system.declareUpstream({ organization: 'hog' });
const own = (await system.createKey()).key;
const hog = (await system.createKey({ organization: 'hog' })).key;
const [ownTap, hogTap] = [await tapKey('default'), await tapKey('hog')];
system.openai.respond({ headers: [json], body: '{"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}' });
system.upstream.respond({ headers: [json, ['content-encoding', 'br']], body: brotliCompressSync(Buffer.alloc(64 * 1024 * 1024)) });

async function tapKey(organization: string): Promise<string> {
  const { stdout } = await system.cli(['baseline', 'create', '--org', organization, '--json']);
  return (JSON.parse(stdout) as { key: string }).key;
}

let runs = 0;
/** Answers that a run could not be confirmed in time: the store was busy. */
let refused = 0;

/** How long each call took, one after the other, milliseconds. Each tenth chat body is large. */
async function measured(measure: Measure): Promise<number[]> {
  const tookMs: number[] = [];
  for (let at = 0; at < calls; at += 1) {
    const beganMs = performance.now();
    const answer = measure === 'tap' ? await tapPost() : await chat(at, measure === 'run');
    if (answer.status === 503) refused += 1;
    else if (answer.status >= 300) throw new Error(`a call was answered ${answer.status}: ${answer.body.toString().slice(0, 200)}`);
    tookMs.push(performance.now() - beganMs);
  }
  return tookMs;
}

function chat(at: number, inRun: boolean): ReturnType<typeof rawCall> {
  const run: HeaderPair[] = inRun ? [['x-svc-run-id', `own-${runs += 1}`], ['x-svc-run-ttl', '1']] : [];
  const body = JSON.stringify({ model: 'm', messages: [], pad: 'x'.repeat(at % 10 === 0 ? 100_000 : 100) });
  return rawCall(system.gatewayUrl, { target: '/v1/chat/completions', headers: [['Authorization', `Bearer ${own}`], ...run], body });
}

function tapPost(): ReturnType<typeof rawCall> {
  return rawCall(system.platformUrl, {
    target: '/tap/v1/events', headers: [['Authorization', `Bearer ${ownTap}`], json], body: JSON.stringify({ events: [event()] }),
  });
}

function event(): object {
  return {
    schema: 'svc-tap-v1', provider: 'openai', model: 'm', request_id: randomBytes(12).toString('hex'), input_tokens: 1, output_tokens: 1,
    cached_tokens: 0, stop_reason: 'stop', tool_calls: 0, status: 200, retries: 0, latency_ms: 1, rate_limit: null,
    timestamp: new Date().toISOString(), tag: 't',
  };
}

function p99(tookMs: readonly number[]): number {
  return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * 0.99)]!;
}

/** Begins it and waits until it says that it is under way. */
async function begin(attack: Attack): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('fairness-attack.ts', import.meta.url));
  const child = spawn(process.execPath, [file, attack, system.gatewayUrl, system.platformUrl, hog, hogTap], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout!, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  child.stdin!.end();
  if (child.exitCode === null) await once(child, 'exit');
}

try {
  await measured('chat');
  for (const { name, attack, processes, measure } of trials.filter((trial) => trial.attack.includes(values.only))) {
    const [alone, beside]: [number[], number[]] = [[], []];
    const ratios: number[] = [];
    const refusals = [0, 0];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      refused = 0;
      const quiet = await measured(measure);
      refusals[0]! += refused;
      refused = 0;
      const others = await Promise.all(Array.from({ length: processes }, () => begin(attack)));
      const loud = await measured(measure);
      refusals[1]! += refused;
      await Promise.all(others.map(end));
      await pass(500);
      alone.push(...quiet);
      beside.push(...loud);
      ratios.push(p99(loud) / p99(quiet));
    }
    const median = ratios.toSorted((a, b) => a - b)[ratios.length >> 1]!;
    console.log([
      `${name}: p99 ${p99(beside).toFixed(1)} ms beside it, ${p99(alone).toFixed(1)} ms alone, ${(p99(beside) / p99(alone)).toFixed(2)} times`,
      `by round ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}, median ${median.toFixed(2)}`,
      ...(refusals.some((count) => count > 0) ? [`503: ${refusals.join(' alone, ')} beside it`] : []),
      `${((system.residentBytes() ?? 0) / 2 ** 20).toFixed(0)} MiB resident`,
    ].join('; '));
  }
} finally {
  await system.stop();
}
