/** On both engines: a key that works again is counted like a new one, and no member takes back what an admin tightened. Decisions 195 and 299. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { cappedMax } from '@metergate/core/spend/cap.ts';
import type { OwnKeyTerms } from '@metergate/core/account/own-keys.ts';
import type { PersonId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { ServiceKeyChanges } from './service-keys.ts';
import { isRefusal, type StoreRefusal } from '../engine/refusal.ts';
import { granted, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const farOffMs = 4_000_000_000_000;
const terms: OwnKeyTerms = { keysMax: 2, models: null, lifetimeMsMax: null, cap: null, personCap: null };
let made = 0;

for (const on of bothEngines) {
  describe(`what members change of own keys on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);
    const member = async (ownKeys: OwnKeyTerms | null = terms) => {
      const organization = await newOrganization();
      const { id: person } = await granted(store.members.create({
        organization, email: `h${made += 1}@own.example`, passwordHash: 'a hash', role: 'member' }));
      await granted(store.organizations.set(organization, { ownKeys }));
      const make = (more: object = {}) => granted(store.serviceKeys.create({
        organization, person, name: null, project: null, expiresAtMs: null, prefix: 'svc', boundMaker: person, hash: hashOf(`held ${made += 1}`),
        ...more,
      }));
      const asMember = (id: string, changes: ServiceKeyChanges, as: PersonId = person) =>
        store.serviceKeys.set(id, { ...changes, by: { person: as, isBound: true } }, organization);
      const asAdmin = (id: string, changes: ServiceKeyChanges) => granted(store.serviceKeys.set(id, changes, organization));
      return { organization, person, make, asMember, asAdmin };
    };

    test('an expired key is not brought back to life by its member', async () => {
      const { make, asMember, asAdmin } = await member();
      const old = await make();
      await asAdmin(old.id, { expiresAtMs: 1 });
      await make();
      await make();
      for (const expiresAtMs of [null, farOffMs]) assert.equal(await refusalCode(asMember(old.id, { expiresAtMs })), 'forbidden');
      assert.equal((await asAdmin(old.id, { expiresAtMs: null })).expiresAtMs, null, 'an admin may');
    });

    test('a key that is enabled again is counted with the others; of many at once so many work as there may be', async () => {
      const { make, asMember, asAdmin } = await member({ ...terms, keysMax: 4 });
      const keys = [await make(), await make(), await make(), await make()];
      for (const { id } of keys) await granted(asMember(id, { disabled: true }));
      await asAdmin(keys[0]!.id, { expiresAtMs: 1 });
      await make();
      await asAdmin(keys[0]!.id, { expiresAtMs: null });
      const results = await Promise.all(keys.map(({ id }) => asMember(id, { disabled: false })));
      const refused = results.filter((each) => isRefusal<StoreRefusal>(each));
      assert.deepEqual(refused.map(({ refused: { code } }) => code), Array.from({ length: 4 }, () => 'too_many_keys'));
      await granted(store.serviceKeys.revoke(keys[0]!.id));
      await granted(asMember(keys[1]!.id, { disabled: false }));
    });

    test('a member enables what they disabled themselves, and nothing that somebody else did', async () => {
      const { person, make, asMember, asAdmin, organization } = await member();
      const { id } = await make();
      assert.equal((await granted(asMember(id, { disabled: true }))).disabledBy, person);
      const enabled = await granted(asMember(id, { disabled: false }));
      assert.deepEqual([enabled.disabledAtMs, enabled.disabledBy], [null, null]);
      await asAdmin(id, { disabled: true });
      assert.equal(await refusalCode(asMember(id, { disabled: false })), 'forbidden');
      await granted(asMember(id, { disabled: true }));
      assert.equal(await refusalCode(asMember(id, { disabled: false })), 'forbidden', 'to disable it again does not make it theirs');
      await asAdmin(id, { disabled: false });
      await granted(asMember(id, { disabled: true }));
      await asAdmin(id, { disabled: true });
      assert.equal(await refusalCode(asMember(id, { disabled: false })), 'forbidden', 'an admin disabled it too');
      await granted(store.organizations.set(organization, { ownKeys: null }));
      await granted(asMember(id, { disabled: false }));
    });

    test('without terms a member enables no key of another person, unless they disabled it; that person does, and so does an admin', async () => {
      const { organization, person, make, asMember, asAdmin } = await member(null);
      const { id: other } = await granted(store.members.create({
        organization, email: `h${made += 1}@own.example`, passwordHash: 'a hash', role: 'member' }));
      await granted(store.members.create({ organization, email: `h${made += 1}@own.example`, passwordHash: 'a hash', role: 'owner' }));
      const [theirs, nobodys] = [await make({ person: other }), await make({ person: null })];
      const enabled = (id: string, as: PersonId) => asMember(id, { disabled: false }, as);
      await granted(store.members.setRole(organization, other, { role: 'viewer', by: 'owner' }));
      assert.notEqual((await store.serviceKeys.find(organization, theirs.id))!.disabledAtMs, null, 'it stopped with the role');
      assert.equal(await refusalCode(enabled(theirs.id, person)), 'forbidden');
      await granted(asMember(theirs.id, { disabled: true }));
      assert.equal(await refusalCode(enabled(theirs.id, person)), 'forbidden', 'to disable it again does not make it theirs');
      await granted(store.members.setRole(organization, other, { role: 'member', by: 'owner' }));
      assert.equal(await refusalCode(enabled(theirs.id, person)), 'forbidden');
      await granted(enabled(theirs.id, other));
      await granted(asMember(theirs.id, { disabled: true, name: 'by mistake' }));
      await granted(enabled(theirs.id, person));
      await asAdmin(theirs.id, { disabled: true });
      assert.equal(await refusalCode(enabled(theirs.id, person)), 'forbidden');
      await granted(asMember(theirs.id, { name: 'any other change' }));
      await asAdmin(theirs.id, { disabled: false });
      await asAdmin(nobodys.id, { disabled: true });
      await granted(enabled(nobodys.id, person));
    });

    test('an own key that would be one more than may have caps is not made, nor one whose person would be', async () => {
      const cap = { window: 'day' as const, limit: nanoDollars(1n) };
      for (const [scope, own] of [['key', { cap }], ['person', { personCap: cap }]] as const) {
        const { organization, person, make } = await member();
        await granted(store.organizations.set(organization, { enforceKeyCaps: true, ownKeys: { ...terms, keysMax: 5, ...own } }));
        await make();
        const rows = Array.from({ length: cappedMax[scope] - 1 }, (_, at) =>
          `('cap_${organization}_${at}', '${organization}', '${scope}', 's${at}', 'day', 1, 'refuse', 1)`);
        for (let at = 0; at < rows.length; at += 5_000) {
          await context.run(url, [`insert into cap (id, organization, scope, subject, "window", limit_nano, mode, made)
            values ${rows.slice(at, at + 5_000).join(', ')}`]);
        }
        const { id: other } = await granted(store.members.create({
          organization, email: `h${made += 1}@own.example`, passwordHash: 'a hash', role: 'member' }));
        const another = await store.serviceKeys.create({
          organization, person: other, name: null, project: null, expiresAtMs: null, prefix: 'svc', boundMaker: other,
          hash: hashOf(`held ${made += 1}`),
        });
        assert.equal('refused' in another ? `${another.refused.code} ${another.refused.message}` : '', `too_many_keys At most ${cappedMax[scope]} ${
          scope === 'key' ? 'keys' : 'people'} of an organization can have caps. Your key would be one more. Ask an admin.`);
        if (scope === 'person') assert.equal((await make()).person, person, 'who has a cap already may make another key');
      }
    });

    test('whether there are terms is looked at in the change: it binds who makes, rotates or ends a key only where there are', async () => {
      const { organization, person, make } = await member(null);
      const others = await make({ person: null });
      const by = { person, isBound: true };
      const rotated = () => store.serviceKeys.rotate(others.id, { by, hash: hashOf(`held ${made += 1}`), prefix: 'svc', formerUntilMs: 0 });
      assert.equal(others.person, null, 'without terms it is whose it was meant to be');
      await granted(rotated());
      await granted(store.organizations.set(organization, { ownKeys: terms }));
      assert.equal((await make({ person: null })).person, person);
      assert.deepEqual([await refusalCode(rotated()), await refusalCode(store.serviceKeys.revoke(others.id, organization, { by }))],
        ['forbidden', 'forbidden']);
      await granted(store.organizations.set(organization, { ownKeys: null }));
      await granted(store.serviceKeys.revoke(others.id, organization, { by }));
    });

    test('where an older version enabled the key and disabled it again, the person it had is not who did', async () => {
      const { make, asMember } = await member();
      const { id } = await make();
      await granted(asMember(id, { disabled: true }));
      await context.run(url, [`update service_key set disabled_at_ms = disabled_at_ms + 1 where id = '${id}'`]);
      assert.equal(await refusalCode(asMember(id, { disabled: false })), 'forbidden');
    });

    test('with a cap of the person in the terms, whoever makes an own key is bound by one cap over all of them, in the same change', async () => {
      const personCap = { window: 'month' as const, limit: nanoDollars(7n) };
      const { organization, person, make, asAdmin } = await member({ ...terms, personCap });
      assert.deepEqual((await store.organizations.find(organization))!.ownKeys!.personCap, personCap);
      const capped = async () => (await store.caps.list(organization, Date.now()))
        .map(({ cap: { scope, subject, window, limit, mode } }) => [scope, subject, window, limit, mode]);
      const first = await make();
      const itsCap = [['person', person, 'month', 7n, 'refuse']];
      assert.deepEqual(await capped(), itsCap);
      await granted(store.serviceKeys.revoke(first.id));
      await make();
      assert.deepEqual(await capped(), itsCap, 'the next key brings no other, and the cap stays when a key ends');
      await granted(store.caps.set({ organization, scope: 'person', subject: person, window: 'month', limit: nanoDollars(9n), mode: 'refuse' }));
      const key = await make();
      assert.deepEqual((await capped()).map(([, , , limit]) => limit), [9n], 'what an admin set stays');
      assert.equal((await asAdmin(key.id, { name: 'x' })).person, person);
      await granted(store.organizations.set(organization, { ownKeys: { ...terms, personCap: { ...personCap, window: 'day' } } }));
      await granted(store.serviceKeys.revoke(key.id));
      await make();
      assert.deepEqual((await capped()).map(([, , window]) => window), ['month', 'day']);
    });

    test('a cap of the person that is new in the terms binds everybody who has a key that works, in the same change', async () => {
      const { organization, person, make, asAdmin } = await member();
      const others: PersonId[] = [];
      for (let at = 0; at < 3; at += 1) {
        others.push((await granted(store.members.create({
          organization, email: `h${made += 1}@own.example`, passwordHash: 'a hash', role: 'member' }))).id);
      }
      const [capped, ended, keyless] = others as [PersonId, PersonId, PersonId];
      await make();
      for (const each of [capped, ended]) await make({ person: each, boundMaker: each });
      const last = (await store.serviceKeys.list(organization)).find((key) => key.person === ended)!;
      await asAdmin(last.id, { expiresAtMs: 1 });
      await granted(store.caps.set({ organization, scope: 'person', subject: capped, window: 'month', limit: nanoDollars(9n), mode: 'pause' }));
      const set = (personCap: OwnKeyTerms['personCap']) => granted(store.organizations.set(organization, { ownKeys: { ...terms, personCap } }));
      const caps = async () => (await store.caps.list(organization, Date.now()))
        .map(({ cap: { subject, window, limit } }) => `${subject} ${window} ${limit}`).sort();
      const before = await store.settings.revision();
      await set({ window: 'month', limit: nanoDollars(5n) });
      const bound = [`${capped} month 9`, `${person} month 5`].sort();
      assert.deepEqual(await caps(), bound);
      assert.deepEqual((await store.settings.changedSince(before)).organizations, [organization]);
      const [own] = (await store.caps.list(organization, Date.now())).filter(({ cap: { subject } }) => subject === person);
      await granted(store.caps.remove(own!.cap.id));
      await set({ window: 'month', limit: nanoDollars(4n) });
      assert.deepEqual(await caps(), [`${capped} month 9`], 'another limit changes no cap, and gives nobody one whose cap an admin removed');
      await set({ window: 'day', limit: nanoDollars(4n) });
      assert.deepEqual(await caps(), [`${capped} day 4`, `${capped} month 9`, `${person} day 4`].sort());
      assert.equal((await caps()).some((each) => each.startsWith(keyless)), false);
    });

    test('a member narrows models and lowers a run budget that an admin gave, and may raise or widen neither', async () => {
      const { make, asMember, asAdmin } = await member();
      const { id } = await make();
      await asAdmin(id, { models: ['gpt-5*', 'o3'], maxRunBudget: nanoDollars(5n) });
      for (const loosened of [{ models: null }, { models: ['gpt-*'] }, { models: ['gpt-5', 'o4'] }, { maxRunBudget: null },
        { maxRunBudget: nanoDollars(6n) }]) {
        assert.equal(await refusalCode(asMember(id, loosened)), 'forbidden', String(Object.values(loosened)[0]));
      }
      const set = await granted(asMember(id, { models: ['gpt-5-mini'], maxRunBudget: nanoDollars(4n), expiresAtMs: farOffMs }));
      assert.deepEqual([set.models, set.maxRunBudget, set.expiresAtMs], [['gpt-5-mini'], 4n, farOffMs]);
      const plain = await make();
      assert.equal(await refusalCode(asMember(plain.id, { maxRunBudget: nanoDollars(1n) })), 'forbidden');
      assert.equal(await refusalCode(asMember((await make({ boundMaker: undefined, person: null })).id, { name: 'not theirs' })), 'forbidden');
    });
  });
}
