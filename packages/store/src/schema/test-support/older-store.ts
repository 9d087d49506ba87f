/** Stores of older versions: a new one, brought only so far, with rows in the words of its time. */
import { createVault } from '../../sealing/vault.ts';
import { testMasterKey, type EngineFixture } from '../../test-support/contract-fixture.ts';
import { statementsOf } from '../migrations/list.ts';
import { keptRows } from './kept-rows.ts';

const salt = '00112233445566778899aabbccddeeff';
const fingerprint = createVault(testMasterKey, () => new Uint8Array(0)).fingerprint(Buffer.from(salt, 'hex'));

/** A store that has been brought to a version, and nobody's yet: each older store of a fixture is a copy of it, so no version is made twice. */
interface Growing {
  readonly url: string;
  version: number;
}
const growing = new WeakMap<EngineFixture, Growing>();

/** A store as schema `version` was, with a row in each of its tables. Its master key is `testMasterKey`. */
export async function olderStore(fixture: EngineFixture, version: number): Promise<string> {
  if (fixture.copyOf === null) {
    const own = await fixture.freshUrl();
    await makeOlderStore(fixture, own, version);
    return own;
  }
  let store = growing.get(fixture);
  if (store === undefined || store.version > version) growing.set(fixture, store = { url: await fixture.freshUrl(), version: 0 });
  if (store.version < version) await fixture.run(store.url, stepsOf(fixture, { after: store.version, through: version }));
  store.version = version;
  const url = await fixture.copyOf(store.url);
  await fixture.run(url, identity(fixture, version));
  return url;
}

/** As `olderStore`, at an address where nothing is yet. */
export async function makeOlderStore(fixture: EngineFixture, url: string, version: number): Promise<void> {
  await fixture.run(url, [...stepsOf(fixture, { after: 0, through: version }), ...identity(fixture, version)]);
}

function stepsOf({ name }: EngineFixture, { after, through }: { readonly after: number; readonly through: number }): string[] {
  return Array.from({ length: through - after }, (_, index) => after + index + 1)
    .flatMap((version) => [...statementsOf(name, version), ...keptRows(name, version)]);
}

function identity({ name }: EngineFixture, version: number): string[] {
  const bytes = name === 'sqlite' ? `x'${salt}'` : `'\\x${salt}'::bytea`;
  return [
    `insert into metergate_schema ("only", version) values (1, ${version})`,
    `insert into store_identity ("only", salt, fingerprint) values (1, ${bytes}, '${fingerprint}')`,
  ];
}
