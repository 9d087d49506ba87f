/**
 * Months that were closed by earlier versions, in stores that these versions left: they read, verify and are handed out as then, and what is closed
 * next goes on from them. The stores are files; test-support/older-months/README.md says how they were made.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { formatDollars, unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Store } from '@metergate/store/store.ts';
import { openTestStore } from '@metergate/store/test-support/contract-fixture.ts';
import { showAllocation, tryAllocation } from '../allocation/month-allocation.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { makeLedger } from '../statements/ledger.ts';
import { makeStatement, statementRows } from '../statements/month-statement.ts';
import { makeTeamPage } from '../statements/team-page.ts';
import { adjustedUsage } from './adjusted-usage.ts';
import { checkMonth } from './check-month.ts';
import { closeAndShow, exportMonth, listMonths, reopenMonth, showMonth, type ShownMonth } from './months.ts';

const folder = new URL('test-support/older-months/', import.meta.url);
const [july, august, september, october] = [6, 7, 8, 9].map((month) => Date.UTC(2026, month, 1)) as [number, number, number, number];
const dayMs = 86_400_000;

interface Told {
  readonly organization: OrganizationId;
  /** SHA-256 of each file as it was handed out then. */
  readonly files: Readonly<Record<string, string>>;
  /** July, July opened again, July's second version, August. */
  readonly shown: readonly [ShownMonth, ShownMonth, ShownMonth, ShownMonth];
}

function shown<Value>(answer: Value | AdministrationRefusal): Value {
  if (isRefusal(answer)) throw new Error(answer.refused.message);
  return answer;
}

async function olderStore(t: TestContext, name: string): Promise<{ readonly store: Store; readonly told: Told }> {
  const place = mkdtempSync(join(tmpdir(), 'metergate-older-months-'));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const path = join(place, 'store.db');
  writeFileSync(path, gunzipSync(readFileSync(new URL(`${name}.db.gz`, folder))), { mode: 0o600 });
  const store = await openTestStore(`sqlite:${path}`);
  t.after(() => store.close());
  return { store, told: JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Told };
}

for (const { name, isAllocated } of [{ name: 'schema-48', isAllocated: false }, { name: 'schema-67', isAllocated: true }]) {
  const at = (store: Store, nowMs: number) => ({ store, randomBytes: (n: number) => randomBytes(n), nowMs });

  test(`${name}: what was closed reads as then, and its files are the same bytes and verify`, async (t) => {
    const { store, told: { organization, files, shown: [first, , second, latest] } } = await olderStore(t, name);
    const context = at(store, october);
    for (const [was, monthMs, version] of [[first, july, 1], [second, july, 2], [latest, august, 1]] as const) {
      const now = shown(await showMonth(context, { organization, monthMs, version }));
      const { versions: _now, state: _state, figures, ...rest } = now;
      const { versions: _was, state: _wasState, figures: wasFigures, ...wasRest } = was;
      assert.deepEqual(rest, wasRest);
      // Figures may have become more since.
      for (const [figure, value] of Object.entries(wasFigures)) assert.deepEqual(figures[figure as keyof typeof figures], value, figure);
      const pieces: Uint8Array[] = [];
      for await (const { bytes } of shown(await exportMonth(context, { organization, monthMs, version })).pieces) pieces.push(bytes);
      const file = Buffer.concat(pieces);
      assert.equal(createHash('sha256').update(file).digest('hex'), files[`${was.month} v${version}`]);
      const verdict = await checkMonth((async function* () { yield file; })(), null);
      assert.deepEqual([verdict.fault, verdict.adjustedCost, verdict.withoutNames], [null, was.adjustedCost, 0]);
    }
    const listed = shown(await listMonths(context, organization));
    assert.deepEqual(listed.map(({ month, state, version, adjustedCost }) => [month, state, version, adjustedCost]),
      [[latest.month, 'closed', 1, latest.adjustedCost], [second.month, 'closed', 2, second.adjustedCost]]);
  });

  test(`${name}: statement, pages, usage and allocation are made of what was closed`, async (t) => {
    const { store, told: { organization, shown: [, , second, latest] } } = await olderStore(t, name);
    const context = at(store, october);
    const asked = { organization, monthMs: august };
    for (const by of ['project', 'model', 'key'] as const) {
      // A call of July came after its closing: it is in the records of July, and not in what was closed.
      const { version, rows } = shown(await statementRows(context, { organization, monthMs: july, by }));
      const cost = rows.reduce((sum, row) => sum + unformatDollars(row.cost), 0n);
      assert.deepEqual([version, rows.reduce((sum, { calls }) => sum + calls, 0), cost],
        [2, second.figures.calls, unformatDollars(second.figures.cost)]);
    }
    assert.ok(shown(await makeStatement(context, asked)).html.includes(`${latest.figures.cost}`));
    for (const by of ['day', 'model', 'month'] as const) {
      const rows = shown(await adjustedUsage(context, { organization, by: [by], sinceMs: august, untilMs: september }));
      const sum = rows.reduce((total, row) => total + unformatDollars(row.cost) + unformatDollars(row.correction), 0n);
      assert.equal(sum, unformatDollars(latest.figures.cost) + unformatDollars(latest.correction));
    }
    const { teams } = shown(await tryAllocation(context, asked, { rules: [{ byLabel: 'team:*' }, { projects: ['web'], team: 'web' }] }));
    assert.equal(formatDollars(teams.reduce((total, { after }) => total + unformatDollars(after ?? '0.000000000'), 0n) as NanoDollars),
      latest.adjustedCost);
    const allocation = await showAllocation(context, asked);
    assert.equal(isRefusal(allocation), !isAllocated);
    if (isRefusal(allocation)) return;
    assert.equal(allocation.totals.adjustedCost, latest.adjustedCost);
    assert.ok(shown(await makeTeamPage(context, asked)).html.includes(allocation.totals.charge));
    assert.match(shown(await makeLedger(context, asked, { byteOrderMark: false, decimalComma: false })).text, /search,6400,CC-12/);
  });

  test(`${name}: the next month is closed by this version, without a correction that nobody made; the last can be opened again`, async (t) => {
    const { store, told: { organization, shown: [, , , latest] } } = await olderStore(t, name);
    const context = at(store, october + dayMs);
    const closed = shown(await closeAndShow(context, { organization, monthMs: september }));
    assert.deepEqual([closed.version, closed.late], [1, []], 'all that came late is in August');
    assert.equal(shown(await reopenMonth(context, { organization, monthMs: september })).state, 'open');
    assert.equal(shown(await reopenMonth(context, { organization, monthMs: august })).state, 'open');
    const again = shown(await closeAndShow(context, { organization, monthMs: august }));
    assert.deepEqual([again.version, again.figures.calls, again.late, again.adjustedCost],
      [2, latest.figures.calls, latest.late, latest.adjustedCost]);
    const old = shown(await showMonth(context, { organization, monthMs: august, version: 1 }));
    assert.deepEqual([old.adjustedCost, old.late], [latest.adjustedCost, latest.late]);
  });
}
