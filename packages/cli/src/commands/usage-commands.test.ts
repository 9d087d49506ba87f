/** `usage` and `export`, their fields, files, exit codes and sentences (rule 25; rules: Interfaces). */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { exportLayout } from '@metergate/platform/use-cases/exports.ts';
import { sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { productEnv, runCli, type CliResult } from '@metergate/testkit/system.ts';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { ownDirectory } from '../test-support/own-directory.ts';
import { runInProcess } from '../test-support/run-in-process.ts';

const { root, dataDirectory, make, inStore, remove } = ownDirectory();
const files = join(root, 'files');
const startMs = Date.UTC(2026, 8, 23);

before(async () => {
  await make();
  mkdirSync(files);
  await inStore(async (store) => {
    const made = await store.organizations.create({ name: 'Acme', plan: 'team' });
    assert.ok('id' in made);
    const record = (changes: Parameters<typeof sampleRecord>[1]) =>
      sampleRecord(made.id as OrganizationId,
        { inputTokens: 10, outputTokens: 2, cost: nanoDollars(1_500_000_000n), startedAtMs: startMs, ...changes });
    const records = [
      record({}), record({ startedAtMs: startMs + 3_600_000, model: 'other', labels: [] }),
      record({ startedAtMs: startMs + 86_400_000, cost: null, costSource: 'unpriced', model: null, project: null }),
      record({ startedAtMs: startMs + 86_400_001, cost: null, costSource: 'none', usage: 'unknown', inputTokens: null, outputTokens: null }),
    ];
    await store.calls.ship({ segment: 'seg_1', through: 4, records: records.map((each, index) => ({ seq: index + 1, record: each })) });
    await store.organizations.create({ name: 'Empty', plan: 'team' });
  });
});
after(remove);

const run = (...args: string[]): Promise<CliResult> => runInProcess(args, productEnv({ SVC_DATA_DIR: dataDirectory }), '');

async function json(...args: string[]): Promise<unknown> {
  const result = await run(...args, '--json');
  assert.equal(result.code, 0, result.stderr);
  assert.equal(result.stderr, '');
  return result.json();
}

const figures = (calls: number, tokens: readonly [number, number], cost: string, [unknownCalls, unpricedCalls] = [0, 0]) =>
  ({
    calls, inputTokens: tokens[0], cachedTokens: 3 * calls, cacheWriteTokens: 0, outputTokens: tokens[1], reasoningTokens: 4 * calls, cost,
    cacheSavings: `-0.0000000${String(7 * calls).padStart(2, '0')}`, unknownCalls, unpricedCalls, gapCalls: 0,
  });

test('usage adds up by each dimension, with unknown costs beside the money', async () => {
  const usage = (by: string, ...more: string[]) => json('usage', '--org', 'Acme', '--by', by, ...(more.length > 0 ? more : ['--month', '2026-09']));
  assert.deepEqual(await usage('day'), [
    { day: '2026-09-23', ...figures(2, [20, 4], '3.000000000') }, { day: '2026-09-24', ...figures(2, [10, 2], '0.000000000', [1, 1]) },
  ]);
  assert.deepEqual(await usage('model'), [
    { model: 'gpt-6', ...figures(2, [10, 2], '1.500000000', [1, 0]) }, { model: 'other', ...figures(1, [10, 2], '1.500000000') },
    { model: null, ...figures(1, [10, 2], '0.000000000', [0, 1]) },
  ]);
  assert.deepEqual(await usage('key'), [{ key: 'key_00000000000000000000', ...figures(4, [30, 6], '3.000000000', [1, 1]) }]);
  const labels = await usage('label') as { label: string | null; calls: number; cost: string }[];
  assert.deepEqual(labels.map(({ label, calls, cost }) => [label, calls, cost.slice(0, 4)]),
    [['a', 3, '1.50'], ['naïve', 3, '1.50'], ['🤖', 3, '1.50'], [null, 1, '1.50']]);
  const pairs = await usage('day,project', '--month', '2026-09', '--model', 'gpt-6') as { day: string; project: string; calls: number }[];
  assert.deepEqual(pairs.map(({ day, project, calls }) => [day, project, calls]), [['2026-09-23', 'search', 1], ['2026-09-24', 'search', 1]]);
  assert.deepEqual(await usage('hour', '--since', '2026-09-23T01:00Z', '--until', '2026-09-24'), [
    { hour: '2026-09-23T01:00:00.000Z', ...figures(1, [10, 2], '1.500000000') },
  ]);
  assert.deepEqual(await usage('day', '--since', '2026-09-23T00:00:01Z', '--until', '2026-09-24'), [
    { day: '2026-09-23', ...figures(1, [10, 2], '1.500000000') },
  ]);
  const text = (await run('usage', '--org', 'Acme', '--by', 'model', '--month', '2026-09')).stdout;
  assert.match(text, /^MODEL +CALLS +IN +OUT +COST USD +UNKNOWN +UNPRICED\ngpt-6 +2 +10 +2 +1\.500000 +1 +0\n/);
  assert.match(text, /\nTogether 4 calls, 30 tokens in, 6 out, 3\.000000 USD\.\n/);
  assert.match(text, /They may have cost more\.\nUnpriced: /);
  assert.doesNotMatch(text, /counts in both/, 'no row of it has two of the counts');
  const textOf = async (by: string) => (await run('usage', '--org', 'Acme', '--by', by, '--since', '2026-09')).stdout;
  assert.match(await textOf('key'), /\nUnpriced: .+\nA call whose usage came in part may also be unpriced or have gaps\. It then counts in both\.\n/);
  assert.match(await textOf('label'), /\nA call counts under each of its labels: [^\n]+ do not add up /);
  assert.equal((await run('usage', '--org', 'Empty', '--by', 'run')).stdout, 'There were no calls.\n');
  assert.deepEqual(await json('usage', '--org', 'Empty', '--by', 'run'), []);
  assert.deepEqual(await json('usage', '--org', 'Acme', '--by', 'day', '--until', '2026-09'), [], 'before it');
});

test('usage by person adds up the keys of each; calls with nobody\'s key have none, and all rows are what was used', async () => {
  await inStore(async (store) => {
    const { id } = await store.organizations.create({ name: 'Peopled', plan: 'team' }) as { readonly id: OrganizationId };
    const ada = await store.members.create({ organization: id, email: 'ada@example.com', passwordHash: 'h', role: 'member' });
    assert.ok('id' in ada);
    const keys = await Promise.all([ada.id, ada.id, null].map((person, at) => store.serviceKeys.create({
      organization: id, name: null, project: null, expiresAtMs: null, maxRunBudget: null, hash: String(at).repeat(64),
      prefix: `svc_live_p${at}`, person,
    }))) as { readonly id: ServiceKeyId }[];
    const records = [0, 0, 1, 2].map((key, at) => sampleRecord(id, {
      key: keys[key]!.id, startedAtMs: startMs + at * 86_400_000, cost: nanoDollars(BigInt(at + 1) * 1_000_000_000n),
    }));
    await store.calls.ship({ segment: 'seg_people', through: 4, records: records.map((each, index) => ({ seq: index + 1, record: each })) });
  });
  const usage = async (by: string) => (await json('usage', '--org', 'Peopled', '--by', by, '--month', '2026-09') as Record<string, unknown>[])
    .map(({ person, day, key, calls, cost }) => [person, day, typeof key, calls, cost].filter((each) => each !== undefined));
  assert.deepEqual(await usage('person'),
    [['ada@example.com', 'undefined', 3, '6.000000000'], [null, 'undefined', 1, '4.000000000']]);
  assert.deepEqual((await usage('person,key')).map(([person, , calls, cost]) => [person, calls, cost]),
    [[null, 1, '4.000000000'], ['ada@example.com', 2, '3.000000000'], ['ada@example.com', 1, '3.000000000']]);
  assert.equal((await usage('day,person')).length, 4);
  const beside = await run('usage', '--org', 'Peopled', '--by', 'person', '--month', '2026-09', '--adjusted');
  assert.deepEqual([beside.code, /cannot be combined with corrections or other prices/.test(beside.stderr)], [1, true]);
});

test('usage of 32,000 labels is a row for each and one table, in time proportional to the rows', { timeout: 120_000 }, async () => {
  await inStore(async (store) => {
    const made = await store.organizations.create({ name: 'Labelled', plan: 'team' });
    assert.ok('id' in made);
    const records = Array.from({ length: 1_000 }, (_, call) => sampleRecord(made.id as OrganizationId, {
      startedAtMs: startMs + call, labels: Array.from({ length: 32 }, (_label, at) => `label-${call * 32 + at}`),
    }));
    await store.calls.ship({ segment: 'seg_labels', through: 1_000, records: records.map((each, index) => ({ seq: index + 1, record: each })) });
  });
  const rows = await json('usage', '--org', 'Labelled', '--by', 'label', '--month', '2026-09') as { label: string; calls: number }[];
  assert.deepEqual([rows.length, new Set(rows.map(({ label }) => label)).size, rows.every(({ calls }) => calls === 1)], [32_000, 32_000, true]);
  const shown = await run('usage', '--org', 'Labelled', '--by', 'label', '--month', '2026-09');
  assert.equal(shown.code, 0, shown.stderr);
  assert.equal(shown.stdout.match(/^label-\d+ /gm)?.length, 32_000);
});

test('for people the usage of keys shows their names, also if some are gone', async () => {
  const keyId = await inStore(async (store) => {
    const named = await store.organizations.create({ name: 'Named', plan: 'team' }) as { readonly id: OrganizationId };
    const key = await store.serviceKeys.create({
      organization: named.id, name: 'search-bot', project: null, expiresAtMs: null, maxRunBudget: null,
      hash: 'a'.repeat(64), prefix: 'svc_live_aaaaa',
    }) as { readonly id: ServiceKeyId };
    const records = [sampleRecord(named.id, { key: key.id }), sampleRecord(named.id, {})];
    await store.calls.ship({ segment: 'seg_2', through: 2, records: records.map((each, index) => ({ seq: index + 1, record: each })) });
    return key.id;
  });
  const text = (await run('usage', '--org', 'Named', '--by', 'key', '--since', '2026-01')).stdout;
  assert.match(text, /^KEY +NAME +CALLS /);
  assert.match(text, new RegExp(`\\n${keyId} +search-bot +1 `));
  assert.match(text, /\nkey_0{20} +- +1 /);
  assert.ok(!JSON.stringify(await json('usage', '--org', 'Named', '--by', 'key', '--since', '2026-01')).includes('search-bot'), 'scripts read ids');
});

test('export writes each format whole, with the totals of usage, and leaves no part behind', async () => {
  for (const [format, lines] of [['jsonl', 4], ['csv', 5], ['focus', 8]] as const) {
    const path = join(files, `calls.${format}`);
    writeFileSync(path, 'what was there before');
    const made = await json('export', '--org', 'Acme', '--format', format, '--from', '2026-09-23', '--to', '2026-09-25', '--out', path);
    const text = readFileSync(path, 'utf8');
    assert.deepEqual(made, { calls: 4, cost: '3.000000000', bytes: Buffer.byteLength(text), out: path });
    assert.equal(text.trimEnd().split('\n').length, lines, text);
  }
  assert.deepEqual(readdirSync(files).sort(), ['calls.csv', 'calls.focus', 'calls.jsonl']);
  const half = await run('export', '--org', 'Acme', '--format', 'jsonl', '--from', '2026-09-23T00:00:00.001Z', '--to', '2026-09-24',
    '--out', join(files, 'half'));
  assert.match(half.stdout, /^1 call, 1\.500000000 USD, [\d,]+ bytes written to \S+half\.\n$/);
  assert.equal(JSON.parse(readFileSync(join(files, 'half'), 'utf8')).model, 'other');
});

test('a part that a version with other columns left is not continued', async () => {
  const path = join(files, 'earlier.csv');
  const args = ['export', '--org', 'Acme', '--format', 'csv', '--month', '2026-09', '--out', path];
  await json(...args);
  const file = readFileSync(path, 'utf8');
  const [first, second] = file.split('\r\n') as [string, string];
  const record = file.split('\r\n')[2]!;
  assert.ok(record !== '');
  const part = `${first}\r\n${second}\r\n`;
  const [fromMs, toMs] = [Date.UTC(2026, 8, 1), Date.UTC(2026, 9, 1)];
  const place = { startedAtMs: startMs, sequence: '1', newest: '4', form: null };
  const leave = (identity: string): void => {
    writeFileSync(`${path}.part`, part);
    const state = { fromMs, toMs, place, calls: 1, cost: '1500000000' };
    writeFileSync(`${path}.part.json`, JSON.stringify({ identity, bytes: Buffer.byteLength(part), state }));
  };
  const columns = exportLayout('csv');
  for (const names of [[], columns.slice(0, -1), columns]) {
    leave(['Acme', 'csv', '2026-09', ...(names.length === 0 ? [] : [names.join()])].join('\n'));
    writeFileSync(`${path}.part`, names === columns ? part : part.replaceAll(/[a-z]/g, 'x'));
    await json(...args);
    assert.equal(readFileSync(path, 'utf8'), file);
  }
  rmSync(path);
});

test('a month can be exported by its name, and not beside times; neither is a usage error', async () => {
  const path = join(files, 'month');
  const exported = (...range: string[]) => run('export', '--org', 'Acme', '--format', 'jsonl', '--out', path, ...range);
  assert.equal((await exported('--from', '2026-09', '--to', '2026-10')).code, 0);
  for (const to of ['2026-08', '2026-09']) {
    const backwards = await exported('--from', '2026-09', '--to', to);
    assert.deepEqual([backwards.code, backwards.stderr.includes('--to must be after --from.')], [2, true], backwards.stderr);
  }
  const whole = readFileSync(path, 'utf8');
  assert.equal((await exported('--month', '2026-09')).code, 0);
  assert.equal(readFileSync(path, 'utf8'), whole);
  for (const [range, sentence] of [
    [['--month', '2026-09', '--to', 'today'], /--month cannot be combined/], [['--from', '2026-09'], /needs --month, or --from and --to/],
    [['--month', 'September'], /--month must be/],
  ] as const) {
    const refused = await exported(...range);
    assert.equal(refused.code, 2, refused.stdout);
    assert.match(refused.stderr, sentence);
  }
  rmSync(path);
});

test('parquet contains the same calls in its native types; standard output holds nothing but the file', async () => {
  const path = join(files, 'calls.parquet');
  const made = await json('export', '--org', 'Acme', '--format', 'parquet', '--from', '2026-09-23', '--to', '2026-09-25', '--out', path);
  assert.deepEqual([(made as { calls: number }).calls, (made as { bytes: number }).bytes], [4, statSync(path).size]);
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
  assert.deepEqual(rows.map(({ labels, cost, model, keyName, startedAt }) => [labels, cost, model, keyName, (startedAt as Date).toISOString()]), [
    [['a', 'naïve', '🤖'], 1.5, 'gpt-6', null, '2026-09-23T00:00:00.000Z'], [[], 1.5, 'other', null, '2026-09-23T01:00:00.000Z'],
    [['a', 'naïve', '🤖'], null, null, null, '2026-09-24T00:00:00.000Z'], [['a', 'naïve', '🤖'], null, 'gpt-6', null, '2026-09-24T00:00:00.001Z'],
  ]);
  const shown = await runCli(['export', '--org', 'Acme', '--format', 'jsonl', '--from', '2026-09-23', '--to', '2026-09-25', '--out', '-'],
    productEnv({ SVC_DATA_DIR: dataDirectory }), '');
  assert.equal(shown.stdout.trimEnd().split('\n').map((line) => (JSON.parse(line) as { model: string }).model).length, 4);
  assert.equal(shown.stderr, 'metergate: 4 calls, 3.000000000 USD.\n');
  assert.equal((await run('export', '--org', 'Acme', '--format', 'csv', '--from', '1d', '--to', 'today', '--out', '-', '--json')).code, 2);
});

test('calls are listed under filters, and one is shown by its id', async () => {
  const listed = await json('calls', 'list', '--org', 'Acme', '--model', 'gpt-6', '--usage', 'unknown') as { id: string; usage: string }[];
  assert.deepEqual(listed.map(({ usage }) => usage), ['unknown']);
  assert.deepEqual(await json('calls', 'show', listed[0]!.id), listed[0]);
  assert.deepEqual(await json('calls', 'list', '--org', 'Acme', '--label', 'nobody'), []);
  const text = (await run('calls', 'list', '--org', 'Acme', '--outcome', 'completed', '--key', 'key_00000000000000000000')).stdout;
  assert.match(text, /^STARTED .* KEY +PROJECT +LABELS +ID\n/);
  assert.equal((await run('calls', 'show', `req_${'0'.repeat(32)}`)).code, 1);
  assert.equal((await run('calls', 'list', '--org', 'Acme', '--outcome', 'lost')).code, 2);
});

test('a statement is one page with the totals of usage, and nothing on it is markup of a caller', async () => {
  const path = join(files, 'statement.html');
  const made = await json('statement', '--org', 'Acme', '--month', '2026-09', '--out', path);
  const page = readFileSync(path, 'utf8');
  assert.deepEqual(made, { calls: 4, cost: '3.000000000', bytes: Buffer.byteLength(page), out: path });
  assert.match(page, /<strong>3\.000000000 USD<\/strong>/);
  assert.match(page, /<td>gpt-6<\/td><td>2<\/td><td>10<\/td>.*<td>1\.500000000<\/td>/);
  assert.match(page, /Price list in force: \S+, of \d{4}-\d\d-\d\d/);
  assert.match(page, /A call whose usage came in part\s+may also be unpriced or have gaps, and then counts in both\./);
  assert.doesNotMatch(page, /<script|https?:/);
  const other = await json('statement', '--org', 'Acme', '--month', '2026-09', '--project', '<b>x', '--out', path);
  assert.deepEqual([(other as { calls: number }).calls, (other as { cost: string }).cost], [0, '0.000000000']);
  assert.match(readFileSync(path, 'utf8'), /Project &lt;b&gt;x/);
  rmSync(path);
  assert.equal((await run('statement', '--org', 'Acme', '--month', '2026-13', '--out', path)).code, 2);
});

test('a refused export writes nothing, and an existing file stays', async () => {
  const kept = join(files, 'kept');
  writeFileSync(kept, 'kept');
  const attempt = { org: 'Acme', format: 'csv', from: '2026-09-23', to: '2026-09-24', out: kept };
  const wrong: [number, Partial<typeof attempt>, RegExp][] = [
    [1, { org: 'nobody' }, /no such organization/],
    [2, { to: '2026-09-23' }, /--to must be after --from/],
    [1, { out: join(files, 'no', 'such') }, /its directory does not exist/], [1, { out: files }, /it is a directory/],
    [2, { format: 'xls' }, /--format must be one of jsonl, csv, parquet, focus/],
    [2, { from: 'tomorrow' }, /--from must be an instant .* or a duration ago/],
  ];
  for (const [code, changes, sentence] of wrong) {
    const options = Object.entries({ ...attempt, ...changes }).flatMap(([name, value]) => [`--${name}`, value]);
    const refused = await run('export', ...options);
    assert.equal(refused.code, code, refused.stderr);
    assert.match(refused.stderr, /^metergate: [^\n]+\n$/);
    assert.match(refused.stderr, sentence);
  }
  assert.equal(readFileSync(kept, 'utf8'), 'kept');
  assert.deepEqual([...readdirSync(files), ...readdirSync(root)].filter((name) => name.endsWith('.part')), []);
  assert.equal((await run('usage', '--org', 'Acme', '--by', 'node')).code, 2);
  for (const by of ['day,day', 'day,model,key', 'day,', '']) assert.equal((await run('usage', '--org', 'Acme', `--by=${by}`)).code, 2, by);
  assert.match((await run('usage', '--org', 'Acme', '--by', 'hour')).stderr, /by hour is for at most 7 days/);
  assert.match((await run('usage', '--org', 'Acme', '--by', 'day', '--month', '2026-09', '--until', 'today')).stderr, /--month cannot be combined/);
  const backwards = await run('usage', '--org', 'Acme', '--by', 'day', '--since', '2026-09-02', '--until', '2026-09-01');
  assert.deepEqual([backwards.code, backwards.stderr], [2, 'metergate: --until must not be before --since.\n']);
});

test('usage --csv writes every row exactly; on request as spreadsheets of other countries read it', async () => {
  const path = join(files, 'usage.csv');
  const args = ['usage', '--org', 'Acme', '--by', 'model', '--month', '2026-09'];
  const rows = await json(...args) as { model: string | null; calls: number; cost: string; cacheSavings: string | null }[];
  const written = async (...more: string[]): Promise<string> => {
    assert.deepEqual(await json(...args, '--csv', path, ...more), { rows: rows.length, bytes: statSync(path).size, out: path });
    return readFileSync(path, 'utf8');
  };
  const cells = (text: string, separator: string) => text.split('\r\n').slice(0, -1).map((line) => line.split(separator));
  const [head, ...lines] = cells(await written(), ',');
  const at = (name: string): number => head!.indexOf(name);
  assert.deepEqual(lines.map((line) => [line[at('model')], line[at('calls')], line[at('cost')], line[at('cacheSavings')]]),
    rows.map(({ model, calls, cost, cacheSavings }) => [model ?? '', String(calls), cost, cacheSavings ?? '']));
  const comma = await written('--bom', '--decimal-comma');
  assert.equal(comma[0], '\uFEFF');
  assert.deepEqual(cells(comma.slice(1), ';').slice(1).map((line) => line[at('cost')]), rows.map(({ cost }) => cost.replace('.', ',')));
  const alone = await run(...args, '--bom');
  assert.deepEqual([alone.code, /need --csv FILE/.test(alone.stderr)], [2, true]);
});
