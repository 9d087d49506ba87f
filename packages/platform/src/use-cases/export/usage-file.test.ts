/**
 * A file of usage has every row, however many there are: read in shares, the rows are those of the answer, and more than an answer may have are in
 * the file, with sums that are those of the records.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { ServiceKeyId } from '@metergate/core/id.ts';
import { formatDollars, type NanoDollars } from '@metergate/core/money.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { freshSqlite, platformFixture, type PlatformFixture, type TestOrganization } from '../../http/test-support/platform-fixture.ts';
import { showComparedUsage, streamComparedUsage, type ComparedWith, type ComparedRequest, type ComparedUsage } from '../compared-usage.ts';
import { isRefusal } from '../refusal.ts';
import { createServiceKey } from '../service-keys.ts';
import { addedUp, showUsage, type ShownUsage } from '../usage.ts';

const place = freshSqlite();
const beganMs = Date.UTC(2026, 9, 1);
const dayMs = 86_400_000;
const nowMs = beganMs + 40 * dayMs;
let platform: PlatformFixture;
let small: TestOrganization;
let large: TestOrganization;
/** Its keys are the member's, the admin's and nobody's in turn. */
let peopled: TestOrganization;

const context = () => ({ store: platform.store, nowMs, randomBytes: (n: number) => randomBytes(n) });

/** Calls of as many runs, over nine days, with a cost of their own each. */
async function calls(of: TestOrganization, count: number, keys: readonly ServiceKeyId[] = []): Promise<void> {
  const each = 2_000;
  for (let from = 0; from < count; from += each) {
    const records = Array.from({ length: Math.min(each, count - from) }, (_, index) => {
      const number = from + index;
      return sampleRecord(of.id, {
        ...(keys.length === 0 ? {} : { key: keys[number % keys.length]! }),
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
  peopled = await platform.organization('peopled');
  const owners = [peopled.emails.member, peopled.emails.admin, null];
  const keys: ServiceKeyId[] = [];
  for (let made = 0; made < 30; made += 1) {
    const key = await createServiceKey({ ...context(), nowMs: beganMs }, { organization: peopled.id, person: owners[made % 3]! });
    assert.ok(!isRefusal(key), JSON.stringify(key));
    keys.push(key.id as ServiceKeyId);
  }
  await calls(peopled, 60, keys);
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
      const rows = await rowsInShares(question, {}, 40);
      assert.deepEqual(inOrder(rows), inOrder(answer), `${by.join()} ${JSON.stringify(span)}`);
    }
  }
});

/** The rows of all shares of at most so many. */
async function rowsInShares(question: ComparedRequest, beside: ComparedWith, atOnce: number): Promise<ComparedUsage[]> {
  const streamed = await streamComparedUsage(context(), question, beside, atOnce);
  assert.ok(!isRefusal(streamed), JSON.stringify(streamed));
  const rows: ComparedUsage[] = [];
  for await (const batch of streamed.batches) {
    assert.ok(batch.length <= atOnce, `${batch.length} at once`);
    rows.push(...batch);
  }
  return rows;
}

async function answered(question: ComparedRequest, beside: ComparedWith): Promise<ComparedUsage[]> {
  const rows = await showComparedUsage(context(), question, beside);
  assert.ok(!isRefusal(rows), JSON.stringify(rows));
  return rows;
}

test('by person too, whose keys may be more than the rows of a share', async () => {
  for (const by of [['person'], ['run', 'person'], ['key', 'person']] as const) {
    const question: ComparedRequest = { organization: peopled.id, by };
    const rows = await answered(question, {});
    assert.deepEqual(inOrder(await rowsInShares(question, {}, by.length === 1 ? 4 : 20)), inOrder(rows), by.join());
    assert.deepEqual(Object.keys(rows[0]!).slice(0, by.length), [...by], 'the dimensions come first, as they were asked for');
    assert.equal(addedUp(rows).calls, 60);
  }
  const [first, ...others] = (await answered({ organization: peopled.id, by: ['person'] }, {})).map(({ person }) => person);
  assert.deepEqual(new Set([first, ...others]), new Set([peopled.emails.member, peopled.emails.admin, null]));
});

test('with corrections beside them, those without calls too, and with other prices', async () => {
  const corrected = Array.from({ length: 20 }, (_, index) => ({
    dayMs: beganMs + (index % 10) * dayMs, model: index % 4 === 3 ? `model-without-calls-${index}` : `model-${index % 4}`, ours: 0n as NanoDollars,
    theirs: BigInt(index + 1) as NanoDollars,
  }));
  await platform.store.corrections.record({
    organization: peopled.id, provider: 'openai', fromMs: beganMs, toMs: beganMs + 20 * dayMs, bill: 'a'.repeat(64), days: corrected,
  });
  for (const by of [['day', 'model'], ['model'], ['model', 'wire']] as const) {
    const question: ComparedRequest = { organization: peopled.id, by };
    const rows = await answered(question, { adjusted: true });
    assert.ok(rows.some(({ calls }) => calls === 0), 'some have no calls');
    assert.deepEqual(inOrder(await rowsInShares(question, { adjusted: true }, 8)), inOrder(rows), by.join());
    const file = await platform.ask(`/platform/v1/usage/file?by=${by.join()}&since=2026-10-01&until=2026-11-01&adjusted=true&format=csv`,
      { token: peopled.tokens.viewer });
    assert.match(file.text.split('\r\n')[0]!, /,cost,cacheSavings,correction,adjustedCost$/);
    assert.equal(file.text.trimEnd().split('\r\n').length, rows.length + 1);
  }
  const question: ComparedRequest = { organization: peopled.id, by: ['run'] };
  const rows = await answered(question, { prices: 'list' });
  assert.deepEqual(inOrder(await rowsInShares(question, { prices: 'list' }, 20)), inOrder(rows));
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
