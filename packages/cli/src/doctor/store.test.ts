/** What `doctor` still says of a store that breaks while it is asked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import type { Store } from '@metergate/store/store.ts';
import { readConfig } from '../config/read-config.ts';
import type { CommandTools } from '../command-line/command.ts';
import { ownDirectory } from '../test-support/own-directory.ts';
import type { Finding } from './finding.ts';
import { examineAndClose, examineOpen } from './store.ts';

const broken = async (): Promise<never> => {
  throw new StoreFault('store_busy', 'A statement ran out of time.');
};
/** What breaks, and under which name it is told. */
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

for (const { name, store: parts } of breaking) {
  test(`${name}: what breaks in the middle (${JSON.stringify(Object.keys(parts))}) is one finding, and all others stand`, async () => {
    const own = ownDirectory();
    try {
      await own.make();
      const env = { SVC_DATA_DIR: own.dataDirectory };
      const read = readConfig(env, own.root);
      assert.ok('config' in read);
      const tools = { env, cwd: own.root, nowMs: () => 1_700_000_000_000, randomBytes: (n: number) => new Uint8Array(n) };
      const ask = (store: Store) => examineOpen(store, read.config, tools as unknown as CommandTools);
      const [whole, found] = await own.inStore(async (store) => [await ask(store), await ask(but(store, parts))]);
      const names = ({ findings }: { readonly findings: readonly Finding[] }, state: Finding['state']) =>
        findings.filter((each) => each.state === state).map((each) => each.name);
      assert.deepEqual(names(whole, 'fail'), []);
      assert.deepEqual(found.findings.filter(({ state }) => state === 'fail'), [
        { name, state: 'fail', message: 'This could not be checked, because the store broke meanwhile: A statement ran out of time.' },
      ]);
      assert.ok(names(found, 'ok').includes('master key') && names(found, 'ok').includes('prices'));
      if (name !== 'store') assert.equal(found.store?.engine, 'sqlite');
    } finally {
      own.remove();
    }
  });
}

test('a store that cannot be closed is one finding, and all others stand', async () => {
  const own = ownDirectory();
  try {
    await own.make();
    const env = { SVC_DATA_DIR: own.dataDirectory };
    const read = readConfig(env, own.root);
    assert.ok('config' in read);
    const tools = { env, cwd: own.root, nowMs: () => 1_700_000_000_000, randomBytes: (n: number) => new Uint8Array(n) };
    const unclosed = (store: Store) => new Proxy(store, { get: (whole, part): unknown => (part === 'close' ? broken : Reflect.get(whole, part)) });
    const found = await own.inStore((store) => examineAndClose(unclosed(store), read.config, tools as unknown as CommandTools));
    assert.deepEqual(found.findings.filter(({ state }) => state === 'fail').map(({ name, message }) => [name, message]), [
      ['store', 'Everything was asked, and then the store could not be closed: A statement ran out of time.']]);
    assert.equal(found.store?.engine, 'sqlite');
  } finally {
    own.remove();
  }
});
