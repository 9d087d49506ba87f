/** Stores of older versions, from the kept SQL of their migrations. */
import { createVault } from '../../sealing/vault.ts';
import { testMasterKey, type EngineFixture } from '../../test-support/contract-fixture.ts';
import { keptRows, keptSchema } from './kept-schema.ts';

const salt = '00112233445566778899aabbccddeeff';
const fingerprint = createVault(testMasterKey, () => new Uint8Array(0)).fingerprint(Buffer.from(salt, 'hex'));

/** A store as schema `version` was, with a row in each of its tables. Its master key is `testMasterKey`. */
export async function olderStore(fixture: EngineFixture, version: number): Promise<string> {
  const url = await fixture.freshUrl();
  await makeOlderStore(fixture, url, version);
  return url;
}

/** As `olderStore`, at an address where nothing is yet. */
export async function makeOlderStore(fixture: EngineFixture, url: string, version: number): Promise<void> {
  const bytes = fixture.name === 'sqlite' ? `x'${salt}'` : `'\\x${salt}'::bytea`;
  await fixture.run(url, [
    ...Array.from({ length: version }, (_, index) => [...keptSchema(fixture.name, index + 1), ...keptRows(fixture.name, index + 1)]).flat(),
    `insert into metergate_schema ("only", version) values (1, ${version})`,
    `insert into store_identity ("only", salt, fingerprint) values (1, ${bytes}, '${fingerprint}')`,
  ]);
}
