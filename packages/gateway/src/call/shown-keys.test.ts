/** Whose call a request is, where a connection shows the same key, another, and one that is revoked meanwhile (decision 0260). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { HeldKey } from '../guards/held-key.ts';
import { testHeld, testKey, testOrganization } from '../guards/test-support/run-fixture.ts';
import { willingRunJournal } from '../guards/test-support/standing-fixture.ts';
import { neighbourKey, ownKey, startNode } from '../test-support/whole-node.ts';

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
const nearlyOwnKey = `${ownKey.slice(0, -1)}9`;

for (const requestsReadBy of ['us', 'node'] as const) {
  test(`each request of a connection is the call of the key that it shows (read by ${requestsReadBy})`, async (t) => {
    const neighbour = 'org_b' as OrganizationId;
    const keys = new Map<string, HeldKey>([
      [hashOf(ownKey), testHeld(testOrganization())],
      [hashOf(neighbourKey), testHeld(testOrganization({ id: neighbour }), testKey({ organization: neighbour }))],
    ]);
    const callers: string[] = [];
    const { connect } = await startNode(t, {
      requestsReadBy,
      settings: {
        held: (hash) => keys.get(hash) ?? 'unknown', ask: () => Promise.resolve(null), asking: 0,
        priceBook: createPriceBook({ list: priceList, overlay: null }), ageMs: () => 0,
      },
      journal: {
        open: ({ organization }, done) => { callers.push(organization); setImmediate(() => done(null)); },
        close: (_record, done) => void setImmediate(done), ...willingRunJournal, end: async () => {},
        counters: { opened: 0, closed: 0, commits: 0, commitFailures: 0, waiting: 0 },
      },
    });
    const connection = await connect();
    const ask = async (key: string): Promise<void> => {
      connection.send(`POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 2\r\n\r\n{}`);
      const { status } = await connection.nextAnswer();
      if (status !== 200) callers.push(String(status));
    };
    for (const key of [ownKey, ownKey, neighbourKey, ownKey, nearlyOwnKey, ownKey]) await ask(key);
    keys.delete(hashOf(ownKey));
    await ask(ownKey);
    keys.set(hashOf(ownKey), testHeld(testOrganization()));
    await ask(ownKey);
    const own = testOrganization().id;
    assert.deepEqual(callers, [own, own, neighbour, own, '401', own, '401', own]);
  });
}
