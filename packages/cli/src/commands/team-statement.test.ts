/** What each team pays of a month, as a page, as a ledger and over HTTP: the same figures everywhere, to the nano-dollar. docs/allocation.md. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { formatDollars, nanoDollars, unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { freshSqlite, platformFixture } from '@metergate/platform/http/test-support/platform-fixture.ts';
import { setAllocationRules } from '@metergate/platform/use-cases/allocation/allocation-rules.ts';
import type { TeamStatement } from '@metergate/platform/use-cases/statements/team-statement.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { ownStore, type OwnStore } from '../test-support/own-store.ts';

let own: OwnStore;
const hostile = '<b>=cmd|1,"x"; y';
const rules = {
  rules: [{ byLabel: 'team:*' }, { projects: ['shared'], split: { search: '1', ads: '2' } }], markup: '7.5',
  currency: { code: 'EUR', rate: '0.913700001', date: '2026-10-31' },
  accounts: [{ team: 'search', account: '6400', costCentre: 'CC-1' }, { team: null, account: '-6999' }],
};
const calls = (organization: OrganizationId): CallRecord[] => {
  const call = (startedAtMs: number, team: string | null, [cost, project, model]: readonly [bigint | null, string, string]) =>
    sampleRecord(organization, {
      labels: team === null ? [] : [`team:${team}`], startedAtMs, project, model,
      cost: cost === null ? null : nanoDollars(cost), ...(cost === null ? { costSource: 'unpriced' as const } : {}),
    });
  const [september, october] = [8, 9].map((month) => Date.UTC(2026, month, 3)) as [number, number];
  return [
    call(september, 'search', [40_000_000_001n, 'web', 'gpt-6']), call(september, 'gone', [2_000_000_000n, 'web', 'gpt-6']),
    call(october, 'search', [1_234_567_891_234n, 'web', 'gpt-6']), call(october, 'search', [333_333_333n, 'api', 'gpt-6-mini']),
    call(october, 'search', [null, 'api', 'own-model']), call(october, 'ads', [77_777_777_777n, 'web', 'gpt-6']),
    call(october, hostile, [5_005_005_005n, 'web', 'gpt-6']), call(october, null, [100_000_001n, 'shared', 'gpt-6']),
    call(october, null, [1n, 'nobody', 'gpt-6']),
  ];
};
const asked = ['--month', '2026-10', '--org', 'acme'] as const;
const read = (name: string): string => readFileSync(join(own.directory, name), 'utf8');
const sum = (amounts: readonly string[]): string => formatDollars(amounts.reduce((total, each) => total + unformatDollars(each), 0n) as NanoDollars);
let shown: TeamStatement;

before(async () => {
  own = await ownStore(() => Date.UTC(2026, 10, 20));
  const { id } = await own.json(['org', 'create', 'acme']) as { id: OrganizationId };
  await own.inStore((store) => store.calls.ship(batchOf('seg_teams', calls(id))));
  writeFileSync(join(own.directory, 'rules.json'), JSON.stringify({ allocation: rules }));
  await own.json(['apply', '-f', 'rules.json', '--org', 'acme', '--yes']);
  shown = await own.json(['statement', ...asked, '--by', 'team']) as TeamStatement;
});
after(() => own?.end());

test('each team has its total with the month before beside it, its projects and models, and the same counts of what is lacking', async () => {
  assert.deepEqual(shown.teams.map(({ team }) => team), [hostile, 'ads', 'gone', 'search', null]);
  const search = shown.teams[3]!;
  assert.deepEqual([search.account, search.costCentre, search.calls, search.unpricedCalls], ['6400', 'CC-1', 3, 1]);
  assert.equal(search.before!.adjustedCost, '40.000000001');
  const gone = shown.teams[2]!;
  assert.deepEqual([gone.charge, gone.calls, gone.before!.adjustedCost, gone.projects], ['0.000000000', 0, '2.000000000', []]);
  assert.deepEqual([shown.before!.month, shown.before!.state, shown.before!.totals.adjustedCost], ['2026-09', 'open', '42.000000001']);
  for (const team of shown.teams) {
    for (const rows of [team.projects, team.models]) {
      assert.deepEqual([sum(rows.map(({ cost }) => cost)), rows.reduce((all, { unpricedCalls }) => all + unpricedCalls, 0)],
        [team.cost, team.unpricedCalls]);
    }
    assert.equal(sum([team.adjustedCost, team.markup]), team.charge);
  }
  for (const name of ['cost', 'adjustedCost', 'markup', 'charge', 'converted'] as const) {
    assert.equal(sum(shown.teams.map((team) => team[name]!)), shown.totals[name], name);
  }
  const usage = await own.json(['usage', '--by', 'model', ...asked]) as { cost: string }[];
  assert.equal(shown.totals.cost, sum(usage.map(({ cost }) => cost)));
  const text = (await own.run(['statement', ...asked, '--by', 'team'])).stdout;
  assert.match(text, /search +6400 +CC-1 +3 +1 .*43\.000000001\d*\n/);
  assert.match(text, /\(unallocated\) +-6999/);
});

/** Lines of a CSV file whose quoted cells may hold separators. */
function cellsOf(file: string, separator: string): string[][] {
  return file.trimEnd().split('\r\n').map((line) => {
    const cells = line.match(new RegExp(`(?<=^|${separator})(?:"(?:[^"]|"")*"|[^${separator}"]*)`, 'g')) ?? [];
    return cells.map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
  });
}

test('the ledger has every digit, adds up to the statement, and takes the forms of ledgers; no cell of it is a formula', async () => {
  assert.deepEqual(await own.json(['statement', ...asked, '--by', 'team', '--csv', 'ledger.csv']),
    { charge: shown.totals.charge, csv: 'ledger.csv', lines: 4 });
  const [heads, ...rows] = cellsOf(read('ledger.csv'), ',') as [string[], ...string[][]];
  const column = (name: string): string[] => rows.map((row) => row[heads.indexOf(name)]!);
  for (const name of ['charge', 'adjustedCost', 'markup', 'cost', 'converted'] as const) assert.equal(sum(column(name)), shown.totals[name], name);
  assert.deepEqual(column('team'), [hostile, 'ads', 'search', '']);
  assert.deepEqual(column('account'), ['', '', '6400', "'-6999"]);
  assert.deepEqual([new Set(column('currency')), new Set(column('rate')), new Set(column('rateDate')), new Set(column('state'))],
    [new Set(['EUR']), new Set(['0.913700001']), new Set(['2026-10-31']), new Set(['open'])]);
  assert.deepEqual(column('unpricedCalls'), ['0', '0', '1', '0']);
  await own.json(['statement', ...asked, '--by', 'team', '--csv', 'comma.csv', '--bom', '--decimal-comma']);
  const comma = read('comma.csv');
  assert.equal(comma[0], '\uFEFF');
  const again = cellsOf(comma.slice(1), ';');
  assert.deepEqual(again.slice(1).map((row) => row.map((cell, index) => (index >= 4 && index <= 13 ? cell.replace(',', '.') : cell))), rows);
});

test('a ledger is that of teams with and without --by team; without rules the answer names what needs none', async () => {
  await own.json(['statement', ...asked, '--by', 'team', '--csv', 'said.csv']);
  await own.json(['statement', ...asked, '--csv', 'alone.csv', '--out', 'alone.html']);
  assert.equal(read('alone.csv'), read('said.csv'));
  assert.match(read('alone.html'), /<h2>By team<\/h2>/);
  await own.json(['org', 'create', 'without']);
  const { stderr } = await own.run(['statement', '--org', 'without', '--month', '2026-10', '--csv', 'none.csv']);
  assert.match(stderr, /no rules of allocation.* usage --by project --month 2026-10 --csv FILE/);
});

test('the page rounds to cents that add up, says the exact total, and a team has the same figures on its own page', async () => {
  await own.json(['statement', ...asked, '--by', 'team', '--out', 'teams.html']);
  const page = read('teams.html');
  assert.doesNotMatch(page, /<b>=|<script|https?:/);
  const large = [...page.matchAll(/<strong>([\d,.]+) USD<\/strong>/g)].map((found) => found[1]!.replaceAll(',', ''));
  const cents = (text: string): bigint => BigInt(text.replace('.', ''));
  assert.equal(large.length, 6);
  assert.equal(large.slice(1).reduce((all, each) => all + cents(each), 0n), cents(large[0]!));
  assert.match(page, new RegExp(`Exactly ${shown.totals.charge.replace('.', '\\.')} USD`));
  assert.match(page, /2026-09: 45\.150000001 USD, not closed/, 'below a hundred dollars every digit is shown');
  assert.equal(page.match(/1 no price/g)!.length, 2, 'once for all, once for the team');
  await own.json(['statement', ...asked, '--team', 'search', '--out', 'search.html']);
  const sheetOf = (html: string): string => /<h1>search<\/h1>[^]*?<\/article>/.exec(html)![0];
  assert.equal(sheetOf(read('search.html')), sheetOf(page));
  assert.doesNotMatch(read('search.html'), /ads|By team/);
});

test('a closed month is stated as it was closed, by other rules too, and one of its versions on request', async () => {
  await own.json(['month', 'close', '2026-09', '--org', 'acme']);
  await own.json(['month', 'close', '2026-10', '--org', 'acme']);
  writeFileSync(join(own.directory, 'other.json'), JSON.stringify({ allocation: { rules: [], rest: { team: 'all' } } }));
  await own.json(['apply', '-f', 'other.json', '--org', 'acme', '--yes']);
  const closed = await own.json(['month', 'statement', '2026-10', '--org', 'acme', '--by', 'team']) as TeamStatement;
  assert.deepEqual([closed.state, closed.version, closed.teams, closed.totals, closed.before!.state],
    ['closed', 1, shown.teams, shown.totals, 'closed']);
  assert.deepEqual(await own.json(['statement', ...asked, '--by', 'team', '--version', '1']), closed);
  const refused = async (...args: string[]): Promise<string> => (await own.run(['statement', ...asked, ...args])).stderr;
  assert.match(await refused('--by', 'team', '--version', '2'), /has no version 2/);
  assert.match(await refused('--team', 'nobody'), /No such team pays/);
  for (const [args, sentence] of [
    [['--version', '1'], /needs --by team/], [[], /--out FILE is required/],
    [['--csv', 'x.csv', '--project', 'p'], /For one project: usage/], [['--by', 'team', '--bom'], /need --csv/],
    [['--by', 'team', '--project', 'p'], /cannot be combined/], [['--team', 'ads', '--csv', 'x.csv'], /all teams/], [['--by', 'label'], /team/],
  ] as const) assert.match(await refused(...args), sentence);
});

test('over HTTP viewers get the statement, the page and the ledger; without rules, or for another team, they learn why not', async () => {
  const place = freshSqlite();
  const platform = await platformFixture(place.url);
  try {
    const acme = await platform.organization('acme');
    await platform.store.calls.ship(batchOf('seg_http', calls(acme.id)));
    const ask = (path: string) => platform.ask(`/platform/v1${path}`, { token: acme.tokens.viewer });
    const without = await ask('/months/2026-10/statement');
    assert.deepEqual([without.status, (without.body['error'] as { code: string }).code], [404, 'no_allocation']);
    await setAllocationRules({ store: platform.store, randomBytes: () => Buffer.alloc(0), nowMs: 0 }, acme.id, rules);
    const { status, body } = await ask('/months/2026-10/statement');
    assert.deepEqual([status, body['teams'], body['totals']], [200, shown.teams, shown.totals]);
    const one = (await ask('/months/2026-10/statement?team=search')).body as unknown as TeamStatement;
    assert.deepEqual([one.teams, one.totals], [[shown.teams[3]], shown.totals]);
    assert.equal((await ask('/months/2026-10/statement?team=x')).status, 404);
    assert.match((await ask('/months/2026-10/ledger?bom=true')).text, /^\uFEFF?month,team,account,costCentre,charge/);
    assert.match((await ask('/statements?month=2026-10&by=team')).text, /<h2>By team<\/h2>/);
    assert.match((await ask('/statements?month=2026-10&team=search')).text, /<h1>search<\/h1>/);
    assert.equal((await ask('/statements?month=2026-10&by=team&project=web')).status, 400);
    assert.equal((await platform.ask('/platform/v1/months/2026-10/ledger')).status, 401);
  } finally {
    await platform.end();
    place.remove();
  }
});
