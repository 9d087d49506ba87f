/**
 * `node bench/fairness.ts [--only NAME] [--rounds 5] [--calls 1500]`: what one organization's behaviour does to another's calls. In one run,
 * against one product, in alternating rounds: the 99th percentile of an organization's calls alone, and beside another that stalls bodies,
 * drips them, makes answers decompress, fills its share of runs, leaves connections idle or floods the tap. The other is a separate process,
 * and so is its provider. Prints the ratio of all rounds together and of each; asserts nothing. `--only`: part of an attack's name.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pass } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import { startScriptedProvider } from '@metergate/testkit/scripted-provider.ts';
import { startSystem } from '@metergate/testkit/system.ts';
import { beginAttack, endAttack } from './attacks/attack-process.ts';
import type { Attacked } from './attacks/attacked.ts';
import type { Attack } from './fairness-attack.ts';
import { hasHaproxy, haproxy } from './subjects.ts';

const { values } = parseArgs({ options: {
  calls: { type: 'string', default: '1500' }, rounds: { type: 'string', default: '5' }, only: { type: 'string', default: '' },
} });
const calls = Number(values.calls);
const json: HeaderPair = ['content-type', 'application/json'];

/** What is measured: chat calls, calls that each begin a new run, or posts of the tap. */
type Measure = 'chat' | 'run' | 'tap';

/** What the other organization does meanwhile, one attack after the other in each round, and in how many processes. */
interface Trial {
  readonly name: string;
  readonly attacks: readonly Attack[];
  readonly processes?: number;
  readonly measure?: Measure;
  /** The product's limit of file descriptors. */
  readonly descriptorsMax?: number;
  /** Run instead of the product: what the machine itself does to the calls of one beside those of another. */
  readonly through?: 'haproxy';
}

const bursts: readonly Attack[] = ['plain', 'kept', 'large', 'bombs', 'bombs-gzip', 'bombs-deflate', 'bombs-zstd'];

const trials: readonly Trial[] = [
  { name: 'nine stalled bodies', attacks: ['stalled'] },
  { name: '3,000 dripping bodies', attacks: ['dripping'] },
  { name: '190 calls at once, again and again', attacks: bursts },
  ...(hasHaproxy ? [{ name: '190 calls at once through haproxy, for comparison', attacks: ['plain'], through: 'haproxy' } as const] : []),
  { name: 'a full registry, new runs', attacks: ['runs'], measure: 'run' },
  { name: '600 idle connections', attacks: ['idle'], processes: 2 },
  { name: '600 idle connections at 400 descriptors', attacks: ['idle'], processes: 2, descriptorsMax: 400 },
  { name: 'a flood of tap events, chat', attacks: ['tap'] },
  { name: 'a flood of tap events, new runs', attacks: ['tap'], measure: 'run' },
  { name: 'a flood of tap events, tap', attacks: ['tap'], measure: 'tap' },
];

/** A product with two organizations: one that is measured, and the other. */
interface Subject {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  readonly residentBytes: () => number | null;
  readonly stop: () => Promise<void>;
  readonly own: string;
  readonly ownTap: string;
  readonly hog: string;
  readonly hogTap: string;
}

async function startSubject({ attacks, descriptorsMax }: Trial): Promise<Subject> {
  const runsMax = attacks.includes('runs') ? 2_000 : 20_000;
  const system = await startSystem({ env: { SVC_RUN_REGISTRY_MAX: String(runsMax) }, ...(descriptorsMax === undefined ? {} : { descriptorsMax }) });
  await system.createOrganization('hog', 'scale');
  await system.connectProvider('openai', 'hog');
  await system.declareUpstream({ organization: 'hog', url: providerUrl });
  system.openai.respond({ headers: [json], body: '{"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}' });
  const tapKey = async (organization: string): Promise<string> =>
    (JSON.parse((await system.cli(['baseline', 'create', '--org', organization, '--json'])).stdout) as { key: string }).key;
  return {
    gatewayUrl: system.gatewayUrl, platformUrl: system.platformUrl, residentBytes: () => system.residentBytes(),
    // Whatever the other organization did, nothing of it is held once it has gone.
    stop: () => system.assertAtRest().finally(() => system.stop()),
    own: (await system.createKey()).key, hog: (await system.createKey({ organization: 'hog' })).key,
    ownTap: await tapKey('default'), hogTap: await tapKey('hog'),
  };
}

/** haproxy instead of the product; it knows no organizations. */
async function startComparison(): Promise<Subject> {
  const own = await startScriptedProvider();
  own.respond({ headers: [json], body: '{"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}' });
  const { url, stop } = await haproxy(own.url, providerUrl);
  const end = async (): Promise<void> => {
    await stop();
    await own.close();
  };
  return { gatewayUrl: url, platformUrl: url, residentBytes: () => null, stop: end, own: 'none', hog: 'none', ownTap: 'none', hogTap: 'none' };
}

let runs = 0;
/** Answers which say that a run could not be confirmed in time, because the store was busy. */
let refused = 0;

/** The duration of each call, one after the other, milliseconds. Every tenth chat body is large. */
async function measured(subject: Subject, measure: Measure): Promise<number[]> {
  const tookMs: number[] = [];
  // More runs and tap posts than these would be refused by their own limits.
  const most = measure === 'chat' ? calls : Math.min(calls, 300);
  for (let at = 0; at < most; at += 1) {
    const beganMs = performance.now();
    const answer = measure === 'tap' ? await tapPost(subject) : await chat(subject, at, measure === 'run');
    if (answer.status === 503) refused += 1;
    else if (answer.status >= 300) throw new Error(`a call was answered ${answer.status}: ${answer.body.toString().slice(0, 200)}`);
    tookMs.push(performance.now() - beganMs);
  }
  return tookMs;
}

function chat({ gatewayUrl, own }: Subject, at: number, inRun: boolean): ReturnType<typeof rawCall> {
  const run: HeaderPair[] = inRun ? [['x-svc-run-id', `own-${runs += 1}`], ['x-svc-run-ttl', '1']] : [];
  const body = JSON.stringify({ model: 'm', messages: [], pad: 'x'.repeat(at % 10 === 0 ? 100_000 : 100) });
  return rawCall(gatewayUrl, { target: '/v1/chat/completions', headers: [['Authorization', `Bearer ${own}`], ...run], body });
}

function tapPost({ platformUrl, ownTap }: Subject): ReturnType<typeof rawCall> {
  return rawCall(platformUrl, {
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

/** Calls of one kind of round, in all rounds together and by round, and how many of them were answered with "try again". */
interface Rounds {
  readonly tookMs: number[][];
  refused: number;
}

async function measureInto(rounds: Rounds, subject: Subject, measure: Measure): Promise<void> {
  refused = 0;
  rounds.tookMs.push(await measured(subject, measure));
  rounds.refused += refused;
}

async function run(trial: Trial): Promise<void> {
  const { name, attacks, processes = 1, measure = 'chat', through } = trial;
  const subject = through === undefined ? await startSubject(trial) : await startComparison();
  const { gatewayUrl, platformUrl, hog: key, hogTap } = subject;
  const attacked: Attacked = { gatewayUrl, platformUrl, key, tapKey: hogTap, token: '', blackHoleUrl: '', scale: 1 };
  const alone: Rounds = { tookMs: [], refused: 0 };
  const beside = attacks.map((attack) => ({ attack, rounds: { tookMs: [], refused: 0 } as Rounds }));
  try {
    await measured(subject, 'chat');
    for (let round = 0; round < Number(values.rounds); round += 1) {
      await measureInto(alone, subject, measure);
      for (const { attack, rounds } of beside) {
        const others = await Promise.all(Array.from({ length: processes }, () => beginAttack(attack, JSON.stringify(attacked))));
        await measureInto(rounds, subject, measure);
        await Promise.all(others.map(endAttack));
        await pass(500);
      }
    }
    const bytes = subject.residentBytes();
    const resident = bytes === null ? [] : [`${(bytes / 2 ** 20).toFixed(0)} MiB resident`];
    for (const { attack, rounds } of beside) console.log([`${name} (${attack}): ${compared(rounds, alone)}`, ...resident].join('; '));
  } finally {
    await subject.stop();
  }
}

function compared(beside: Rounds, alone: Rounds): string {
  const [all, quiet] = [p99(beside.tookMs.flat()), p99(alone.tookMs.flat())];
  const ratios = beside.tookMs.map((tookMs, round) => p99(tookMs) / p99(alone.tookMs[round]!));
  const median = ratios.toSorted((a, b) => a - b)[ratios.length >> 1]!;
  return [
    `p99 ${all.toFixed(1)} ms beside it, ${quiet.toFixed(1)} ms alone, ${(all / quiet).toFixed(2)} times`,
    `by round ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}, median ${median.toFixed(2)}`,
    ...(alone.refused + beside.refused > 0 ? [`503: ${alone.refused} alone, ${beside.refused} beside it`] : []),
  ].join('; ');
}

const provider = await beginAttack('provider');
const [providerUrl = ''] = provider.line.split(' ');
for (const trial of trials) {
  const attacks = trial.attacks.filter((attack) => attack.includes(values.only));
  if (attacks.length > 0) await run({ ...trial, attacks });
}
await endAttack(provider);
