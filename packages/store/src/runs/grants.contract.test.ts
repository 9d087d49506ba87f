/** Grants as they are minted, the same on both engines: signed, readable by nodes, the private key sealed (rules 15 and 18). */
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { parseGrant } from '@metergate/core/run/grant.ts';
import type { NewGrant } from './grants.ts';
import { granted, refusalCode } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();

for (const on of bothEngines) {
  describe(`grants on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);
    const wanted = (organization: OrganizationId, changes: Partial<NewGrant> = {}): NewGrant =>
      ({ organization, run: 'r"\\1', max: nanoDollars(12_500_000_000n), expiresAtMs: 1_800_000_000_000, ...changes });
    const keysOf = async (organization: OrganizationId) => (await store.settings.organization(organization))!.grantKeys;
    const verified = async (organization: OrganizationId, grant: string): Promise<boolean> => {
      const parsed = parseGrant(grant);
      const key = (await keysOf(organization)).find(({ id }) => id === parsed?.payload.key);
      assert.ok(parsed !== null && key !== undefined);
      const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.publicKey }, format: 'jwk' });
      return verify(null, Buffer.from(parsed.signedText), publicKey, parsed.signature);
    };

    test('a grant states its terms, signed with a key that nodes know from the organization\'s first day', async () => {
      const organization = await newOrganization();
      const known = await keysOf(organization);
      const revision = await store.settings.revision();
      const { grant, id } = await granted(store.grants.mint(wanted(organization)));
      const { key, nonce, ...said } = parseGrant(grant)!.payload;
      assert.deepEqual(said, wanted(organization));
      assert.equal(id, said.run);
      assert.deepEqual(known.map((each) => each.id), [key]);
      assert.match(key, /^gky_[0-9A-Za-z]{20}$/);
      assert.ok(await verified(organization, grant));
      assert.equal(await store.settings.revision(), revision, 'minting changes no settings');
      const again = await granted(store.grants.mint(wanted(organization)));
      assert.notEqual(parseGrant(again.grant)!.payload.nonce, nonce);
    });

    test('an organization without a key gets one with its first grant, only one however many ask at once, and its nodes learn of it', async () => {
      const organization = await newOrganization();
      await context.query(url, 'delete from grant_key where organization = $1', [organization]);
      assert.deepEqual(await keysOf(organization), []);
      const revision = await store.settings.revision();
      const minted = await Promise.all(Array.from({ length: 6 }, () => granted(store.grants.mint(wanted(organization)))));
      for (const { grant } of minted) assert.ok(await verified(organization, grant));
      assert.equal((await keysOf(organization)).length, 1);
      assert.ok((await store.settings.changedSince(revision)).organizations.includes(organization));
    });

    test('each organization has its own key, and the private half is nowhere in the clear', async () => {
      const [one, other] = [await newOrganization(), await newOrganization()];
      assert.notDeepEqual(await keysOf(one), await keysOf(other));
      const rows = await context.query(url, 'select sealed, public_key from grant_key where organization = $1', [one]);
      const { sealed, public_key: publicKey } = rows[0] as { sealed: Uint8Array; public_key: string };
      assert.ok(!Buffer.from(sealed).includes(Buffer.from(publicKey, 'base64url')) && sealed.length > 60);
      const swap = 'update grant_key set sealed = (select sealed from grant_key where organization = $1) where organization = $2';
      await context.query(url, swap, [one, other]);
      await assert.rejects(store.grants.mint(wanted(other)), { code: 'store_unreadable' });
      await granted(store.grants.mint(wanted(one)));
    });

    test('what cannot be a grant is refused', async () => {
      const organization = await newOrganization();
      for (const changes of [{ run: '' }, { run: 'a b' }, { run: 'é' }, { run: 'x'.repeat(129) }, { max: nanoDollars(0n) }, { max: nanoDollars(1n) },
        { expiresAtMs: 1.5 }]) {
        assert.equal(await refusalCode(store.grants.mint(wanted(organization, changes))), 'invalid_grant');
      }
      const missing = 'org_00000000000000000000' as OrganizationId;
      assert.equal(await refusalCode(store.grants.mint(wanted(missing))), 'unknown_organization');
    });
  });
}
