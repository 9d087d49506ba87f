/**
 * A table of exchanges and their bills: each costs what its charges add up to, to the nano-dollar, or names the gap; none is silently wrong.
 * Rules 6, 6b and 6d. Each answer is read whole and, if it has one, as a stream in small pieces. The sum is exact: charges as decimals, rounded once.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { divideHalfEven, formatDollars, nanoDollars, nanoDollarsMax } from '../money.ts';
import { createUsageReader } from '../usage/reader.ts';
import { costOf, type Cost } from './cost.ts';
import { createPriceBook } from './price-book.ts';
import { priceList } from './price-list.ts';
import type { Answer } from './test-support/answers.ts';
import { textBills, type Charge } from './test-support/bills.ts';
import { unitBills } from './test-support/unit-bills.ts';

const book = createPriceBook({ list: priceList, overlay: null });
const bills = [...textBills, ...unitBills];

function costFrom(answer: Answer, streamed: boolean): Cost {
  const { wire, endpoint, body, events, host = null, requestedModel = null, region = null, dialect = null } = answer;
  const { atMs = Date.parse('2026-09-23T12:00:00Z') } = answer;
  const reader = createUsageReader({ wire, endpoint, streamed, dialect });
  const bytes = Buffer.from(streamed ? events!.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') : JSON.stringify(body));
  for (let at = 0; at < bytes.length; at += 61) reader.push(bytes.subarray(at, at + 61));
  return costOf({
    reading: reader.finish('whole'), requestedModel, region, provider: wire === 'upstream' ? null : wire, upstreamHost: host, book,
    fallback: null, atMs,
  });
}

const exact = 10n ** 15n;

/** Nano-dollars of the charges. */
function sumOf(charges: readonly Charge[]): bigint {
  let sum = 0n;
  for (const [count, dollars, per] of charges) {
    // A fee has nine decimals; the one amount beyond money is written in whole nano-dollars.
    const nano = Math.round(count * dollars * 1e9);
    if (per === 'each') sum += (Number.isSafeInteger(nano) ? BigInt(Math.round(count * dollars * 1e12)) * 1_000n : nanoDollarsMax * 1_000_000n);
    else sum += BigInt(count) * BigInt(Math.round(dollars * 1e9));
  }
  return divideHalfEven(sum, exact / 10n ** 9n);
}

test('work that tells no figures, and work that is done later, has no cost, whatever model was asked for', () => {
  const works = [
    [{ id: 'video_1', object: 'video', model: 'sora-2', status: 'queued', seconds: '8', size: '720x1280' }, 'not_reported'],
    [{ created: 1, data: [{ url: 'https://example.com/a.png' }] }, 'not_reported'],
    [{ id: 'batch_1', object: 'batch', status: 'completed', usage: { input_tokens: 9, output_tokens: 9, total_tokens: 18 } }, 'deferred'],
  ] as const;
  for (const [body, without] of works) {
    const reader = createUsageReader({ wire: 'openai', endpoint: 'other', streamed: false, without });
    reader.push(Buffer.from(JSON.stringify(body)));
    const reading = reader.finish('whole');
    const { cost, costSource } = costOf({
      reading, requestedModel: 'gpt-image-1', provider: 'openai', upstreamHost: null, book, fallback: null, atMs: 0,
    });
    assert.deepEqual([reading.usage, reading.usageReason, cost, costSource], ['unknown', without, null, 'none']);
  }
});

describe('bills', () => {
  test('there are at least 150 exchanges, of ten upstreams and more, and no two are the same', () => {
    const exchanges = bills.flatMap(([, { body, events }]) => (events === null ? [body] : [body, events]));
    assert.ok(bills.length >= 150 && exchanges.length >= 200, `${bills.length} answers, ${exchanges.length} exchanges`);
    assert.equal(new Set(bills.map(([what]) => what)).size, bills.length);
    assert.ok(new Set(bills.map(([, { host }]) => host).filter((host) => host !== undefined)).size > 10);
  });
  for (const [what, answer, charges, ...gaps] of bills) {
    for (const streamed of answer.events === null ? [false] : [false, true]) {
      test(`${what}${streamed ? ', streamed' : ''}`, () => {
        const { cost, costGaps, costSource } = costFrom(answer, streamed);
        if (charges === null) assert.deepEqual([cost, costSource], [null, 'unpriced']);
        else assert.equal(cost === null ? costSource : formatDollars(cost), formatDollars(nanoDollars(sumOf(charges))));
        assert.deepEqual(costGaps, gaps);
      });
    }
  }
});
