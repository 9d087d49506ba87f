/**
 * What a refusal leaves behind on both engines: nothing, whichever way the transaction was asked for.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refuse } from '../refusal.ts';
import { refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStore } from '../test-support/contract-store.ts';
import { openEngine } from './engine.ts';

for (const on of bothEngines) {
  describe(`transactions on ${on.title}`, async () => {
    const { context, url } = await contractStore(on);

    for (const way of ['write', 'change'] as const) {
      test(`a refusal returned from ${way} rolls back what it wrote, and comes out as it is`, async () => {
        const engine = await openEngine(url, { create: false });
        const mark = (id: string) => context.query(url, `select mark from journal_segment where id = '${id}'`);
        const write = engine[way] as typeof engine.write;
        assert.equal(await refusalCode(write(async (transaction) => {
          await transaction.insertInto('journal_segment').values({ id: `refused ${way}`, mark: 1 }).execute();
          return refuse('invalid_name', 'no');
        })), 'invalid_name');
        assert.deepEqual(await mark(`refused ${way}`), []);
        await engine.close();
      });
    }
  });
}
