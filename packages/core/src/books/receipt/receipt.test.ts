/** Texts that are hashed and signed: fields that read one way only, a form that never changes unnoticed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import type { CallRecord } from '../../record/call-record.ts';
import { joinFields } from './fields.ts';
import { receiptFiguresOf, linkText, saltText, receiptWordsOf, wordsText } from './receipt.ts';
import { recordLinkText, recordSaltText, recordWordsText } from './record-texts.ts';

test('fields carry their length in UTF-8 bytes; an absent one is no empty one', () => {
  assert.equal(joinFields([]), '');
  assert.equal(joinFields(['', null, 'a', 'naïve', '🤖', '1:2,']), '0:,-,1:a,6:naïve,4:🤖,4:1:2,,');
});

/** Any sequence of UTF-16 units, halves of pairs among them. */
const anyText = fc.array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd800, max: 0xdfff })))
  .map((units) => String.fromCharCode(...units));

test('a length is that of the bytes that are hashed, whatever the text', () => {
  fc.assert(fc.property(anyText, (text) => {
    const { length } = Buffer.from(text, 'utf8');
    return joinFields([text]) === `${length}:${text},`;
  }));
  // Half a pair is written as U+FFFD, in three bytes.
  assert.equal(joinFields(['\ud83e']), '3:\ud83e,');
});

test('no two lists of fields give the same text', () => {
  const list = fc.array(fc.option(fc.string({ unit: fc.constantFrom('1', ':', ',', '-', 'ü') })));
  fc.assert(fc.property(list, list, (one, other) => {
    const same = one.length === other.length && one.every((field, index) => field === other[index]);
    return (joinFields(one) === joinFields(other)) === same;
  }));
});


test('the form of a receipt does not change unnoticed: files that were made before must verify', () => {
  const record = {
    id: 'req_1', organization: 'org_1', key: 'key_1', project: null, labels: ['a', 'ü'], labelsDropped: 0, run: 'r', wire: 'openai',
    endpoint: 'responses', method: 'POST', path: '/v1/responses', startedAtMs: 1_795_312_800_000, node: 'node_1', streamed: false, status: 200,
    outcome: 'completed', model: 'm', finishReason: null, inputTokens: 3, outputTokens: 0, cachedTokens: null, cacheWriteTokens: null,
    reasoningTokens: 1, audioInputTokens: null, audioOutputTokens: 2, toolCalls: { webSearch: 1, webFetch: 0, fileSearch: 0, codeInterpreter: 2 },
    usage: 'reported', usageReason: null, cost: 1_000_000_001n, costGaps: ['audio', 'region'], serviceTier: 'flex', costSource: 'priced',
    priceList: '2026-09-23/1f0c', providerRequestId: 'p', requestBytes: 5, responseBytes: 6, firstByteMs: 1.5, durationMs: 20,
    requestedModel: null, pricedBy: 'model', units: null,
  } as unknown as CallRecord;
  assert.equal(wordsText('00', receiptWordsOf(record)), 'metergate-words-1\n2:00,-,1:2,1:a,2:ü,1:r,13:/v1/responses,1:m,-,4:flex,1:p,');
  assert.equal(linkText({ sequence: 7, previous: 'ff', wordsDigest: 'aa' }, receiptFiguresOf(record)), 'metergate-receipt-1\n2:ff,1:7,'
    + '5:req_1,5:org_1,5:key_1,1:0,6:openai,9:responses,4:POST,24:2026-11-22T02:00:00.000Z,6:node_1,5:false,3:200,9:completed,'
    + '1:3,1:0,-,-,1:1,-,1:2,53:webSearch=1,webFetch=0,fileSearch=0,codeInterpreter=2,8:reported,-,11:1.000000001,12:audio,region,6:priced,'
    + '15:2026-09-23/1f0c,1:5,1:6,3:1.5,2:20,2:aa,');
  // What receipts did not have at first stands behind the rest, and the first line says so.
  const later = { ...record, requestedModel: 'ü', pricedBy: 'requested_model', units: { pages: 3, seconds: 1.5 } } as CallRecord;
  assert.equal(wordsText('00', receiptWordsOf(later)), 'metergate-words-2\n2:00,-,1:2,1:a,2:ü,1:r,13:/v1/responses,1:m,-,4:flex,1:p,2:ü,');
  const text = linkText({ sequence: 7, previous: 'ff', wordsDigest: 'aa' }, receiptFiguresOf(later));
  assert.match(text, /^metergate-receipt-2\n2:ff,1:7,/);
  assert.match(text, /,3:1\.5,2:20,15:requested_model,19:seconds=1\.5,pages=3,2:aa,$/);
});

/** Few values for each field, so that records that follow each other are alike in some and not in others. */
const word = fc.constantFrom('a', 'b', 'naïve', 'nul\0', '\ud83e', '🤖', '');
const wordOrNull = fc.option(word);
const figure = fc.constantFrom(0, 1, 7, 2_047, 2_048, 1.25, 12_345_678, null);
const anyRecord = fc.record({
  id: word, organization: word, key: word, project: wordOrNull, labels: fc.array(word, { maxLength: 2 }), labelsDropped: fc.constantFrom(0, 3),
  run: wordOrNull, wire: word, endpoint: word, method: word, path: word, startedAtMs: fc.constantFrom(1_795_312_800_000, 1_795_312_800_007),
  node: word, streamed: fc.boolean(), status: figure, outcome: word, model: wordOrNull, finishReason: wordOrNull, inputTokens: figure,
  outputTokens: figure, cachedTokens: figure, cacheWriteTokens: figure, reasoningTokens: figure, audioInputTokens: figure, audioOutputTokens: figure,
  toolCalls: fc.constantFrom(null, { webSearch: 1, webFetch: 0, fileSearch: 0, codeInterpreter: 2 },
    { webSearch: 2, webFetch: 0, fileSearch: 0, codeInterpreter: 2 }),
  usage: word, usageReason: wordOrNull, cost: fc.constantFrom(null, 0n, 1_000_000_001n), costGaps: fc.constantFrom([], ['audio'], ['region']),
  serviceTier: wordOrNull, costSource: word, priceList: wordOrNull, providerRequestId: wordOrNull, requestBytes: figure, responseBytes: figure,
  firstByteMs: figure, durationMs: figure, requestedModel: wordOrNull, pricedBy: fc.constantFrom(null, 'model', 'requested_model'),
  units: fc.constantFrom(null, { pages: 1 }, { cachedAudioTokens: 2, seconds: 1.25 }),
}) as unknown as fc.Arbitrary<CallRecord>;

test('texts of records that are stored one after the other are those of each record by itself', () => {
  const [previous, wordsDigest] = ['0'.repeat(64), 'ab'.repeat(32)];
  fc.assert(fc.property(fc.array(anyRecord, { minLength: 2, maxLength: 6 }), fc.constantFrom('aa', 'bb'), (records, secret) => {
    for (const [sequence, record] of records.entries()) {
      const place = { sequence, previous, wordsDigest };
      assert.equal(recordLinkText(place, record), linkText(place, receiptFiguresOf(record)));
      assert.equal(recordWordsText(wordsDigest, record), wordsText(wordsDigest, receiptWordsOf(record)));
      assert.equal(recordSaltText(secret, record), saltText(secret, record));
      // Alike in all but one field, whichever it is.
      for (const field of Object.keys(record) as (keyof CallRecord)[]) {
        const changed = { ...record, [field]: records[0]![field] };
        assert.equal(recordLinkText(place, changed), linkText(place, receiptFiguresOf(changed)));
        assert.equal(recordWordsText(wordsDigest, changed), wordsText(wordsDigest, receiptWordsOf(changed)));
        recordLinkText(place, record);
        recordWordsText(wordsDigest, record);
      }
    }
  }), { numRuns: draws(25) });
});
