/**
 * Arrow's reader and DuckDB's read an export of Parquet back: every record, its exact cost and its words. Both come with the official
 * validator of FOCUS (`.ci/run` installs them in `.venvs/focus`). Without them one line says so. Rule 25.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exportCalls, type ExportFormat } from '@metergate/platform/use-cases/exports.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { seedStore } from '@metergate/platform/use-cases/seed.ts';
import { openStore } from '@metergate/store/store.ts';

const python = fileURLToPath(new URL('../../.venvs/focus/bin/python', import.meta.url));
const readers = `
import json, sys
import duckdb, pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1])
def told(rows):
    costs = [cost for _, cost, _ in rows if cost is not None]
    return [len(rows), str(sum(costs)), len(costs), [row[0] for row in rows], [row[2] for row in rows]]
names = ("id", "cost", "model")
print(json.dumps({
    "arrow": told(list(zip(*(table[name].to_pylist() for name in names)))),
    "duckdb": told(duckdb.sql(f"select id, cost, model from read_parquet('{sys.argv[1]}')").fetchall()),
}))
`;

test('Arrow and DuckDB read an export of Parquet back: every record, to the nano-dollar', { timeout: 120_000 }, async (t) => {
  if (!existsSync(python)) {
    t.diagnostic('no readers in .venvs/focus: Parquet is read back by one other library here');
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), 'metergate-readers-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const bytes = (n: number): Uint8Array => randomBytes(n);
  const url = `sqlite:${join(directory, 'store.db')}`;
  const store = await openStore({ url, masterKey: bytes(32), clock: Date.now, randomBytes: bytes, create: true });
  t.after(() => store.close());
  const context = { store, randomBytes: bytes, nowMs: Date.now() };
  assert.ok(!isRefusal(await seedStore(context, { organizations: 1, keys: 5, calls: 3_000 }, () => {})));

  const written = async (format: ExportFormat): Promise<Buffer> => {
    const made = await exportCalls(context, { organization: 'default', format, fromMs: 0, toMs: context.nowMs });
    assert.ok(!isRefusal(made));
    const pieces: Uint8Array[] = [];
    for await (const piece of made.pieces) pieces.push(piece.bytes);
    return Buffer.concat(pieces);
  };
  const file = join(directory, 'calls.parquet');
  writeFileSync(file, await written('parquet'));
  const records = (await written('jsonl')).toString().trimEnd().split('\n')
    .map((line) => JSON.parse(line) as { id: string; cost: string | null; model: string | null });
  const costs = records.flatMap(({ cost }) => (cost === null ? [] : [BigInt(cost.replace('.', ''))]));
  const found = JSON.parse(execFileSync(python, ['-c', readers, file], { encoding: 'utf8' })) as Record<string, [number, string, ...unknown[]]>;
  for (const name of ['arrow', 'duckdb']) {
    const [count, cost, priced, ids, models] = found[name]!;
    const total = costs.reduce((sum, each) => sum + each, 0n);
    assert.deepEqual([count, BigInt(cost.replace('.', '')), priced], [records.length, total, costs.length], name);
    assert.deepEqual([ids, models], [records.map(({ id }) => id), records.map(({ model }) => model)], name);
  }
});
