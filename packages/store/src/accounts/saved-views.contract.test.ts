/** On both engines: each person has their own views in each organization; the same name replaces a view, and a removed one is gone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { granted, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import { viewsMax, type ViewOwner } from './saved-views.ts';

const contractStore = contractStores();

for (const on of bothEngines) {
  describe(`saved views on ${on.title}`, async () => {
    const { store, newOrganization, another } = await contractStore(on);
    let people = 0;
    const memberOf = async (organization: OrganizationId): Promise<ViewOwner> => {
      const email = `person-${people += 1}@example.com`;
      return { organization, person: (await granted(store.members.create({ organization, email, passwordHash: 'h', role: 'viewer' }))).id };
    };

    test('a view is saved, found only by its owner, replaced under the same name, and removed', async () => {
      const [organization, elsewhere] = [await newOrganization(), await newOrganization()];
      const owner = await memberOf(organization);
      const made = await granted(store.savedViews.save(owner, { name: 'By team', query: 'by=label' }));
      await granted(store.savedViews.save(owner, { name: 'A month', query: 'range=month' }));
      const again = await granted(store.savedViews.save(owner, { name: 'By team', query: 'by=project' }));
      assert.equal(again.id, made.id);
      assert.deepEqual((await store.savedViews.list(owner)).map(({ name, query }) => [name, query]),
        [['A month', 'range=month'], ['By team', 'by=project']]);
      for (const other of [await memberOf(organization), { ...owner, organization: elsewhere }]) {
        assert.deepEqual(await store.savedViews.list(other), []);
        assert.equal(await refusalCode(store.savedViews.remove(other, made.id)), 'unknown_view');
      }
      assert.deepEqual(await granted(store.savedViews.remove(owner, made.id)), { id: made.id });
      assert.equal(await refusalCode(store.savedViews.remove(owner, made.id)), 'unknown_view');
      assert.equal(await refusalCode(store.savedViews.remove(owner, '\0')), 'unknown_view');
    });

    test('saved at once under one name, it is one view with one id', async () => {
      const owner = await memberOf(await newOrganization());
      const saved = await Promise.all(['a', 'b', 'c', 'd'].map((query) => granted(store.savedViews.save(owner, { name: 'mine', query }))));
      const [kept, ...others] = await store.savedViews.list(owner);
      assert.deepEqual([saved.map(({ id }) => id), others], [saved.map(() => kept?.id), []]);
    });

    test('a name that shows nothing is refused, and so is one view too many', async () => {
      const owner = await memberOf(await newOrganization());
      assert.equal(await refusalCode(store.savedViews.save(owner, { name: ' ', query: '' })), 'invalid_name');
      for (let each = 0; each < viewsMax; each += 1) await granted(store.savedViews.save(owner, { name: `view ${each}`, query: '' }));
      assert.equal(await refusalCode(store.savedViews.save(owner, { name: 'one more', query: '' })), 'too_many_views');
      await granted(store.savedViews.save(owner, { name: 'view 7', query: 'by=key' }));
    });

    test('they are removed with the member and with the organization, and only members have any', async () => {
      const organization = await newOrganization();
      const [owner, other] = [await memberOf(organization), await memberOf(organization)];
      for (const each of [owner, other]) await granted(store.savedViews.save(each, { name: 'mine', query: '' }));
      await granted(store.members.remove(organization, owner.person, 'owner'));
      assert.deepEqual([await store.savedViews.list(owner), (await store.savedViews.list(other)).length], [[], 1]);
      assert.equal(await refusalCode(store.savedViews.save(owner, { name: 'mine', query: '' })), 'forbidden');
      await granted(store.erasure.begin(organization));
      assert.deepEqual(await store.savedViews.list(other), []);
      assert.equal(await refusalCode(store.savedViews.save(other, { name: 'mine', query: '' })), 'forbidden');
    });

    test('one that is saved while its organization is erased does not outlast it', async () => {
      const stores = [store, await another(), await another()];
      for (let round = 0; round < 6; round += 1) {
        const organization = await newOrganization();
        const owner = await memberOf(organization);
        const saving = stores.map((each, at) => each.savedViews.save(owner, { name: `view ${at}`, query: 'by=project' }));
        await Promise.all([granted(store.erasure.begin(organization)), ...saving]);
        assert.deepEqual(await store.savedViews.list(owner), []);
      }
    });
  });
}
