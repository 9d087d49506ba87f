/** On both engines: what ends with a membership does not come back with another one, and what moves with it does so whole. Decision 300. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { granted, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const farOffMs = 4_000_000_000_000;
const issuer = 'https://id.example';
let made = 0;

for (const on of bothEngines) {
  describe(`the end of a membership on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);
    const owned = async () => {
      const organization = await newOrganization();
      await member(organization, 'owner');
      return organization;
    };
    const member = (organization: OrganizationId, role: 'owner' | 'admin' | 'member' = 'member', email = `e${made += 1}@ends.example`) =>
      granted(store.members.create({ organization, email, passwordHash: 'a hash', role }));
    const invited = async (organization: OrganizationId, { id: person, email }: { readonly id: PersonId; readonly email: string },
      role: 'admin' | 'member' = 'member') => {
      const tokenHash = hashOf(`invitation ${made += 1}`);
      await granted(store.invitations.create({ organization, email, role, tokenHash, invitedBy: null, expiresAtMs: farOffMs }));
      return granted(store.invitations.accept({ tokenHash, email, passwordHash: null, as: { person, way: 'credential' } }));
    };
    const session = async (person: PersonId, organization: OrganizationId | null) => {
      const id = `session_${made += 1}`;
      await store.accounts.create('session', {
        id, userId: person, token: hashOf(id), organization, providedBy: null, ipAddress: null, userAgent: null,
        expiresAt: new Date(farOffMs), createdAt: new Date(1), updatedAt: new Date(1),
      });
      return id;
    };
    const sessionsOf = async (person: PersonId) =>
      (await store.waysIn.list(person)).filter(({ kind }) => kind === 'session').map(({ id }) => id).sort();
    const token = async (organization: OrganizationId, madeBy: PersonId) => {
      const hash = hashOf(`token ${made += 1}`);
      const { id } = await granted(store.managementTokens.create({ organization, name: null, role: 'admin', madeBy, expiresAtMs: null, hash,
        prefix: 'svc' }));
      return { id, works: async () => await store.managementTokens.findByHash(hash, Date.now()) !== null };
    };
    const keyFor = async (organization: OrganizationId, person: PersonId) => {
      const hash = hashOf(`key ${made += 1}`);
      const { id } = await granted(store.serviceKeys.create({
        organization, name: null, project: null, expiresAtMs: null, hash, prefix: 'svc', person }));
      return { id, now: async () => (await store.serviceKeys.find(organization, id))! };
    };
    const allowedSignIn = async (organization: OrganizationId, person: PersonId) => {
      const { id } = await granted(store.machineSignIns.begin({
        challenge: 'c', machine: 'm', address: 'a', port: null, userCode: null, expiresAtMs: farOffMs }));
      await granted(store.machineSignIns.allow({ id, organization, person, codeHash: null }));
      return async () => refusalCode(store.machineSignIns.take({ id, challenge: 'c', codeHash: null }) as never);
    };
    const trailOf = async (organization: OrganizationId, subject: string) =>
      (await store.audit.list({ organization, subject, limit: 10 }))!.map(({ action, actor, detail }) => [action, actor.kind, Object.keys(detail)]);

    test('no session, token, link, invitation or machine of a former member opens anything when they are a member again', async () => {
      const [here, there] = [await owned(), await owned()];
      const ada = await member(here, 'admin');
      await granted(store.passwordLinks.makeFor(ada.email, { tokenHash: hashOf(`proof ${made += 1}`), expiresAtMs: farOffMs }));
      await granted(store.passwordLinks.use(hashOf(`proof ${made}`), 'a hash'));
      await invited(there, ada);
      const [, elsewhere] = [await session(ada.id, here), await session(ada.id, there)];
      await session(ada.id, null);
      const [hers, others] = [await token(here, ada.id), await token(there, ada.id)];
      const link = hashOf(`link ${made += 1}`);
      await granted(store.passwordLinks.makeForMember(here, ada.id, { tokenHash: link, expiresAtMs: farOffMs }));
      const machine = await allowedSignIn(here, ada.id);
      const invitations = [ada.id, hers.id].map((invitedBy) => ({ invitedBy, tokenHash: hashOf(`by ${invitedBy}`) }));
      for (const each of invitations) {
        await granted(store.invitations.create({ organization: here, email: null, role: 'member', expiresAtMs: farOffMs, ...each }));
      }
      await granted(store.members.remove(here, ada.id, 'owner'));
      await invited(here, ada, 'admin');
      assert.deepEqual(await sessionsOf(ada.id), [elsewhere], 'those in other organizations stay');
      assert.deepEqual([await hers.works(), await others.works()], [false, true]);
      assert.equal(await store.passwordLinks.find(link), null);
      assert.equal(await machine(), 'unknown_sign_in');
      for (const { tokenHash } of invitations) assert.equal(await store.invitations.findOpen(tokenHash), null);
    });

    test('the same where the provider withdraws the membership and gives it again', async () => {
      const organization = await owned();
      const identity = { issuer, subject: `s${made += 1}`, email: `e${made}@ends.example`, emailVerified: true };
      const admit = () => granted(store.providedPeople.admit(identity, new Map([[organization, 'admin' as const]])));
      const { id } = await admit();
      const hers = await token(organization, id);
      await session(id, organization);
      const machine = await allowedSignIn(organization, id);
      assert.equal(await store.providedPeople.withdraw(identity), id);
      await admit();
      assert.deepEqual([await hers.works(), await sessionsOf(id), await machine()], [false, [], 'unknown_sign_in']);
    });

    test('keys of a member who becomes a viewer stop in that change until an admin enables them; the trail says why', async () => {
      const organization = await owned();
      await granted(store.organizations.set(organization, {
        ownKeys: { keysMax: 5, models: null, lifetimeMsMax: null, cap: null, personCap: null } }));
      const ada = await member(organization);
      const by = { person: ada.id, isBound: true };
      const [key, paused] = [await keyFor(organization, ada.id), await keyFor(organization, ada.id)];
      await granted(store.serviceKeys.set(paused.id, { disabled: true, by }));
      const before = await store.settings.revision();
      await granted(store.members.setRole(organization, ada.id, { role: 'viewer', by: 'owner' }));
      assert.notEqual((await key.now()).disabledAtMs, null);
      assert.deepEqual((await store.settings.changedSince(before)).organizations, [organization], 'nodes hear of it');
      assert.deepEqual(await trailOf(organization, key.id), [['setKey', 'system', ['disabled', 'roleLowered']]]);
      await granted(store.members.setRole(organization, ada.id, { role: 'member', by: 'owner' }));
      for (const { id } of [key, paused]) assert.equal(await refusalCode(store.serviceKeys.set(id, { disabled: false, by })), 'forbidden');
      await granted(store.serviceKeys.set(key.id, { disabled: false }));
      await granted(store.members.setRole(organization, ada.id, { role: 'admin', by: 'owner' }));
      await granted(store.members.setRole(organization, ada.id, { role: 'member', by: 'owner' }));
      assert.equal((await key.now()).disabledAtMs, null, 'a role that may have keys stops none');
    });

    test('a viewer who becomes one again keeps the keys that an admin enabled for them, at the provider too', async () => {
      const organization = await owned();
      const identity = { issuer, subject: `s${made += 1}`, email: `e${made}@ends.example`, emailVerified: true };
      const provided = () => granted(store.providedPeople.admit(identity, new Map([[organization, 'viewer' as const]])));
      const { id } = await member(organization, 'member', identity.email);
      const key = await keyFor(organization, id);
      const lowered = () => granted(store.members.setRole(organization, id, { role: 'viewer', by: 'owner' }));
      await lowered();
      await granted(store.serviceKeys.set(key.id, { disabled: false }));
      await lowered();
      assert.equal((await key.now()).disabledAtMs, null);
      assert.equal((await provided()).id, id, 'from now on the provider names the role');
      assert.equal((await key.now()).disabledAtMs, null);
    });

    test('keys stop as well where the provider lowers the role', async () => {
      const organization = await owned();
      const identity = { issuer, subject: `s${made += 1}`, email: `e${made}@ends.example`, emailVerified: true };
      const { id } = await granted(store.providedPeople.admit(identity, new Map([[organization, 'member' as const]])));
      const key = await keyFor(organization, id);
      await granted(store.providedPeople.admit(identity, new Map([[organization, 'viewer' as const]])));
      assert.notEqual((await key.now()).disabledAtMs, null);
    });

    test('an owner\'s password link that parts a member from their account takes keys and caps of that organization along', async () => {
      const [here, there] = [await owned(), await owned()];
      const ada = await member(here);
      await invited(there, ada);
      const [hers, elsewhere] = [await keyFor(here, ada.id), await keyFor(there, ada.id)];
      for (const organization of [here, there]) {
        await granted(store.caps.set({ organization, scope: 'person', subject: ada.id, window: 'day', limit: nanoDollars(1n), mode: 'refuse' }));
      }
      const machine = await allowedSignIn(here, ada.id);
      const link = hashOf(`link ${made += 1}`);
      await granted(store.passwordLinks.makeForMember(here, ada.id, { tokenHash: link, expiresAtMs: farOffMs }));
      const before = await store.settings.revision();
      const { id: parted } = await granted(store.passwordLinks.use(link, 'another hash'));
      assert.notEqual(parted, ada.id);
      assert.deepEqual([(await hers.now()).person, (await elsewhere.now()).person], [parted, ada.id]);
      const capped = async (organization: OrganizationId) => (await store.caps.list(organization, Date.now())).map(({ cap }) => cap.subject);
      assert.deepEqual([await capped(here), await capped(there)], [[parted], [ada.id]]);
      assert.ok((await store.settings.changedSince(before)).organizations.includes(here), 'nodes hear of it');
      assert.equal(await machine(), 'unknown_sign_in');
      await granted(store.members.remove(here, parted, 'owner'));
      assert.notEqual((await hers.now()).revokedAtMs, null);
      assert.deepEqual(await capped(here), []);
      assert.deepEqual(await trailOf(here, hers.id), [['revokeKey', 'system', ['membershipEnded']]]);
    });

    test('what a person let a machine take ends with their sessions', async () => {
      const organization = await owned();
      const ada = await member(organization);
      const machine = await allowedSignIn(organization, ada.id);
      await store.people.setPassword(ada.id, 'another');
      assert.equal(await machine(), 'unknown_sign_in');
      const again = await allowedSignIn(organization, ada.id);
      const id = await session(ada.id, organization);
      await granted(store.waysIn.end(ada.id, id, { organization, session: 'another' }));
      assert.equal(await again(), 'unknown_sign_in');
    });
  });
}
