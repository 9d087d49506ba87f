/** Rows of the journal in all their forms. */
import { strict as assert } from 'node:assert';
import { suite, test } from 'node:test';
import { requestIdFrom, type PersonId } from '@metergate/core/id.ts';
import { openingFromText, openingToText, recordFromText, recordToText } from './row.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';

suite('rows of the journal', () => {
  const overHttp = sampleOpening(1);
  const onConnection = { ...overHttp, transport: 'websocket', connection: requestIdFrom('c'.repeat(32)) } as const;
  const handshake = { ...onConnection, connection: null } as const;
  const inSession = { ...overHttp, session: 'größe 1' } as const;
  const onConnectionInSession = { ...onConnection, session: 's' } as const;

  for (const [name, opening] of Object.entries({ overHttp, onConnection, handshake, inSession, onConnectionInSession })) {
    test(`an opening and a record come back as they were: ${name}`, () => {
      assert.deepEqual(openingFromText(openingToText(opening)), opening);
      const record = sampleRecord(opening, 3);
      assert.deepEqual(recordFromText(recordToText(record)), record);
    });
  }

  test('a call over HTTP is written as earlier versions wrote it, so that they can read it', () => {
    const opening = JSON.parse(openingToText(overHttp)) as unknown[];
    const record = JSON.parse(recordToText(sampleRecord(overHttp, 3))) as unknown[];
    assert.deepEqual([opening[0], opening.length, record[0], record.length], [1, 14, 4, 43]);
  });

  test('a record says for whom it was counted, in a form that older versions refuse, and only then', () => {
    const plain = sampleRecord(overHttp, 3);
    for (const countedFor of [{ person: 'person_a' as PersonId, labels: [] }, { person: null, labels: ['a b', '\u2028 "🤖"'] }]) {
      for (const each of [plain, sampleRecord(onConnectionInSession, 3), { ...plain, kind: 'settlement', works: ['batch_1'] } as const]) {
        const counted = { ...each, countedFor };
        const text = recordToText(counted);
        assert.deepEqual(recordFromText(text), counted);
        assert.equal((JSON.parse(text) as unknown[])[0], 8);
      }
    }
    const { countedFor: _, ...left } = recordFromText(recordToText({ ...plain, countedFor: { person: null, labels: ['a'] } }));
    assert.equal(recordToText(left), recordToText(plain));
  });

  test('a row of a form that is not known is refused', () => {
    for (const text of ['[9]', '[2,"a"]', openingToText(onConnection).replace('[2,', '[1,')]) {
      assert.throws(() => openingFromText(text), /form that this version does not know/);
    }
  });
});
