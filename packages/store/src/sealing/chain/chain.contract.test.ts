/**
 * Chains of receipts, the same on SQLite and on PostgreSQL: dense and unbroken whoever ships, signed with every batch, there before and
 * after a rotation, whole after an erasure. Rule 24.
 */
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { checkpointText, keyFollowsText, type Checkpoint, type CheckpointKind } from '@metergate/core/books/receipt/checkpoint.ts';
import { chainStart, receiptFiguresOf, linkText, noDigest, receiptWordsOf, wordsText } from '@metergate/core/books/receipt/receipt.ts';
import type { Store } from '../../store.ts';
import { batchOf, granted, sampleRecord, startMs } from '../../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../../test-support/contract-store.ts';
import { sha256 } from './receipt-keys.ts';

const contractStore = contractStores();

function signs(raw: string, text: string, signature: string): boolean {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(raw, 'base64').toString('base64url') }, format: 'jwk' });
  return verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64'));
}

/** Checks every receipt of the chain against its record; gives the hash of the last. */
async function checked(
  store: Store, organization: OrganizationId,
): Promise<{ readonly count: number; readonly hash: string; readonly opened: number }> {
  const chain = await store.receipts.open(organization);
  let previous = chainStart;
  let opened = 0;
  const calls = await store.receipts.page(organization, { first: 1, last: Number.MAX_SAFE_INTEGER, limit: 100_000 });
  for (const [index, { record, sequence, hash, wordsDigest }] of calls.entries()) {
    assert.equal(sequence, index + 1);
    assert.equal(hash, sha256(linkText({ sequence, previous, wordsDigest }, receiptFiguresOf(record))), `receipt ${sequence}`);
    const salt = chain.salt(record);
    if (salt !== null && wordsDigest === sha256(wordsText(salt, receiptWordsOf(record)))) opened += 1;
    previous = hash;
  }
  assert.equal(chain.length, calls.length);
  return { count: calls.length, hash: previous, opened };
}

function isSigned(keys: readonly { readonly id: string; readonly publicKey: string }[], checkpoint: Checkpoint, kind: CheckpointKind): boolean {
  const key = keys.find(({ id }) => id === checkpoint.key);
  return key !== undefined && signs(key.publicKey, checkpointText(kind, checkpoint), checkpoint.signature);
}

for (const on of bothEngines) {
  describe(`chains on ${on.title}`, async () => {
    const { context, url, store, another, newOrganization } = await contractStore(on);
    const ship = (segment: string, organizations: readonly OrganizationId[], count: number, from: Store = store): Promise<void> =>
      from.calls.ship(batchOf(segment, Array.from({ length: count }, (_, index) => sampleRecord(organizations[index % organizations.length]!, {
        startedAtMs: startMs + index, project: index % 3 === 0 ? null : `p\0${index}`, model: index % 5 === 0 ? 'm\ud83e' : 'm',
        labels: ['\ud800', 'ü'], firstByteMs: index / 7,
      }))));

    test('every record has a place in its organization\'s chain, words and all; the head is signed', async () => {
      const [one, other] = [await newOrganization(), await newOrganization()];
      await ship('seg_a', [one, other, one], 100);
      await ship('seg_b', [one], 7);
      const found = await checked(store, one);
      assert.deepEqual([found.count, found.opened], [74, 74]);
      assert.equal((await checked(store, other)).count, 33);
      const { head, keys } = await store.receipts.open(one);
      assert.deepEqual([head!.last, head!.hash, head!.first, head!.previous], [74, found.hash, 1, chainStart]);
      assert.ok(isSigned(keys, head!, 'checkpoint'));
      assert.equal(isSigned(keys, { ...head!, last: 73 }, 'checkpoint'), false);
    });

    test('a batch that is sent twice is in the chain once', async () => {
      const organization = await newOrganization();
      const batch = batchOf('seg_twice', [sampleRecord(organization), sampleRecord(organization)]);
      await store.calls.ship(batch);
      await store.calls.ship(batch);
      assert.equal((await checked(store, organization)).count, 2);
    });

    test('several nodes ship at once: the chain stays dense and unbroken, and nobody waits in a circle', async () => {
      const organizations = [await newOrganization(), await newOrganization(), await newOrganization()];
      const stores = [store, await another(), await another(), await another()];
      await Promise.all(stores.flatMap((each, node) => [0, 1, 2, 3, 4, 5].map((batch) =>
        ship(`seg_race_${node}_${batch}`, node % 2 === 0 ? organizations : organizations.toReversed(), 30, each))));
      for (const organization of organizations) assert.equal((await checked(store, organization)).count, 240);
    });

    test('a checkpoint is kept for good every thousand records', async () => {
      const organization = await newOrganization();
      for (let batch = 0; batch < 6; batch++) await ship(`seg_kept_${batch}`, [organization], 450);
      const { keys } = await store.receipts.open(organization);
      const kept = await store.receipts.checkpointsAround(organization, { first: 1, last: 2_700 });
      assert.deepEqual(kept.map(({ last }) => last), [1_350, 2_250]);
      assert.ok(kept.every((each) => isSigned(keys, each, 'checkpoint')));
      assert.deepEqual((await store.receipts.checkpointsAround(organization, { first: 1_400, last: 1_500 })).map(({ last }) => last), [1_350, 2_250]);
    });

    test('the span of a time is the smallest that holds its calls', async () => {
      const organization = await newOrganization();
      await ship('seg_span', [organization], 20);
      assert.deepEqual(await store.receipts.spanOfTime(organization, { fromMs: startMs + 5, toMs: startMs + 9 }), { first: 6, last: 9 });
      assert.equal(await store.receipts.spanOfTime(organization, { fromMs: startMs + 20, toMs: startMs + 30 }), null);
    });

    test('another key signs after a rotation, both keys sign that it does, and the old private half is gone', async () => {
      const organization = await newOrganization();
      await ship('seg_before', [organization], 3);
      const other = await another();
      const next = await store.receipts.rotateKey(organization);
      // By a store that held the old key.
      await ship('seg_after', [organization], 3, other);
      const { keys, head, signEnd } = await store.receipts.open(organization);
      assert.equal(keys.length, 2);
      assert.deepEqual([keys[1], keys[0]!.follows, head!.key], [next, null, next.id]);
      const { at, signedByPrevious, signedByItself } = next.follows!;
      const text = keyFollowsText(organization, { from: keys[0]!, to: next, at });
      assert.ok(signs(keys[0]!.publicKey, text, signedByPrevious) && signs(next.publicKey, text, signedByItself));
      assert.ok(isSigned(keys, head!, 'checkpoint'));
      const kept = await store.receipts.checkpointsAround(organization, { first: 1, last: 6 });
      assert.deepEqual(kept.map(({ last, key }) => [last, key]), [[3, keys[0]!.id]]);
      assert.ok(isSigned(keys, signEnd({ first: 1, previous: chainStart, last: 6, hash: head!.hash })!, 'end'));
      const sealed = await context.query(url, 'select sealed from receipt_key where id = $1', [keys[0]!.id]);
      assert.equal(sealed[0]!.sealed, null);
    });

    test('erased: the chain verifies as before, its end is signed, words can no longer be opened, and late records are chained too', async () => {
      const organization = await newOrganization();
      await ship('seg_words', [organization], 40);
      const before = await checked(store, organization);
      await granted(store.erasure.begin(organization));
      await ship('seg_late', [organization], 2);
      while (await store.erasure.eraseSlice());
      const found = await checked(store, organization);
      assert.deepEqual([found.count, found.opened], [42, 0]);
      const { end, keys, salt, signEnd } = await store.receipts.open(organization);
      assert.deepEqual([end!.last, end!.hash], [40, before.hash]);
      assert.ok(isSigned(keys, end!, 'end'));
      const late = await store.receipts.page(organization, { first: 41, last: 42, limit: 2 });
      assert.deepEqual(late.map(({ wordsDigest, record }) => [wordsDigest, record.project]), [[noDigest, null], [noDigest, null]]);
      assert.equal(salt(late[0]!.record), null);
      assert.equal(signEnd({ first: 1, previous: chainStart, last: 42, hash: found.hash }), null);
      const secrets = await context.query(url, 'select secret_sealed, "key" from receipt_chain where organization = $1', [organization]);
      assert.deepEqual(Object.values(secrets[0]!), [null, null]);
    });

    test('if the data key cannot be read records are still kept and chained, unsigned', async () => {
      const organization = await newOrganization();
      await context.query(url, 'update organization_data_key set wrapped = $1 where organization = $2', [Buffer.alloc(61), organization]);
      await ship('seg_unreadable', [organization], 5, await another());
      assert.deepEqual(await checked(store, organization).then(({ count, opened }) => [count, opened]), [5, 0]);
      assert.equal((await store.receipts.open(organization)).head, null);
    });

    test('an organization from before receipts gets its chain with its first record', async () => {
      const organization = await newOrganization();
      await context.query(url, 'delete from receipt_key where organization = $1', [organization]);
      await context.query(url, 'delete from receipt_chain where organization = $1', [organization]);
      await Promise.all([ship('seg_first', [organization], 5), ship('seg_first_2', [organization], 5, await another())]);
      assert.deepEqual(await checked(store, organization).then(({ count, opened }) => [count, opened]), [10, 10]);
      assert.equal((await store.receipts.open(organization)).head!.last, 10);
    });
  });
}
