/** Held on both engines: each person's views are their own, in each organization; a name is taken over, and gone is gone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { granted, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStore } from '../test-support/contract-store.ts';
import { viewsMax } from './saved-views.ts';

for (const on of bothEngines) {
  describe(`saved views on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);

    test('a view is saved, found by its owner alone, taken over by the same name, and removed', async () => {
      const [organization, elsewhere] = [await newOrganization(), await newOrganization()];
      const owner = { organization, person: 'usr_a' };
      const made = await granted(store.savedViews.save(owner, { name: 'By team', query: 'by=label' }));
      await granted(store.savedViews.save(owner, { name: 'A month', query: 'range=month' }));
      const again = await granted(store.savedViews.save(owner, { name: 'By team', query: 'by=project' }));
      assert.equal(again.id, made.id);
      assert.deepEqual((await store.savedViews.list(owner)).map(({ name, query }) => [name, query]),
        [['A month', 'range=month'], ['By team', 'by=project']]);
      for (const other of [{ organization, person: 'usr_b' }, { organization: elsewhere, person: 'usr_a' }]) {
        assert.deepEqual(await store.savedViews.list(other), []);
        assert.equal(await refusalCode(store.savedViews.remove(other, made.id)), 'unknown_view');
      }
      assert.deepEqual(await granted(store.savedViews.remove(owner, made.id)), { id: made.id });
      assert.equal(await refusalCode(store.savedViews.remove(owner, made.id)), 'unknown_view');
      assert.equal(await refusalCode(store.savedViews.remove(owner, '\0')), 'unknown_view');
    });

    test('saved at once under one name, it is one view with one id', async () => {
      const owner = { organization: await newOrganization(), person: 'usr_a' };
      const saved = await Promise.all(['a', 'b', 'c', 'd'].map((query) => granted(store.savedViews.save(owner, { name: 'mine', query }))));
      const [kept, ...others] = await store.savedViews.list(owner);
      assert.deepEqual([saved.map(({ id }) => id), others], [saved.map(() => kept?.id), []]);
    });

    test('a name that shows nothing is refused, and so is one view too many', async () => {
      const owner = { organization: await newOrganization(), person: 'usr_a' };
      assert.equal(await refusalCode(store.savedViews.save(owner, { name: ' ', query: '' })), 'invalid_name');
      for (let each = 0; each < viewsMax; each += 1) await granted(store.savedViews.save(owner, { name: `view ${each}`, query: '' }));
      assert.equal(await refusalCode(store.savedViews.save(owner, { name: 'one more', query: '' })), 'too_many_views');
      await granted(store.savedViews.save(owner, { name: 'view 7', query: 'by=key' }));
    });

    test('with the member and with the organization they go', async () => {
      const organization = await newOrganization();
      const member = await granted(store.members.create({ organization, email: `${organization}@example.com`, passwordHash: 'h', role: 'viewer' }));
      const owner = { organization, person: member.id };
      await granted(store.savedViews.save(owner, { name: 'mine', query: '' }));
      await granted(store.members.remove(organization, member.id, 'owner'));
      assert.deepEqual(await store.savedViews.list(owner), []);
      await granted(store.savedViews.save(owner, { name: 'mine', query: '' }));
      await granted(store.erasure.begin(organization));
      assert.deepEqual(await store.savedViews.list(owner), []);
    });
  });
}
