/**
 * On both engines: people whom an identity provider vouches for are known by issuer and subject, never by an unverified email. The roles
 * that it names are theirs at once, and grow and shrink with its claims; each such change is in the audit trail.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { Role } from '@metergate/core/account/role.ts';
import { granted, openTestStore, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';
import type { ProvidedIdentity } from './provided-people.ts';

const contractStore = contractStores();
const issuer = 'https://id.example';
let people = 0;

function someone(more: Partial<ProvidedIdentity> = {}): ProvidedIdentity {
  people += 1;
  return { issuer, subject: `subject ${people}`, email: `person${people}@provided.example`, emailVerified: true, ...more };
}

for (const on of bothEngines) {
  describe(`provided people on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);
    const named = (...roles: [OrganizationId, Role][]): ReadonlyMap<OrganizationId, Role> => new Map(roles);
    const admit = (identity: ProvidedIdentity, ...roles: [OrganizationId, Role][]) => store.providedPeople.admit(identity, named(...roles));
    const rolesOf = async (person: string) => new Map((await store.members.of(person)).map(({ organization, role }) => [organization, role]));
    const trail = async (organization: OrganizationId) =>
      (await store.audit.list({ organization, limit: 100 }))!.toReversed().map(({ action, actor, detail }) => ({ action, actor: actor.id, detail }));
    const invited = (organization: OrganizationId, email: string, role: Role = 'viewer') =>
      granted(store.members.create({ organization, email, passwordHash: 'a hash', role }));
    const sessionOf = async (person: string, organization: OrganizationId | null): Promise<string> => {
      const id = `ses_${Math.random()}`;
      const [at, expiresAt] = [new Date(1), new Date(9e12)];
      await store.accounts.create('session', { id, userId: person, token: id, expiresAt, createdAt: at, updatedAt: at, organization });
      return id;
    };
    const isOpen = async (session: string) => (await store.accounts.count('session', [{ field: 'id', value: session }])) === 1;

    test('a person is created at the first sign-in, with the named roles, and is the same person from then on, by any email', async () => {
      const [one, two] = [await newOrganization(), await newOrganization()];
      const ada = someone({ email: 'Ada@Provided.Example' });
      const first = await granted(admit(ada, [one, 'admin'], [two, 'viewer']));
      assert.equal(first.email, 'ada@provided.example');
      assert.deepEqual(await rolesOf(first.id), named([one, 'admin'], [two, 'viewer']));
      const again = await granted(admit({ ...ada, email: 'other@provided.example', emailVerified: false }, [one, 'admin'], [two, 'viewer']));
      assert.deepEqual([again.id, again.email, again.organization], [first.id, 'ada@provided.example', first.organization]);
      assert.deepEqual(await trail(one), [{ action: 'provideMember', actor: first.id, detail: { issuer, role: 'admin', before: null } }]);
    });

    test('a sign-in that changes nothing leaves no row and uses no revision', async () => {
      const organization = await newOrganization();
      const identity = someone();
      await granted(admit(identity, [organization, 'viewer']));
      const revision = await store.settings.revision();
      await granted(admit(identity, [organization, 'viewer']));
      assert.equal(await store.settings.revision(), revision);
      assert.equal((await trail(organization)).length, 1);
    });

    test('a role that shrank or grew at the provider does so here, the last owner\'s too; each change is audited', async () => {
      const organization = await newOrganization();
      const identity = someone();
      for (const role of ['owner', 'viewer', 'member'] as const) {
        const { id } = await granted(admit(identity, [organization, role]));
        assert.deepEqual(await rolesOf(id), named([organization, role]));
      }
      assert.deepEqual((await trail(organization)).map(({ detail }) => [detail['before'], detail['role']]),
        [[null, 'owner'], ['owner', 'viewer'], ['viewer', 'member']]);
    });

    test('an organization that the provider names no more is left, its sessions end; one by invitation stays', async () => {
      const [one, two, own] = [await newOrganization(), await newOrganization(), await newOrganization()];
      const identity = someone();
      const { id } = await granted(admit(identity, [one, 'viewer'], [two, 'admin']));
      const invitation = { organization: own, email: null, role: 'member' as const, tokenHash: `hash of ${id}`, invitedBy: null, expiresAtMs: 9e12 };
      await granted(store.invitations.create(invitation));
      const as = { person: id, way: `oidc ${issuer}` };
      await granted(store.invitations.accept({ tokenHash: invitation.tokenHash, email: identity.email!, passwordHash: null, as }));
      const [left, kept] = [await sessionOf(id, two), await sessionOf(id, one)];
      await granted(admit(identity, [one, 'viewer']));
      assert.deepEqual(await rolesOf(id), named([one, 'viewer'], [own, 'member']));
      assert.deepEqual([await isOpen(left), await isOpen(kept)], [false, true]);
      assert.deepEqual((await trail(two)).at(-1), { action: 'withdrawMember', actor: id, detail: { issuer, before: 'admin' } });
      await store.providedPeople.withdraw(identity);
      assert.deepEqual(await rolesOf(id), named([own, 'member']));
      assert.equal(await isOpen(kept), false);
      await store.providedPeople.withdraw(someone());
    });

    test('an existing person is matched with the provider\'s only by a verified email', async () => {
      const organization = await newOrganization();
      const identity = someone({ emailVerified: false });
      const member = await invited(organization, identity.email!);
      assert.equal(await refusalCode(admit(identity, [organization, 'owner'])), 'email_not_verified');
      assert.deepEqual(await rolesOf(member.id), named([organization, 'viewer']), 'nothing was changed');
      const linked = await granted(admit({ ...identity, emailVerified: true }, [organization, 'owner']));
      assert.equal(linked.id, member.id);
      assert.deepEqual(await rolesOf(member.id), named([organization, 'owner']));
      const [, joining] = (await trail(organization)).map(({ action }) => action);
      assert.equal(joining, 'provideMember');
    });

    test('a person who never proved the email keeps no password, no link and no session; one who proved it keeps them', async () => {
      const organization = await newOrganization();
      const [typed, proved] = [someone(), someone()];
      for (const identity of [typed, proved]) {
        const member = await invited(organization, identity.email!);
        const link = { tokenHash: `link of ${member.id}`, expiresAtMs: 9e12 };
        await granted(store.passwordLinks.makeFor(identity.email!, link));
        if (identity === proved) await granted(store.passwordLinks.use(link.tokenHash, 'their own hash'));
        const session = await sessionOf(member.id, organization);
        await granted(admit(identity, [organization, 'viewer']));
        const keeps = identity === proved;
        assert.equal((await store.people.withEmail(identity.email!))[0]!.passwordHash, keeps ? 'their own hash' : null);
        assert.equal(await isOpen(session), keeps);
        assert.equal(await store.passwordLinks.find(link.tokenHash), null);
        const told = (await trail(organization)).filter(({ action, actor }) => action === 'linkIdentity' && actor === member.id);
        assert.deepEqual(told.map(({ detail }) => detail), [{ issuer, passwordEnded: !keeps }]);
      }
    });

    /** A member by the provider, for whom the owner made a password link and used it. */
    const takenOver = async (organization: OrganizationId) => {
      const bob = someone();
      const { id } = await granted(admit(bob, [organization, 'member']));
      const link = { tokenHash: `owner's link for ${id}`, expiresAtMs: 9e12 };
      await granted(store.passwordLinks.makeForMember(organization, id, link));
      await granted(store.passwordLinks.use(link.tokenHash, 'the owner\'s hash'));
      // The provider does not verify the email that is known here, so it proves nothing about it.
      return { bob: { ...bob, email: `renamed.${bob.email}` }, id, session: await sessionOf(id, organization) };
    };
    const passwordOf = async (id: string): Promise<string | null> => (await store.people.get(id))!.passwordHash;
    const joined = async (
      organization: OrganizationId, { id, email, way }: { readonly id: PersonId; readonly email: string; readonly way: string },
    ) => {
      const tokenHash = `into ${organization} for ${id}`;
      await granted(store.invitations.create({ organization, email: null, role: 'admin', tokenHash, invitedBy: null, expiresAtMs: 9e12 }));
      await granted(store.invitations.accept({ tokenHash, email, passwordHash: null, as: { person: id, way } }));
    };

    test('a password by an owner\'s link does not open an organization that the provider names later', async () => {
      const [one, two] = [await newOrganization(), await newOrganization()];
      const { bob, id, session } = await takenOver(one);
      await granted(admit(bob, [one, 'admin']));
      assert.deepEqual([await passwordOf(id), await isOpen(session)], ['the owner\'s hash', true], 'in the same organization it stays');
      await granted(admit(bob, [one, 'admin'], [two, 'admin']));
      assert.deepEqual([await passwordOf(id), await isOpen(session)], [null, false]);
      assert.deepEqual(await rolesOf(id), named([one, 'admin'], [two, 'admin']));
      assert.deepEqual((await trail(two)).at(-1)!.detail, { issuer, role: 'admin', before: null, passwordEnded: true });
    });

    test('nor one that they are invited to, unless it is shown with the invitation', async () => {
      const [one, two] = [await newOrganization(), await newOrganization()];
      for (const way of [`oidc ${issuer}`, 'credential']) {
        const { bob, id } = await takenOver(one);
        await joined(two, { id, email: bob.email.replace('renamed.', ''), way });
        assert.equal(await passwordOf(id), way === 'credential' ? 'the owner\'s hash' : null, way);
      }
    });

    test('a session outlives the password that it began with, but opens no organization that comes later', async () => {
      const [one, two] = [await newOrganization(), await newOrganization()];
      const { bob, id, session } = await takenOver(one);
      const password = (await store.waysIn.list(id)).find(({ kind }) => kind === 'password')!;
      await granted(store.waysIn.end(id, password.id, { organization: one, session }));
      assert.equal(await isOpen(session), true);
      await granted(admit(bob, [one, 'member'], [two, 'admin']));
      assert.equal(await isOpen(session), false);
    });

    test('what stands from before, older than a membership by the provider, ends at the next sign-in', async () => {
      const [one, two] = [await newOrganization(), await newOrganization()];
      const { bob, id, session } = await takenOver(one);
      await joined(two, { id, email: bob.email.replace('renamed.', ''), way: 'credential' });
      await granted(admit(bob, [one, 'member'], [two, 'admin']));
      await granted(admit(bob, [one, 'member'], [two, 'admin']));
      assert.deepEqual([await passwordOf(id), await isOpen(session)], [null, false]);
    });

    test('an email that another subject of the provider has opens nothing of theirs', async () => {
      const organization = await newOrganization();
      const first = someone();
      const { id } = await granted(admit(first, [organization, 'owner']));
      assert.equal(await refusalCode(admit({ ...first, subject: 'somebody new' }, [organization, 'viewer'])), 'email_taken');
      assert.deepEqual(await rolesOf(id), named([organization, 'owner']));
      const other = await granted(admit({ ...first, issuer: 'https://other.example' }, [organization, 'owner']));
      assert.equal(other.id, id, 'another provider that verified the email may vouch for the same person');
    });

    test('the same subject of another issuer is somebody else', async () => {
      const organization = await newOrganization();
      const one = someone();
      const other = someone({ subject: one.subject, issuer: 'https://elsewhere.example' });
      assert.notEqual((await granted(admit(one, [organization, 'viewer']))).id, (await granted(admit(other, [organization, 'viewer']))).id);
    });

    test('without an email nobody is made, nor for an organization that is not there', async () => {
      const organization = await newOrganization();
      assert.equal(await refusalCode(admit(someone({ email: null }), [organization, 'viewer'])), 'invalid_email');
      assert.equal(await refusalCode(admit(someone({ email: 'nobody' }), [organization, 'viewer'])), 'invalid_email');
      const identity = someone();
      assert.equal(await refusalCode(admit(identity, [organization, 'viewer'], ['org_nowhere' as OrganizationId, 'viewer'])), 'unknown_organization');
      assert.deepEqual(await store.people.withEmail(identity.email!), [], 'nothing was made');
    });

    test('of ten first sign-ins at once there is one person', async () => {
      const organization = await newOrganization();
      const identity = someone();
      const all = await Promise.all(Array.from({ length: 10 }, () => granted(admit(identity, [organization, 'viewer']))));
      assert.equal(new Set(all.map(({ id }) => id)).size, 1);
      assert.equal((await trail(organization)).length, 1);
    });

    test('an erased organization takes its provided people with it, and their credentials', async () => {
      const organization = await newOrganization();
      const identity = someone();
      await granted(admit(identity, [organization, 'viewer']));
      await granted(store.erasure.begin(organization));
      assert.deepEqual(await store.people.withEmail(identity.email!), []);
      const rows = await context.query(url, 'select id from person_credential where account = $1', [identity.subject]);
      assert.deepEqual(rows, []);
    });

    test('the only organization is named if there is just one', async () => {
      const place = await context.newStoreUrl();
      const alone = await openTestStore(place);
      assert.equal(await alone.organizations.findOnly(), null);
      const { id } = await granted(alone.organizations.create({ name: 'one', plan: 'team' }));
      assert.equal((await alone.organizations.findOnly())!.id, id);
      await granted(alone.organizations.create({ name: 'two', plan: 'team' }));
      assert.equal(await alone.organizations.findOnly(), null);
      await alone.close();
    });
  });
}
