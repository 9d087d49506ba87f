/** On both engines: own keys are counted where they are made, and a machine's sign-in gives one key to one machine. Decisions 195 and 196. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { isRefusal, type StoreRefusal } from '../engine/refusal.ts';
import { granted, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const dayMs = 86_400_000;
const farOffMs = 4_000_000_000_000;
let made = 0;

for (const on of bothEngines) {
  describe(`own keys and machines on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);
    const member = async () => {
      const organization = await newOrganization();
      return { organization, person: (await granted(store.members.create({
        organization, email: `m${made += 1}@own.example`, passwordHash: 'a hash', role: 'member' }))).id };
    };
    type Whose = Awaited<ReturnType<typeof member>>;
    interface More { readonly models?: readonly string[]; readonly expiresAtMs?: number; readonly boundMaker?: undefined }
    const make = (whose: Whose, more: More = {}) =>
      store.serviceKeys.create({
        ...whose, name: null, project: null, expiresAtMs: null, prefix: 'svc', boundMaker: whose.person, hash: hashOf(`own ${made += 1}`), ...more,
      });
    const begin = (more: { readonly port?: number; readonly userCode?: string } = {}) => granted(store.machineSignIns.begin({
      challenge: 'the challenge', machine: 'laptop', address: '192.0.2.7', port: null, userCode: null, expiresAtMs: farOffMs, ...more,
    }));

    test('a cap of own keys needs caps of keys that refuse, and goes with each key that its member makes', async () => {
      const whose = await member();
      const ownKeys = { keysMax: 2, models: ['gpt-5*'], lifetimeMsMax: 30 * dayMs, cap: { window: 'month' as const,
        limit: 5_000_000_000n as never }, personCap: null };
      assert.equal(await refusalCode(store.organizations.set(whose.organization, { ownKeys })), 'invalid_setting');
      const set = await granted(store.organizations.set(whose.organization, { ownKeys, enforceKeyCaps: true }));
      assert.deepEqual(set.ownKeys, ownKeys);
      assert.equal(await refusalCode(store.organizations.set(whose.organization, { enforceKeyCaps: false })), 'invalid_setting');
      const key = await granted(make(whose));
      assert.deepEqual([key.models, key.expiresAtMs], [['gpt-5*'], key.createdAtMs + 30 * dayMs]);
      const caps = await store.caps.list(whose.organization, key.createdAtMs);
      assert.deepEqual(caps.map(({ cap: { scope, subject, window, limit, mode } }) => [scope, subject, window, limit, mode]),
        [['key', key.id, 'month', 5_000_000_000n, 'refuse']]);
      assert.equal(await refusalCode(make(whose, { models: ['*'] })), 'forbidden');
      assert.equal(await refusalCode(make(whose, { expiresAtMs: key.createdAtMs + 31 * dayMs })), 'forbidden');
      assert.equal((await store.serviceKeys.list(whose.organization)).length, 1, 'what is refused leaves nothing');
      const byAdmin = await granted(make(whose, { boundMaker: undefined, models: ['*'] }));
      assert.equal(byAdmin.expiresAtMs, null, 'whom nothing binds makes any key');
    });

    test('of many at once so many are made as there may be; one that ended makes room', async () => {
      const whose = await member();
      await granted(store.organizations.set(whose.organization, {
        ownKeys: { keysMax: 3, models: null, lifetimeMsMax: null, cap: null, personCap: null } }));
      const results = await Promise.all(Array.from({ length: 8 }, () => make(whose)));
      const refused = results.filter((each) => isRefusal<StoreRefusal>(each));
      assert.deepEqual(refused.map(({ refused: { code } }) => code), Array.from({ length: 5 }, () => 'too_many_keys'));
      const [first] = await store.serviceKeys.list(whose.organization);
      await granted(store.serviceKeys.revoke(first!.id));
      await granted(make(whose));
      assert.equal(await refusalCode(make(whose)), 'too_many_keys');
      const other = { organization: whose.organization, person: (await granted(store.members.create({
        organization: whose.organization, email: `m${made += 1}@own.example`, passwordHash: 'a hash', role: 'member' }))).id };
      await granted(make(other));
    });

    test('a machine takes once what was allowed, with its own proof and with what its browser brought', async () => {
      const whose = await member();
      const { id } = await begin({ port: 4_711 });
      const take = (challenge: string, codeHash: string | null) => store.machineSignIns.take({ id, challenge, codeHash });
      assert.equal(await take('the challenge', 'code'), null, 'nobody has decided');
      await granted(store.machineSignIns.allow({ id, ...whose, codeHash: 'code' }));
      assert.deepEqual((await store.machineSignIns.find(id))?.decidedBy, whose);
      assert.equal(await refusalCode(store.machineSignIns.allow({ id, ...whose, codeHash: 'other' })), 'sign_in_over');
      for (const other of [await member(), { ...whose, organization: await newOrganization() }]) {
        assert.equal(await refusalCode(store.machineSignIns.allow({ id, ...other, codeHash: 'other' })), 'unknown_sign_in');
        assert.equal(await refusalCode(store.machineSignIns.refuse({ id, ...other })), 'unknown_sign_in');
      }
      for (const [challenge, code] of [['another', 'code'], ['the challenge', 'other'], ['the challenge', null]] as const) {
        assert.equal(await refusalCode(take(challenge, code) as never), 'unknown_sign_in');
      }
      const taken = await Promise.all(Array.from({ length: 5 }, () => take('the challenge', 'code')));
      assert.deepEqual(taken.filter((each) => !isRefusal(each)), [{ ...whose, machine: 'laptop', address: '192.0.2.7' }]);
      assert.equal(await refusalCode(take('the challenge', 'code') as never), 'sign_in_over');
    });

    test('what was allowed may be taken back until it is taken, by whoever allowed it, and is over after a minute', async () => {
      const whose = await member();
      const { id } = await begin();
      const take = () => store.machineSignIns.take({ id, challenge: 'the challenge', codeHash: null });
      const beforeMs = Date.now();
      const { expiresAtMs } = await granted(store.machineSignIns.allow({ id, ...whose, codeHash: null }));
      assert.ok(expiresAtMs < farOffMs && expiresAtMs <= Math.max(beforeMs, Date.now()) + 60_000, String(expiresAtMs));
      assert.equal(await refusalCode(store.machineSignIns.refuse({ id, ...await member() })), 'unknown_sign_in');
      await granted(store.machineSignIns.refuse({ id, ...whose }));
      assert.equal(await refusalCode(take() as never), 'sign_in_over');
      assert.equal(await refusalCode(store.machineSignIns.allow({ id, ...whose, codeHash: null })), 'sign_in_over');
      const taken = await begin();
      await granted(store.machineSignIns.allow({ id: taken.id, ...whose, codeHash: null }));
      await store.machineSignIns.take({ id: taken.id, challenge: 'the challenge', codeHash: null });
      assert.equal(await refusalCode(store.machineSignIns.refuse({ id: taken.id, ...whose })), 'sign_in_over');
    });

    test('what was refused gives nothing, and what is over is as if it had never been', async () => {
      const userCode = `CODE${made += 1}`;
      const { id } = await begin({ userCode });
      assert.equal((await store.machineSignIns.findByUserCode(userCode))?.id, id);
      const whose = await member();
      await granted(store.machineSignIns.refuse({ id, ...whose }));
      assert.deepEqual((await store.machineSignIns.find(id))?.decidedBy, whose);
      assert.equal(await store.machineSignIns.findByUserCode(userCode), null, 'a code is good for one decision');
      assert.equal(await refusalCode(store.machineSignIns.take({ id, challenge: 'the challenge', codeHash: null }) as never), 'sign_in_over');
      const late = await granted(store.machineSignIns.begin({
        challenge: 'c', machine: 'm', address: 'a', port: null, userCode: null, expiresAtMs: 1 }));
      assert.equal(await store.machineSignIns.find(late.id), null);
      assert.equal(await refusalCode(store.machineSignIns.allow({ id: late.id, ...await member(), codeHash: null })), 'unknown_sign_in');
      assert.equal(await store.machineSignIns.find('a\0b'), null);
    });
  });
}
