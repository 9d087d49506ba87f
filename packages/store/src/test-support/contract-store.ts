/**
 * The fixture of a contract suite: one engine, a store in a fresh place, and organizations that keep tests apart. It is set up before the
 * first test of the suite and removed after the last of the file.
 */
import { after } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Store } from '../store.ts';
import { granted, openTestStore, postgresFixture, sqliteFixture, type EngineFixture } from './contract-fixture.ts';

export interface ContractEngine {
  readonly title: string;
  readonly context: () => Promise<EngineFixture>;
}

export const onPostgres: ContractEngine = { title: 'PostgreSQL', context: postgresFixture };

/** A store that is no cell, also where a run's stores are: what versions that know no cells write to. */
export const onDefaultCell: ContractEngine = {
  title: 'PostgreSQL',
  async context() {
    const fixture = await postgresFixture();
    return { ...fixture, async newStoreUrl() {
      const url = await fixture.freshUrl();
      await (await openTestStore(url)).close();
      return url;
    } };
  },
};

/** Each suite runs on both. */
export const bothEngines: readonly ContractEngine[] = [{ title: 'SQLite', context: async () => sqliteFixture() }, onPostgres];

export interface ContractStore {
  readonly context: EngineFixture;
  readonly url: string;
  readonly store: Store;
  /** Another store in the same place, as another process would have it; closed with the first. */
  another(): Promise<Store>;
  /** A name that no other organization of this store has. */
  newName(): string;
  /** On plan Team. */
  newOrganization(on?: Store): Promise<OrganizationId>;
}

/** Await it in the body of a suite. */
export type OpenContractStore = (engine: ContractEngine) => Promise<ContractStore>;

/**
 * Call this once in each file, beside its suites: what the result opens is closed after the last test of that file. Not after each suite: one
 * of which no test was chosen has opened its context too, and its own hooks are not run.
 */
export function contractStores(): OpenContractStore {
  const fixtures: (() => Promise<void>)[] = [];
  after(async () => {
    for (const end of fixtures) await end();
  });
  return (engine) => openContractStore(engine, fixtures);
}

async function openContractStore(engine: ContractEngine, ends: (() => Promise<void>)[]): Promise<ContractStore> {
  const stores: Store[] = [];
  let names = 0;
  const context = await engine.context();
  ends.push(async () => {
    await Promise.all(stores.map((each) => each.close()));
    await context.end();
  });
  const url = await context.newStoreUrl();
  const another = async (): Promise<Store> => {
    const opened = await openTestStore(url);
    stores.push(opened);
    return opened;
  };
  const store = await another();
  const newName = (): string => `organization ${++names}`;
  return {
    context, url, store, another, newName,
    newOrganization: async (on = store) => (await granted(on.organizations.create({ name: newName(), plan: 'team' }))).id,
  };
}
