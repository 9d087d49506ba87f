/**
 * Exports that are interrupted after any piece and resumed by another process equal uninterrupted ones, byte for byte; each format adds up
 * to the same calls and cost; Parquet is read back by another library. Rule 25.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { randomBytes } from 'node:crypto';
import { parquetReadObjects } from 'hyparquet';
import { openStore, type Store } from '@metergate/store/store.ts';
import { freshSqlite, masterKey } from '../http/test-support/platform-fixture.ts';
import { exportCalls, exportFormats, type ExportFormat, type ExportPiece, type ExportPlace } from './exports.ts';
import { isRefusal } from './refusal.ts';
import { figureIn } from '@metergate/core/report/usage-sum.ts';
import { seedStore } from './seed.ts';
import { showUsage } from './usage.ts';

const place = freshSqlite();
const nowMs = Date.UTC(2026, 10, 20, 12);
let store: Store;
const context = () => ({ store, nowMs, randomBytes: (n: number) => randomBytes(n) });
const range = { fromMs: Date.UTC(2026, 9, 20), toMs: Date.UTC(2026, 10, 18, 5) };

before(async () => {
  store = await openStore({ url: place.url, masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true });
  const seeded = await seedStore(context(), { organizations: 2, keys: 12, calls: 9_000 }, () => {});
  assert.deepEqual(seeded, { organizations: 2, keys: 12, calls: 9_000 });
});
after(async () => {
  await store.close();
  place.remove();
});

async function piecesOf(format: ExportFormat, resumeAt?: ExportPlace): Promise<ExportPiece[]> {
  const made = await exportCalls(context(), { organization: 'default', format, ...range, ...(resumeAt === undefined ? {} : { resumeAt }) });
  assert.ok(!isRefusal(made));
  const pieces: ExportPiece[] = [];
  for await (const piece of made.pieces) pieces.push(piece);
  return pieces;
}

const whole = (pieces: readonly ExportPiece[]): Buffer => Buffer.concat(pieces.map(({ bytes }) => bytes));
const totals = (pieces: readonly ExportPiece[]) => pieces.reduce((sum, { calls, cost }) => [sum[0]! + BigInt(calls), sum[1]! + cost], [0n, 0n]);

test('a seeded store adds up in every dimension, and is not seeded twice', async () => {
  const [first] = await showUsage(context(), { organization: 'default', by: ['month'] }) as { calls: number }[];
  assert.ok(first!.calls > 100);
  for (const by of ['model', 'key', 'project', 'run', 'day', 'wire'] as const) {
    const rows = await showUsage(context(), { organization: 'default', by: [by] }) as { calls: number; cost: string }[];
    const months = await showUsage(context(), { organization: 'default', by: ['month'] }) as { calls: number; cost: string }[];
    const added = (list: typeof rows) =>
      list.reduce((sum, { calls, cost }) => [sum[0]! + BigInt(calls), sum[1]! + BigInt(cost.replace('.', ''))], [0n, 0n]);
    assert.deepEqual(added(rows), added(months), by);
  }
  const again = await seedStore(context(), { organizations: 1, keys: 1, calls: 1 }, () => {});
  assert.ok(isRefusal(again) && again.refused.code === 'store_not_empty');
});

test('seeded runs are there, closed when their hours were over, and spent what their calls cost', async () => {
  const organization = await store.organizations.find('default');
  assert.ok(organization !== null && 'id' in organization);
  const runs = await store.runs.list({ organization: organization.id, limit: 1_000 });
  const used = await store.usageReports.usage({ organization: organization.id, by: ['run'], rowsMax: 10_000 });
  const costs = new Map(used!.map(({ subjects, figures }) => [subjects[0], figureIn(figures, 'cost')]));
  assert.ok(runs.length > 5 && runs.length === used!.filter(({ subjects }) => subjects[0] !== '').length);
  for (const { id, spent, state, endedAtMs } of runs) {
    assert.equal(spent, costs.get(id), id);
    assert.equal(state, endedAtMs === null ? 'live' : 'closed');
  }
});

for (const format of exportFormats) {
  test(`${format}: the totals of usage, and the same file wherever it was broken off`, async () => {
    const once = await piecesOf(format);
    const organization = await store.organizations.find('default');
    assert.ok(organization !== null && 'id' in organization);
    const [used] = await store.usageReports.usage({
      organization: organization.id, by: [], sinceMs: range.fromMs, untilMs: range.toMs, rowsMax: 1,
    }) as readonly { figures: readonly (number | bigint)[] }[];
    assert.deepEqual(totals(once), [BigInt(used!.figures[0]!), BigInt(used!.figures[6]!)]);
    const resumable = once.flatMap(({ place: at }, index) => (at === null ? [] : [index]));
    assert.ok(format === 'parquet' || resumable.length > 1, 'there are places to go on from');
    for (const index of resumable) {
      const rest = await piecesOf(format, JSON.parse(JSON.stringify(once[index]!.place)) as ExportPlace);
      assert.ok(whole(once).equals(Buffer.concat([whole(once.slice(0, index + 1)), whole(rest)])), `after piece ${index}`);
      assert.deepEqual(totals([...once.slice(0, index + 1), ...rest]), totals(once));
    }
  });
}

test('parquet: every record, with exact money and its own types', async () => {
  const bytes = whole(await piecesOf('parquet'));
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
  const lines = whole(await piecesOf('jsonl')).toString().trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(rows.length, lines.length);
  assert.deepEqual(Object.keys(lines[0]!).filter((name) => !(name in rows[0]!)), [], 'a column for every field of a record');
  for (const [index, row] of rows.entries()) {
    const line = lines[index]!;
    assert.deepEqual([row['id'], row['model'], row['labels'], row['streamed'], row['inputTokens'] === null ? null : Number(row['inputTokens'])],
      [line['id'], line['model'], line['labels'], line['streamed'], line['inputTokens']]);
    assert.equal(row['cost'] === null ? null : (row['cost'] as number).toFixed(9), line['cost']);
    assert.equal((row['startedAt'] as Date).toISOString(), line['startedAt']);
    assert.equal(row['upstream'], line['upstream']);
  }
});
