/**
 * A file of usage has every row, however many there are: read in shares, the rows are those of the answer, and more than an answer may have are in
 * the file, with sums that are those of the records.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { formatDollars, type NanoDollars } from '@metergate/core/money.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { freshSqlite, platformFixture, type PlatformFixture, type TestOrganization } from '../../http/test-support/platform-fixture.ts';
import { isRefusal } from '../refusal.ts';
import { addedUp, showUsage, streamUsage, type ShownUsage } from '../usage.ts';

const place = freshSqlite();
const beganMs = Date.UTC(2026, 9, 1);
const dayMs = 86_400_000;
const nowMs = beganMs + 40 * dayMs;
let platform: PlatformFixture;
let small: TestOrganization;
let large: TestOrganization;

const context = () => ({ store: platform.store, nowMs, randomBytes: (n: number) => randomBytes(n) });

/** Calls of as many runs, over nine days, with a cost of their own each. */
async function calls(of: TestOrganization, count: number): Promise<void> {
  const each = 2_000;
  for (let from = 0; from < count; from += each) {
    const records = Array.from({ length: Math.min(each, count - from) }, (_, index) => {
      const number = from + index;
      return sampleRecord(of.id, {
        startedAtMs: beganMs + Math.floor((number / count) * 9 * dayMs), run: `run-${number}`, model: `model-${number % 3}`,
        labels: number % 5 === 0 ? [] : [`label-${number % 40}`, `team-${number % 7}`], cost: BigInt(number + 1) as NanoDollars,
      });
    });
    await platform.store.calls.ship(batchOf(`seg_${of.name}`, records, from + 1));
  }
}

before(async () => {
  platform = await platformFixture(place.url);
  small = await platform.organization('small');
  large = await platform.organization('large');
  await calls(small, 160);
  await calls(large, manyRuns);
});
after(async () => {
  await platform.end();
  place.remove();
});

/** More than an answer may have. */
const manyRuns = 102_000;

const asked = [
  ['run'], ['run', 'day'], ['label'], ['label', 'day'], ['label', 'model'], ['label', 'run'], ['day', 'model'], ['model', 'run'], ['day'],
];
const inOrder = (rows: readonly ShownUsage[]) => rows.map((row) => JSON.stringify(row)).toSorted();

test('in shares of a few rows the rows are those of the answer, each once, whatever is asked for', async () => {
  for (const by of asked) {
    for (const span of [{}, { sinceMs: beganMs + 5 * 3_600_000, untilMs: beganMs + 6 * dayMs + 1 }]) {
      const question = { organization: small.id, by: by as never, ...span };
      const answer = await showUsage(context(), question);
      assert.ok(!isRefusal(answer));
      const streamed = await streamUsage(context(), question, 40);
      assert.ok(!isRefusal(streamed));
      const rows: ShownUsage[] = [];
      for await (const batch of streamed.batches) {
        assert.ok(batch.length <= 40, `${batch.length} at once`);
        rows.push(...batch);
      }
      assert.deepEqual(inOrder(rows), inOrder(answer), `${by.join()} ${JSON.stringify(span)}`);
    }
  }
});

test('a file of more rows than an answer may have has them all, CSV and JSON; the answer says that it is too long', async () => {
  const query = `by=run&since=2026-10-01&until=2026-11-01`;
  const refused = await platform.ask(`/platform/v1/usage?${query}`, { token: large.tokens.viewer });
  assert.deepEqual([refused.status, /more than 100000/.test(refused.text)], [400, true]);
  const csv = await platform.ask(`/platform/v1/usage/file?${query}&format=csv&bom=true`, { token: large.tokens.viewer });
  const [head, ...lines] = csv.text.replace(/^\uFEFF/, '').trimEnd().split('\r\n');
  assert.equal(head!.split(',')[0], 'run');
  assert.equal(new Set(lines.map((line) => line.split(',', 1)[0])).size, manyRuns);
  assert.equal(lines.length, manyRuns);
  const whole = BigInt(manyRuns);
  const sum = formatDollars(((whole * (whole + 1n)) / 2n) as NanoDollars);
  const at = head!.split(',').indexOf('cost');
  const summed = lines.reduce((so, line) => so + BigInt(line.split(',')[at]!.replace('.', '')), 0n);
  assert.equal(formatDollars(summed as NanoDollars), sum);
  const json = await platform.ask(`/platform/v1/usage/file?${query}&format=json`, { token: large.tokens.viewer });
  const rows = JSON.parse(json.text) as ShownUsage[];
  assert.equal(rows.length, manyRuns);
  assert.equal(addedUp(rows).cost, sum);
});

test('an empty file is whole too', async () => {
  const file = (format: string) =>
    platform.ask(`/platform/v1/usage/file?by=run&since=2020-01-01&until=2020-02-01&format=${format}`, { token: small.tokens.viewer });
  assert.equal((await file('json')).text, '[]');
  assert.match((await file('csv')).text, /^run,calls,[^\r\n]*\r\n$/);
});
