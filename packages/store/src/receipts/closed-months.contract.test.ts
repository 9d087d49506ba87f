/** On both engines: a month is written in slices and is there with the last; of two closings at once one counts; nothing closed is touched. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { NameLine } from '@metergate/core/books/month/month-file.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { granted, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { lastClosed, type MonthToClose } from './month-versions.ts';

const contractStore = contractStores();
const october = Date.UTC(2026, 9, 1);
/** Three slices of names and two of parts. */
const namesOf = (word: string): NameLine[] => Array.from({ length: 4_100 }, (_, index) => ({
  type: 'name', number: index + 1, digest: createHash('sha256').update(`${word}${index}`).digest('hex'), salt: `salt ${index}`,
  text: `${word} ${index}`,
}));
const partsOf = (word: string) => Array.from({ length: 14 }, (_, index) => ({ type: index < 13 ? 'calls' as const : 'total' as const,
  content: `${word} ${index}\n` }));
const monthOf = (organization: OrganizationId, word: string, given: Partial<MonthToClose> = {}): MonthToClose => ({
  organization, monthMs: october, version: 1, closedAtMs: october + 1, sequence: 7, hash: 'ab'.repeat(32), digest: 'cd'.repeat(32), key: 'rk_1',
  signature: 'AAAA', after: null, names: namesOf(word), parts: partsOf(word), ...given,
});

for (const on of bothEngines) {
  describe(`closed months on ${on.title}`, async () => {
    const { context, url, store, another, newOrganization } = await contractStore(on);
    const { months } = store;
    const kept = async (organization: OrganizationId, version = 1) => {
      const of = { organization, monthMs: october, version };
      return { names: await months.names(of), parts: await months.parts(of) };
    };

    test('all names and parts are there, in their order, and parts of one type too', async () => {
      const organization = await newOrganization();
      const closed = await granted(months.close(monthOf(organization, 'own')));
      assert.deepEqual(await kept(organization), { names: namesOf('own'), parts: partsOf('own') });
      assert.deepEqual(await months.parts(closed, ['total']), [{ type: 'total', content: 'own 13\n' }]);
      assert.equal(lastClosed(await months.list(organization))?.version, 1);
    });

    test('a month without calls has no name, and is closed', async () => {
      const organization = await newOrganization();
      await granted(months.close(monthOf(organization, 'own', { names: [], parts: [{ type: 'total', content: 'none\n' }] })));
      assert.deepEqual(await kept(organization), { names: [], parts: [{ type: 'total', content: 'none\n' }] });
    });

    test('of two closings at once one is kept whole, and the other is refused', async () => {
      const organization = await newOrganization();
      const words = ['one', 'other'] as const;
      const answers = await Promise.all(words.map((word) => months.close(monthOf(organization, word))));
      const won = answers.findIndex((answer) => !('refused' in answer));
      assert.equal(await refusalCode(Promise.resolve(answers[1 - won]!)), 'month_changed');
      assert.deepEqual(await kept(organization), { names: namesOf(words[won]!), parts: partsOf(words[won]!) });
      assert.equal((await months.list(organization)).length, 1);
    });

    test('what an interrupted closing left is replaced; a month that was closed and reopened is not', async () => {
      const organization = await newOrganization();
      const cut = monthOf(organization, 'cut');
      // The store fails before the last slice.
      const parts = [...cut.parts.slice(0, 13), { type: 'total', content: null as unknown as string }] as const;
      await assert.rejects(months.close({ ...cut, parts }));
      assert.deepEqual([(await kept(organization)).names.length, await months.list(organization)], [4_100, []]);
      await granted(months.close(monthOf(organization, 'own')));
      assert.deepEqual(await kept(organization), { names: namesOf('own'), parts: partsOf('own') });
      await granted(months.reopen({ organization, monthMs: october }));
      assert.equal(await refusalCode(months.close(monthOf(organization, 'late'))), 'month_changed', 'the version was taken meanwhile');
      await granted(months.close(monthOf(organization, 'later', { version: 2 })));
      assert.deepEqual([await kept(organization), await kept(organization, 2)],
        [{ names: namesOf('own'), parts: partsOf('own') }, { names: namesOf('later'), parts: partsOf('later') }]);
    });

    test('erasure hides the names at once and takes them in slices, and another process goes on after one that died', async () => {
      const organization = await newOrganization();
      const parts = [{ type: 'total' as const, content: 'all\n' }];
      await granted(months.close(monthOf(organization, 'own', { parts })));
      await granted(months.reopen({ organization, monthMs: october }));
      const cut = monthOf(organization, 'cut', { version: 2, parts: [{ type: 'total', content: null as unknown as string }] });
      await assert.rejects(months.close(cut));
      const left = async (): Promise<number> => Number((await context.query(url, `select count(*) as rows from closed_month_name
        where organization = $1 and (salt is not null or text is not null)`, [organization]))[0]!['rows']);
      const hidden = (word: string) => namesOf(word).map((name) => ({ ...name, salt: null, text: null }));
      await granted(store.erasure.begin(organization));
      assert.equal(await left(), 8_200);
      for (const [version, word] of [[1, 'own'], [2, 'cut']] as const) assert.deepEqual((await kept(organization, version)).names, hidden(word));
      assert.deepEqual((await months.names({ organization, monthMs: october, version: 1 }, [3, 7])).map(({ text }) => text), [null, null]);
      for (const after of [6_200, 4_200]) {
        assert.equal(await store.erasure.eraseSlice(), true);
        assert.equal(await left(), after);
      }
      const next = await another();
      while (await next.erasure.eraseSlice());
      assert.equal(await left(), 0);
      for (const [version, word] of [[1, 'own'], [2, 'cut']] as const) {
        assert.deepEqual((await kept(organization, version)).names, hidden(word));
      }
      assert.deepEqual((await kept(organization)).parts, parts);
      assert.equal(await store.erasure.eraseSlice(), false, 'nothing is left for the first either');
    });
  });
}
