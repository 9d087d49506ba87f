/**
 * On both engines: what an upgrade takes the emails and ways in of an earlier version for. An email is held only if the operator made a link for
 * it or nobody but the provider can have verified it; an identity that may have been made without proof opens nothing until it is proved.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createVault } from '../sealing/vault.ts';
import { openTestStore, postgresFixture, sqliteFixture, testMasterKey, type EngineFixture } from '../test-support/contract-fixture.ts';
import { statementsOf } from './migrations/list.ts';
import { keptRows } from './test-support/kept-rows.ts';

const salt = '00112233445566778899aabbccddeeff';
const fingerprint = createVault(testMasterKey, () => new Uint8Array(0)).fingerprint(Buffer.from(salt, 'hex'));
const versionBefore = 29;

/** Ways in, whether the email was marked as verified, who made a password link; then: held or claimed, the proofs, whether the session lives. */
const cases = [
  ['unverified', ['oidc https://id.example'], 0, null, 'claimed', ['oidc https://id.example 0'], false],
  ['provider', ['oidc https://id.example'], 1, null, 'held', ['oidc https://id.example 2'], true],
  ['mixed', ['credential', 'oidc https://id.example'], 1, 'person', 'claimed', ['credential 1', 'oidc https://id.example 0'], false],
  ['taken', ['credential', 'oidc https://id.example'], 1, 'operator', 'held', ['credential 2', 'oidc https://id.example 0'], false],
  ['operator', ['credential'], 1, 'operator', 'held', ['credential 2'], true],
  ['owner', ['credential'], 1, 'person', 'claimed', ['credential 1'], true],
  ['invited', ['credential'], 0, null, 'claimed', ['credential 1'], true],
] as const;

for (const [name, open] of [['SQLite', async () => sqliteFixture()], ['PostgreSQL', postgresFixture]] as const) {
  describe(`emails and ways in of an earlier version on ${name}`, () => {
    let fixture: EngineFixture;
    before(async () => { fixture = await open(); });
    after(() => fixture.end());

    test('are held, claimed, proved or ended by what is known of them', async () => {
      const url = await fixture.freshUrl();
      const bytes = fixture.name === 'sqlite' ? `x'${salt}'` : `'\\x${salt}'::bytea`;
      await fixture.run(url, [
        ...Array.from({ length: versionBefore }, (_, at) => [...statementsOf(fixture.name, at + 1), ...keptRows(fixture.name, at + 1)]).flat(),
        `insert into metergate_schema ("only", version) values (1, ${versionBefore})`,
        `insert into store_identity ("only", salt, fingerprint) values (1, ${bytes}, '${fingerprint}')`,
        ...cases.flatMap(([id, ways, verified, linkBy]) => [
          `insert into person (id, email, name, email_verified, created_at_ms, updated_at_ms)
            values ('${id}', '${id}@x.example', '', ${verified}, 1, 1)`,
          ...ways.map((way) => `insert into person_credential (id, person, provider, account, created_at_ms, updated_at_ms)
            values ('${id} ${way}', '${id}', '${way}', '${id}', 1, 1)`),
          `insert into person_session (id, person, token_hash, expires_at_ms, created_at_ms, updated_at_ms)
            values ('${id}', '${id}', '${id}', 9, 1, 1)`,
          ...(linkBy === null ? [] : [`insert into audit_event (id, at_ms, actor_kind, action, subject, detail)
            values ('aud_${id}', 1, '${linkBy}', 'makePasswordLink', '${id}', '{}')`]),
        ]),
      ]);
      await (await openTestStore(url)).close();
      for (const [id, , , , state, proofs, lives] of cases) {
        const [person] = await fixture.query(url, `select email, claimed_email from person where id = '${id}'`);
        const [email, claimed] = state === 'held' ? [`${id}@x.example`, null] : [id, `${id}@x.example`];
        assert.deepEqual([person!['email'], person!['claimed_email']], [email, claimed], id);
        const ways = await fixture.query(url, `select provider, proof from person_credential where person = '${id}' order by provider`);
        assert.deepEqual(ways.map((row) => `${String(row['provider'])} ${String(row['proof'])}`), proofs, id);
        const [session] = await fixture.query(url, `select expires_at_ms as ends from person_session where id = '${id}'`);
        assert.equal(Number(session!['ends']) > 0, lives, id);
      }
    });
  });
}
