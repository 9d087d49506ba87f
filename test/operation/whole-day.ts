/**
 * A day of calls through the running product, and then every figure that it shows of them: `node test/operation/whole-day.ts [--calls N]
 * [--engine sqlite|postgres]`, 100,000 calls by default. Providers answer, fail, cut their answers and report no usage; callers leave; the
 * product is killed and restarted again and again. The sum of the records must equal the usage, the cap's spend, each export's totals, the
 * statement and the lines of FOCUS, to the nano-dollar. Prints what it did; a difference gives exit code 1.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { standAtNoon } from '@metergate/testkit/clock.ts';
import { startPostgres } from '@metergate/testkit/postgres.ts';
import type { ReceivedRequest, Script } from '@metergate/testkit/scripted-provider.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { answerHeaders, answerPieces, requestedCall, bodyOf, heldBack, kinds } from '../reliability/metered-load.ts';
import { allShipped } from '../all-shipped.ts';

// What is exported is a month.
standAtNoon();

export interface WholeDay {
  readonly calls: number;
  readonly engine: 'sqlite' | 'postgres';
  /** How often it is stopped: every other time killed, otherwise asked to end. */
  readonly restarts: number;
}

/** What was done, and what every place shows of it. Money in nano-dollars. */
export interface DayFigures {
  /** Number of calls that a provider saw. */
  readonly seen: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Calls and cost by the place where they were read. */
  readonly places: Readonly<Record<string, readonly [calls: number, cost: bigint]>>;
}

const callers = 24;
/** Which of twenty calls is the one whose caller leaves. */
const leaving = 19;
const nano = (text: string): bigint => BigInt(text.replace('.', ''));

export async function wholeDay({ calls, engine, restarts }: WholeDay): Promise<DayFigures> {
  const server = engine === 'postgres' ? await startPostgres() : null;
  const directory = mkdtempSync(join(tmpdir(), 'metergate-day-'));
  const env = server === null ? {} : { SVC_DATABASE_URL: await server.createDatabase(), SVC_MASTER_KEY: randomBytes(32).toString('base64') };
  let system = await startSystem({ env, dataDirectory: join(directory, 'data') });
  try {
    const { key } = await system.createKey({ project: 'day' });
    const cap = ['cap', 'set', '--org', 'default', '--scope', 'organization', '--window', 'lifetime', '--limit', '1000000'];
    assert.equal((await system.cli([...cap, '--json'])).code, 0);
    // An answer that nobody waits for is abandoned at once.
    assert.equal((await system.cli(['org', 'set', 'default', '--drain', '0', '--json'])).code, 0);
    const seen = new Set<number>();
    const respond = answering(seen);
    system.openai.respond(respond);
    system.anthropic.respond(respond);
    let made = 0;
    for (let part = 1; part <= restarts + 1; part += 1) {
      const until = Math.floor((calls * part) / (restarts + 1));
      await load({ system, key, next: () => (made < until ? ++made : null) });
      if (part > restarts) break;
      // In flight as it dies: calls that nobody waits for.
      const dying = load({ system, key, next: () => (made < until + callers * 4 ? ++made : null) });
      await new Promise((resolve) => { setImmediate(resolve); });
      if (part % 2 === 1) await system.kill9();
      // Ends the running product, by SIGTERM.
      const next = system.restart();
      await dying;
      system = await next;
    }
    await allShipped(system);
    return { seen: seen.size, ...await figures(system, directory) };
  } finally {
    await system.stop();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Some of twenty calls get an answer other than success. */
function answering(seen: Set<number>): (request: ReceivedRequest) => Script {
  return (heard) => {
    const { number, kind } = requestedCall(heard);
    seen.add(number);
    const body = answerPieces(kind, number).join('');
    switch (number % 20) {
      case 3: return { status: 500, headers: answerHeaders(kind), body: '{"error":{"message":"broken"}}' };
      case 7: return { headers: answerHeaders(kind), body, cutAt: { byte: Math.floor(body.length / 2), by: 'fin' } };
      case 11: return { headers: answerHeaders(kind), body: body.replaceAll('"usage"', '"nothing"') };
      case 13: return { raw: new Uint8Array(), ending: 'rst' };
      case 17: return { headers: answerHeaders(kind), body: body.replaceAll(/gpt-4o-mini|claude-sonnet-4-5/g, 'nobody-knows') };
      case leaving: return { headers: answerHeaders(kind), body: heldBack(answerPieces(kind, number), new Promise(() => {})) };
      default: return { headers: answerHeaders(kind), body };
    }
  };
}

interface DayLoad {
  readonly system: System;
  readonly key: string;
  /** The next call's number; null: there are enough. */
  readonly next: () => number | null;
}

/** Several callers at once. A broken call is over; nobody retries. */
async function load({ system, key, next }: DayLoad): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const caller = async (): Promise<void> => {
    for (let number = next(); number !== null; number = next()) await call({ agent, system, key, number });
  };
  await Promise.all(Array.from({ length: callers }, caller));
  agent.destroy();
}

function call({ agent, system, key, number }: { readonly agent: Agent; readonly number: number } & Pick<DayLoad, 'system' | 'key'>): Promise<void> {
  const kind = kinds[number % kinds.length]!;
  const headers = {
    authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-svc-tags': `team-${number % 5}`,
    ...(number % 4 === 0 ? { 'x-svc-run-id': `run-${number % 50}` } : {}), ...(number % 3 === 0 ? { 'x-svc-project': `project-${number % 7}` } : {}),
  };
  return new Promise((resolve) => {
    const asked = request(system.gatewayUrl + kind.target, { method: 'POST', agent, headers }, (response) => {
      response.on('close', resolve).on('error', () => {});
      // One caller in twenty leaves with the first of its answer; the rest never comes.
      if (number % 20 === leaving) response.once('data', () => response.destroy());
      else response.resume();
    });
    asked.on('error', () => resolve());
    asked.end(bodyOf(kind, number));
  });
}

interface KeptRecord {
  readonly id: string;
  readonly cost: string | null;
  readonly outcome: string;
  readonly usage: string;
}

async function figures(system: System, directory: string): Promise<Omit<DayFigures, 'seen'>> {
  const json = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await system.cli([...args, '--org', 'default', '--json']);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const places: Record<string, readonly [number, bigint]> = {};
  const outcomes: Record<string, number> = {};
  for (const format of ['jsonl', 'csv', 'parquet', 'focus'] as const) {
    const out = join(directory, `day.${format}`);
    const told = await json('export', '--format', format, '--from', '30d', '--to', '2100-01', '--out', out) as { calls: number; cost: string };
    places[format] = [told.calls, nano(told.cost)];
    if (format === 'jsonl') {
      const records = readFileSync(out, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as KeptRecord);
      assert.equal(new Set(records.map(({ id }) => id)).size, records.length, 'each record once');
      for (const { outcome, usage } of records) outcomes[`${outcome} ${usage}`] = (outcomes[`${outcome} ${usage}`] ?? 0) + 1;
      places['records'] = [records.length, records.reduce((sum, { cost }) => sum + (cost === null ? 0n : nano(cost)), 0n)];
    }
    if (format === 'focus') {
      const [, ...lines] = readFileSync(out, 'utf8').trimEnd().split('\r\n');
      places['lines of FOCUS'] = [told.calls, lines.reduce((sum, line) => sum + nano(line.slice(0, line.indexOf(','))), 0n)];
    }
  }
  for (const by of ['day', 'model', 'key', 'project', 'run', 'wire,endpoint', 'month']) {
    const rows = await json('usage', '--by', by, '--since', '30d') as { calls: number; cost: string }[];
    places[`usage by ${by}`] = [rows.reduce((sum, { calls }) => sum + calls, 0), rows.reduce((sum, { cost }) => sum + nano(cost), 0n)];
  }
  const [cap] = await json('cap', 'list') as { spent: string }[];
  places['what the cap spent'] = [places['records']![0], nano(cap!.spent)];
  // By the store's clock, which a test cannot set on PostgreSQL: on the last day of a month it may be another than this process's.
  const months = await json('usage', '--by', 'month', '--since', '30d') as { month: string }[];
  assert.equal(months.length, 1, 'all calls are of one month');
  const [{ month }] = months as [{ month: string }];
  const statement = await json('statement', '--month', month, '--out', join(directory, 'day.html')) as { calls: number; cost: string };
  places['statement'] = [statement.calls, nano(statement.cost)];
  return { outcomes, places };
}

/** Checks that every place shows the same, and that every call a provider saw has its record. */
export function assertEqualEverywhere({ seen, places, outcomes }: DayFigures): void {
  const expected = places['records']!;
  assert.ok(expected[0] >= seen, `${seen} calls were forwarded, ${expected[0]} recorded`);
  for (const [place, found] of Object.entries(places)) assert.deepEqual(found, expected, place);
  const kindsOfEnd = new Set(Object.keys(outcomes).map((name) => name.split(' ')[0]));
  for (const outcome of ['completed', 'cut', 'failed', 'caller_gone']) assert.ok(kindsOfEnd.has(outcome), `${outcome}: ${JSON.stringify(outcomes)}`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { calls: { type: 'string', default: '100000' }, engine: { type: 'string', default: 'sqlite' } } });
  const began = performance.now();
  const found = await wholeDay({ calls: Number(values.calls), engine: values.engine === 'postgres' ? 'postgres' : 'sqlite', restarts: 10 });
  for (const [place, [calls, cost]] of Object.entries(found.places)) console.log(place.padEnd(28), String(calls).padStart(8), `${cost}`.padStart(20));
  console.log(JSON.stringify({ seen: found.seen, outcomes: found.outcomes, seconds: Math.round((performance.now() - began) / 1_000) }));
  assertEqualEverywhere(found);
}
