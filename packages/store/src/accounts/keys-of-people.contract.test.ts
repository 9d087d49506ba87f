/** On both engines: a key that belongs to a person ends with their membership, whatever ended it, and nodes hear of it. Decision 156. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import { granted, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const issuer = 'https://id.example';
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
let made = 0;

for (const on of bothEngines) {
  describe(`keys of people on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);
    const member = (organization: OrganizationId, email: string = `p${made += 1}@people.example`) =>
      granted(store.members.create({ organization, email, passwordHash: 'a hash', role: 'member' }));
    const keyFor = async (organization: OrganizationId, person: PersonId | null) => {
      const hash = hashOf(`key ${made += 1}`);
      const key = await granted(store.serviceKeys.create({
        organization, name: null, project: null, expiresAtMs: null, hash, prefix: 'svc', person,
      }));
      return { ...key, hash };
    };
    const isLive = async (hash: string): Promise<boolean> => await store.settings.keyByHash(hash) !== null;

    test('a removed member\'s keys end in that change, in that organization alone; nobody else\'s do', async () => {
      const organization = await newOrganization();
      const ada = await member(organization);
      const [hers, nobodys] = [await keyFor(organization, ada.id), await keyFor(organization, null)];
      const others = await keyFor(organization, (await member(organization)).id);
      assert.equal(hers.person, ada.id);
      const before = await store.settings.revision();
      assert.equal(await refusalCode(store.members.remove(organization, ada.id, 'viewer')), 'forbidden');
      assert.ok(await isLive(hers.hash));
      await granted(store.members.remove(organization, ada.id, 'admin'));
      assert.deepEqual(await Promise.all([hers, nobodys, others].map(({ hash }) => isLive(hash))), [false, true, true]);
      const { organizations } = await store.settings.changedSince(before);
      assert.deepEqual(organizations, [organization], 'nodes hear of it');
      const kept = (await store.serviceKeys.find(organization, hers.id))!;
      assert.deepEqual([kept.person, kept.revokedAtMs !== null], [ada.id, true]);
    });

    test('a key is made only for a member of its organization, who is found by email in any case', async () => {
      const [one, two] = [await newOrganization(), await newOrganization()];
      const ada = await member(one);
      const key = { organization: two, name: null, project: null, expiresAtMs: null, hash: hashOf('strange'), prefix: 'svc', person: ada.id };
      assert.equal(await refusalCode(store.serviceKeys.create(key)), 'unknown_member');
      assert.equal((await store.members.findByEmail(one, ada.email.toUpperCase()))?.id, ada.id);
      for (const email of [ada.email, 'nobody', 'a\0b@people.example']) assert.equal(await store.members.findByEmail(two, email), null);
    });

    test('a membership that the provider withdraws takes its keys with it, and one that it gives again does not bring them back', async () => {
      const [one, two] = [await newOrganization(), await newOrganization()];
      const identity = { issuer, subject: `subject ${made += 1}`, email: `p${made}@provided.example`, emailVerified: true };
      const admit = (...organizations: OrganizationId[]) =>
        granted(store.providedPeople.admit(identity, new Map(organizations.map((each) => [each, 'member' as const]))));
      const { id } = await admit(one, two);
      const [first, second] = [await keyFor(one, id), await keyFor(two, id)];
      const before = await store.settings.revision();
      await admit(one);
      assert.deepEqual([await isLive(first.hash), await isLive(second.hash)], [true, false]);
      assert.ok((await store.settings.changedSince(before)).organizations.includes(two));
      await admit(one, two);
      assert.equal(await isLive(second.hash), false);
      await store.providedPeople.withdraw(identity);
      assert.equal(await isLive(first.hash), false);
    });

    test('whoever proves an email takes over the keys of those who only claimed it', async () => {
      const [one, two] = [await newOrganization(), await newOrganization()];
      const email = `p${made += 1}@claimed.example`;
      const claimants = [await member(one, email), await member(two, email)];
      const keys = [await keyFor(one, claimants[0]!.id), await keyFor(two, claimants[1]!.id)];
      const { id } = await granted(store.providedPeople.admit({ issuer, subject: email, email, emailVerified: true }, new Map([[one, 'member']])));
      for (const { organization, id: key, hash } of keys) {
        assert.equal((await store.serviceKeys.find(organization, key))?.person, id);
        assert.ok(await isLive(hash));
      }
      await granted(store.members.remove(two, id, 'owner'));
      assert.deepEqual(await Promise.all(keys.map(({ hash }) => isLive(hash))), [true, false]);
    });
  });
}
