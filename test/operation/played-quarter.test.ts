/**
 * A quarter of twelve teams through the built command and the API, on both engines: 200 keys of which 40 are shared, 3,000 labels, late calls, a
 * provider's bill with planted differences. Closed, split, stated, exported and reconciled; every sum is that of the test's own books, the planted
 * differences are found, and nothing else is accused. docs/month.md, docs/allocation.md, docs/reconcile.md.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { formatDollars, unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { ShownAllocation } from '@metergate/platform/use-cases/allocation/shown-allocation.ts';
import type { ListedMonth, ShownMonth } from '@metergate/platform/use-cases/months/months.ts';
import type { TeamStatement } from '@metergate/platform/use-cases/statements/team-statement.ts';
import { openStore } from '@metergate/store/store.ts';
import { batchOf } from '@metergate/store/test-support/contract-fixture.ts';
import { runInProcess } from 'metergate/test-support/run-in-process.ts';
import { testPostgres } from '@metergate/testkit/postgres.ts';
import { productEnv, runCli, startSystem } from '@metergate/testkit/system.ts';
import { billOf, chargedBy, costOf, payers, planted, playedMonth, rules } from './quarter-ledger.ts';

const months = ['2026-01', '2026-02', '2026-03'] as const;
const dollars = (amount: bigint): string => formatDollars(amount as NanoDollars);
const sum = (amounts: readonly string[]): bigint => amounts.reduce((total, amount) => total + unformatDollars(amount), 0n);

interface Reconciled {
  readonly lines: readonly { day: string; model: string | null; item: string | null; verdict: string; reasons: string[] }[];
}

interface Place {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Runs the command in the folder; fails unless it exits with `code`. */
  run(args: readonly string[], code?: number): Promise<unknown>;
  ship(records: readonly CallRecord[]): Promise<void>;
}

async function placeOn(engine: 'sqlite' | 'postgres', t: TestContext): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'metergate-quarter-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = engine === 'postgres' ? await testPostgres() : null;
  if (server !== null) t.after(() => server.stop());
  const masterKey = randomBytes(32);
  const dataDirectory = join(folder, 'data');
  const url = server === null ? `sqlite:${join(dataDirectory, 'metergate.db')}` : await server.createDatabase();
  const env = {
    SVC_DATA_DIR: dataDirectory, SVC_MASTER_KEY: masterKey.toString('base64'), ...(server === null ? {} : { SVC_DATABASE_URL: url }),
  };
  const system = await startSystem({ dataDirectory, env, connectProviders: false, publishedLimits: true });
  assert.equal(await system.stop(), 0, system.stderr());
  let segments = 0;
  // A process for each command is tried on one engine; on the other, commands run in this one.
  const command = engine === 'sqlite' ? runCli : runInProcess;
  return {
    folder, env,
    async run(args, code = 0) {
      const ran = await command([...args, '--json'], productEnv(env));
      assert.equal(ran.code, code, `${args.join(' ')}: ${ran.stderr}`);
      return ran.json();
    },
    async ship(records) {
      const store = await openStore({ url, masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: false });
      for (let from = 0; from < records.length; from += 200) {
        await store.calls.ship(batchOf(`seg_quarter_${segments += 1}`, records.slice(from, from + 200)));
      }
      await store.close();
    },
  };
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`a played quarter of twelve teams on ${engine}`, { timeout: 240_000 }, async (t) => {
    const place = await placeOn(engine, t);
    const { folder, run, ship } = place;
    const { id: organization } = await run(['org', 'create', 'acme']) as { id: OrganizationId };
    const org = ['--org', 'acme'] as const;
    const [january, february, march] = months.map((month, index) =>
      playedMonth(organization, Date.parse(month), { calls: 1_200, seed: 7_001 + index })) as [CallRecord[], CallRecord[], CallRecord[]];
    const late = playedMonth(organization, Date.parse('2026-01'), { calls: 60, seed: 9_001 });
    await ship([...january, ...february, ...march]);
    writeFileSync(join(folder, 'rules.json'), JSON.stringify({ allocation: rules }));
    await run(['apply', '-f', join(folder, 'rules.json'), ...org, '--yes']);

    const open = await run(['allocation', 'show', ...org, '--month', '2026-01']) as ShownAllocation;
    assertPaid(open, january, []);
    const first = await run(['month', 'close', '2026-01', ...org]) as ShownMonth;
    assert.deepEqual([first.figures.calls, first.adjustedCost], [january.length, dollars(costOf(january))]);

    await ship(late);
    const billed = chargedBy([...january, ...late]);
    const bill = join(folder, 'bill.json');
    const reconcile = ['reconcile', ...org, '--provider', 'openai', bill] as const;
    writeFileSync(bill, billOf(billed));
    await run(reconcile);
    const { more, accused } = planted(billed, '2026-01', january);
    writeFileSync(bill, billOf(billed));
    const { lines } = await run(reconcile, 1) as Reconciled;
    const found = lines.filter(({ verdict }) => verdict !== 'equal');
    assert.deepEqual(found.map(({ day, model, item, verdict }) => [day.slice(-2), model ?? item, verdict]).sort((one, other) =>
      (one.join() < other.join() ? -1 : 1)), accused);
    assert.deepEqual(lines.filter(({ reasons }) => reasons.includes('past_the_gateway')).map(({ model }) => model), ['gpt-5-2025-08-07']);
    await run([...reconcile, '--record']);

    for (const month of months.slice(1)) await run(['month', 'close', month, ...org]);
    const shown = await Promise.all(months.map(async (month) => await run(['statement', ...org, '--month', month, '--by', 'team']) as TeamStatement));
    assertPaid(shown[0]!, january, []);
    assertPaid(shown[1]!, february, late);
    assertPaid(shown[2]!, march, []);
    assert.deepEqual(shown[0]!.totals, open.totals, 'what is closed is what was shown before');
    assert.deepEqual([shown[0]!.totals.lateCorrection, shown[1]!.totals.lateCorrection], [dollars(0n), dollars(more)]);
    const listed = await run(['month', 'list', ...org]) as ListedMonth[];
    assert.equal(sum(listed.map(({ adjustedCost }) => adjustedCost)), costOf([...january, ...february, ...march, ...late]) + more);

    await exported(place, shown);
    const usage = await run(['usage', ...org, '--by', 'month', '--since', '2026-01-01', '--until', '2026-04-01']) as { cost: string }[];
    assert.deepEqual(usage.map(({ cost }) => cost), [[...january, ...late], february, march].map((records) => dollars(costOf(records))));
    await overHttp(place, shown);
  });
}

/** Each team pays what the own books say: for itself, its parts of what is split, and what came late. */
function assertPaid(
  { teams, totals }: Pick<ShownAllocation, 'teams' | 'totals'>, own: readonly CallRecord[], late: readonly CallRecord[],
): void {
  const [due, lateDue] = [payers(own), payers(late, own)];
  for (const { team, cost, splitCost, late: lateCost, adjustedCost, correction, lateCorrection, markup, charge } of teams) {
    const { own: alone, split } = due.get(team) ?? { own: 0n, split: 0n };
    const lately = lateDue.get(team) ?? { own: 0n, split: 0n };
    assert.deepEqual([cost, splitCost, lateCost], [dollars(alone + split), dollars(split), dollars(lately.own + lately.split)], String(team));
    assert.equal(sum([cost, correction, lateCost, lateCorrection]), unformatDollars(adjustedCost));
    const off = unformatDollars(markup) * 10_000n - unformatDollars(adjustedCost) * 725n;
    assert.ok(off > -10_000n && off < 10_000n, 'the markup is off by less than a nano-dollar');
    assert.equal(sum([adjustedCost, markup]), unformatDollars(charge));
  }
  const paying = teams.filter(({ charge }) => unformatDollars(charge) !== 0n).map(({ team }) => team);
  assert.deepEqual(new Set([...due.keys(), ...lateDue.keys()]), new Set(paying));
  const lacking = own.filter(({ usage }) => usage === 'unknown').length;
  assert.deepEqual([totals.calls, totals.cost, totals.unknownCalls], [own.length, dollars(costOf(own)), lacking]);
  for (const name of ['cost', 'adjustedCost', 'markup', 'charge', 'converted'] as const) {
    assert.equal(sum(teams.map((team) => team[name]!)), unformatDollars(totals[name]!), name);
  }
}

/** Files that are handed out: the signed month, the page, the ledger, and all calls. */
async function exported({ folder, env, run }: Place, shown: readonly TeamStatement[]): Promise<void> {
  const { stdout: key } = await runCli(['receipts', 'public-key', '--org', 'acme'], productEnv(env));
  writeFileSync(join(folder, 'key.pem'), key);
  for (const [index, month] of months.entries()) {
    const [file, page, ledger] = ['jsonl', 'html', 'csv'].map((ending) => join(folder, `${month}.${ending}`)) as [string, string, string];
    await run(['month', 'export', month, '--org', 'acme', '--out', file]);
    const { valid, adjustedCost } = await run(['month', 'verify', file, '--public-key', join(folder, 'key.pem')]) as Record<string, unknown>;
    assert.deepEqual([valid, adjustedCost], [true, shown[index]!.totals.adjustedCost]);
    await run(['month', 'statement', month, '--org', 'acme', '--by', 'team', '--out', page, '--csv', ledger]);
    const [heads, ...rows] = readFileSync(ledger, 'utf8').trimEnd().split('\r\n').map((line) => line.split(',')) as [string[], ...string[][]];
    for (const name of ['charge', 'adjustedCost', 'markup', 'converted'] as const) {
      assert.equal(sum(rows.map((row) => row[heads.indexOf(name)]!)), unformatDollars(shown[index]!.totals[name]!), `${month} ${name}`);
    }
    assert.ok(readFileSync(page, 'utf8').includes(`Exactly ${shown[index]!.totals.charge} USD`));
  }
}

/** The same over HTTP, by somebody who may only look. */
async function overHttp({ env, run }: Place, shown: readonly TeamStatement[]): Promise<void> {
  const { token } = await run(['token', 'create', '--org', 'acme', '--role', 'viewer']) as { token: string };
  const system = await startSystem({ dataDirectory: env['SVC_DATA_DIR']!, env, connectProviders: false, publishedLimits: true });
  try {
    const ask = async (path: string): Promise<Response> => {
      const answer = await fetch(`${system.platformUrl}/platform/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(answer.status, 200, `${path}: ${answer.status}`);
      return answer;
    };
    for (const [index, month] of months.entries()) {
      assert.deepEqual(await (await ask(`/months/${month}/statement`)).json(), shown[index]);
      assert.match(await (await ask(`/months/${month}/file`)).text(), /"type":"end"/);
      assert.equal((await (await ask(`/months/${month}/ledger`)).text()).split('\r\n').length, shown[index]!.teams.filter(({ calls, charge }) =>
        calls > 0 || unformatDollars(charge) !== 0n).length + 2);
    }
    const text = await (await ask('/exports?format=jsonl&from=2026-01-01&to=2026-04-01')).text();
    const costs = text.trimEnd().split('\n').map((line) => (JSON.parse(line) as { cost: string | null }).cost ?? '0.000000000');
    assert.equal(sum(costs), sum(shown.flatMap(({ totals }) => [totals.cost, totals.late])));
  } finally {
    assert.equal(await system.stop(), 0, system.stderr());
  }
}
