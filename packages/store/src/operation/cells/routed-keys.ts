/**
 * Service keys and tap keys when there are cells. A key's place is written before the key: one without the other is only a hash that nobody has,
 * while a key without a place would be unknown to the nodes.
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import { isRefusal } from '../../engine/refusal.ts';
import type { Caps } from '../../settings/caps.ts';
import type { ServiceKeys } from '../../settings/service-keys.ts';
import type { Store } from './one-store.ts';
import type { Baselines } from '../../tap/baselines.ts';
import type { TapEvents } from '../../tap/tap-events.ts';
import type { CellReach } from './reach.ts';
import type { RoutesOf } from './route.ts';

export const routedServiceKeys: RoutesOf<ServiceKeys> = {
  list: 'first',
  revoke: { within: 1 },
  set: { within: 2 },
  find: 'first',
  async create(reach, key) {
    const own = await placed(reach, key.organization, [key.hash]);
    // Whose it is to be is decided by the terms, in the change.
    for (const person of [key.person ?? null, key.boundMaker ?? null]) {
      if (person !== null) await admitted(reach, own, { organization: key.organization, person });
    }
    return orForgotten(reach, key, await own.serviceKeys.create(key));
  },
  async rotate(reach, id, rotation, within) {
    const rotated = async (store: Store) => {
      const organization = within ?? await ownerOf(store, id);
      if (organization !== null && store !== reach.home) await reach.home.directory.noteKeys(organization, [rotation.hash]);
      const rotated = await store.serviceKeys.rotate(id, rotation, within);
      return organization === null ? rotated : orForgotten(reach, { organization, hash: rotation.hash }, rotated);
    };
    return within === undefined ? reach.firstKnown(rotated) : rotated(await reach.of(within));
  },
  findByHash: async ({ ofKey }, hash) => (await ofKey(hash)).serviceKeys.findByHash(hash),
};

async function ownerOf(store: Store, key: string): Promise<OrganizationId | null> {
  return store.keyNames.owner(key);
}

export const routedCaps: RoutesOf<Caps> = {
  list: 'first',
  on: 'first',
  find: 'first',
  remove: { within: 1 },
  async set(reach, cap, check) {
    const own = await reach.of(cap.organization);
    if (cap.scope === 'person') await admitted(reach, own, { organization: cap.organization, person: cap.subject as PersonId });
    return own.caps.set(cap, check);
  },
};

export const routedBaselines: RoutesOf<Baselines> = {
  find: { within: 1 },
  list: 'first',
  readKey: { within: 1 },
  retire: { within: 1 },
  declare: { within: 2 },
  declared: { within: 1 },
  async create(reach, wanted) {
    const made = await (await placed(reach, wanted.organization, [wanted.key.hash])).baselines.create(wanted);
    return orForgotten(reach, { organization: wanted.organization, hash: wanted.key.hash }, made);
  },
  async rotateKey(reach, id, key, within) {
    const rotated = async (store: Store) => {
      const organization = within ?? (await store.baselines.find(id))?.organization;
      if (organization !== undefined && store !== reach.home) await reach.home.directory.noteKeys(organization, [key.hash]);
      const made = await store.baselines.rotateKey(id, key, within);
      return organization === undefined ? made : orForgotten(reach, { organization, hash: key.hash }, made);
    };
    return within === undefined ? reach.firstKnown(rotated) : rotated(await reach.of(within));
  },
};

export const routedTapEvents: RoutesOf<TapEvents> = {
  admission: async ({ ofKey }, hash) => (await ofKey(hash)).tapEvents.admission(hash),
  keep: async ({ ofKey }, batch) => (await ofKey(batch.keyHash)).tapEvents.keep(batch),
  keepInSlices: async function* ({ ofKey }, batch) {
    return yield* (await ofKey(batch.keyHash)).tapEvents.keepInSlices(batch);
  },
  // Only an embedded store writes ahead of the disk.
  forced: 'home',
  sums: async ({ of }, baseline, organization) => (await of(organization)).tapEvents.sums(baseline, organization),
};

/** The store of the organization, in whose cell these hashes are to be found from now on. */
async function placed({ of, home }: CellReach, organization: OrganizationId, hashes: readonly string[]): Promise<Store> {
  const own = await of(organization);
  if (own !== home) await home.directory.noteKeys(organization, hashes);
  return own;
}

/** A hash that became no key is not kept: it would stay for good. Where it is taken, somebody's key has it. */
async function orForgotten<Answer>(
  { of, home }: CellReach, { organization, hash }: { readonly organization: OrganizationId; readonly hash: string }, answer: Answer,
): Promise<Answer> {
  const isLeft = isRefusal(answer) && answer.refused.code !== 'key_taken' && await of(organization) !== home;
  if (isLeft) await home.directory.forgetKeys(organization, [hash]);
  return answer;
}

/** The cell knows the person as a member, if they are one. */
async function admitted(
  { home }: CellReach, own: Store, guest: { readonly organization: OrganizationId; readonly person: PersonId },
): Promise<void> {
  if (own === home) return;
  const member = await home.members.find(guest.organization, guest.person);
  if (member !== null && !isRefusal(member)) await own.guests.admit(guest);
}
