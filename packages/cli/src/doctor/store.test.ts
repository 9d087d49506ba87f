/** What `doctor` still says of a store that breaks while it is asked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import type { Store } from '@metergate/store/store.ts';
import type { Config } from '../config/config.ts';
import { readConfig } from '../config/read-config.ts';
import type { CommandTools } from '../command-line/command.ts';
import { ownDirectory } from '../test-support/own-directory.ts';
import type { Finding } from './finding.ts';
import { examineAndClose, examineOpen } from './store.ts';

const broken = async (): Promise<never> => {
  throw new StoreFault('store_busy', 'A statement ran out of time.');
};
/** What breaks, and under which name it is reported. */
const breaking: readonly { readonly name: string; readonly store: { readonly [P in keyof Store]?: object } }[] = [
  { name: 'store', store: { settings: { revision: broken } } },
  { name: 'cells', store: { cells: { list: broken } } },
  { name: 'connections', store: { organizations: { list: broken } } },
  { name: 'settings', store: { serverSettings: { last: broken } } },
  { name: 'figures', store: { figureProofs: { all: broken } } },
  { name: 'figures', store: { figureProofs: { all: async () => [], differences: broken } } },
];

/** The store, whose named parts answer differently. */
function but(store: Store, parts: { readonly [P in keyof Store]?: object }): Store {
  return new Proxy(store, {
    get(whole, part) {
      const kept: unknown = Reflect.get(whole, part);
      const other = parts[part as keyof Store];
      if (other === undefined) return kept;
      return new Proxy(kept as object, { get: (own, name) => Reflect.get(name in other ? other : own, name) });
    },
  });
}

/** What is found in a store that a first start made. */
async function found<Result>(look: (store: Store, config: Config, tools: CommandTools) => Promise<Result>): Promise<Result> {
  const own = ownDirectory();
  try {
    await own.make();
    const env = { SVC_DATA_DIR: own.dataDirectory };
    const read = readConfig(env, own.root);
    assert.ok('config' in read);
    const tools = { env, cwd: own.root, nowMs: () => 1_700_000_000_000, randomBytes: (n: number) => new Uint8Array(n) };
    return await own.inStore((store) => look(store, read.config, tools as unknown as CommandTools));
  } finally {
    own.remove();
  }
}

function namesOf({ findings }: { readonly findings: readonly Finding[] }, state: Finding['state']): readonly string[] {
  return findings.filter((each) => each.state === state).map(({ name }) => name);
}

for (const { name, store: parts } of breaking) {
  test(`${name}: what breaks in the middle (${JSON.stringify(Object.keys(parts))}) is one finding, and all others stand`, async () => {
    assert.deepEqual(namesOf(await found(examineOpen), 'fail'), []);
    const look = await found((store, ...given) => examineOpen(but(store, parts), ...given));
    assert.deepEqual(look.findings.filter(({ state }) => state === 'fail'), [
      { name, state: 'fail', message: 'This could not be checked, because the store broke meanwhile: A statement ran out of time.' },
    ]);
    assert.ok(namesOf(look, 'ok').includes('master key') && namesOf(look, 'ok').includes('prices'));
    if (name !== 'store') assert.equal(look.store?.engine, 'sqlite');
  });
}

test('a store that cannot be closed is one finding, and all others stand', async () => {
  const unclosed = (store: Store) => new Proxy(store, { get: (whole, part): unknown => (part === 'close' ? broken : Reflect.get(whole, part)) });
  const look = await found((store, ...given) => examineAndClose(unclosed(store), ...given));
  assert.deepEqual(look.findings.filter(({ state }) => state === 'fail').map(({ name, message }) => [name, message]), [
    ['store', 'Everything was asked, and then the store could not be closed: A statement ran out of time.']]);
  assert.equal(look.store?.engine, 'sqlite');
});
