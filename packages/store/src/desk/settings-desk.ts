/**
 * Answers questions about settings and follows the revision feed, on the store thread, so that gateway nodes hold current settings (design 2,
 * Snapshots). Rule: a change is posted within one poll of its commit. An answer read while the feed moved is read again, so no outdated
 * answer goes uncorrected. If the store fails, a question is answered `failed`, and the feed is silent (the node's age grows) until the next
 * poll.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Settings } from '../settings/node-settings.ts';
import type { PriceOverlay } from '../settings/price-overlay.ts';
import type { SpendSums } from '../spend/spend-sums.ts';
import { KeptOrganizations } from './kept-organizations.ts';
import type { FromStore, KeyAnswer, OrganizationChange } from './protocol.ts';

export interface SettingsDeskOptions {
  readonly settings: Settings;
  readonly prices: Pick<PriceOverlay, 'overlay'>;
  readonly spend: Pick<SpendSums, 'sums'>;
  /** Wall time, milliseconds since the epoch: says which windows of spend are in force. */
  readonly clock: () => number;
  readonly post: (message: FromStore) => void;
}

export interface SettingsDesk {
  /** Answers one question, always. */
  ask(number: number, hash: string): Promise<void>;
  /** Looks for changes, posts them and a heartbeat. Rejects where the store fails. Not to be run twice at once. */
  poll(): Promise<void>;
}

/** Keys of one changed organization read at once. */
const keysAtOnce = 32;

export function createSettingsDesk({ settings, prices, spend, clock, post }: SettingsDeskOptions): SettingsDesk {
  /** What the node was told of: key hashes by organization. */
  const told = new Map<OrganizationId, Set<string>>();
  /** Of the last change that was begun to be worked through; null before the first poll. */
  let revision: number | null = null;
  const kept = new KeptOrganizations(settings);

  async function read(hash: string): Promise<KeyAnswer | null> {
    for (;;) {
      const before = revision;
      const key = await settings.keyByHash(hash);
      const organization = key === null ? null : await kept.now(key.organization);
      const sums = key === null ? null : await spend.sums({ organization: key.organization, key: key.id }, clock());
      if (revision !== before) continue;
      return key === null || organization === null || sums === null ? null : { key, organization, spend: sums };
    }
  }

  function forget({ id, keys }: OrganizationChange): void {
    const hashes = told.get(id);
    for (const [hash, key] of keys) if (key === null) hashes?.delete(hash);
    if (hashes?.size === 0) told.delete(id);
  }

  /** `revision` moves first, so that questions in flight are read again; it moves back where the work fails. */
  async function follow(since: number): Promise<void> {
    const { revision: latest, organizations, prices: pricesChanged } = await settings.changedSince(since);
    if (latest === since) return;
    revision = latest;
    kept.clear();
    try {
      for (const id of organizations) {
        const hashes = told.get(id);
        if (hashes === undefined) continue;
        const changed = await readChange(settings, id, hashes);
        post({ kind: 'changed', change: changed });
        forget(changed);
      }
      if (pricesChanged) post({ kind: 'prices', overlay: await prices.overlay() });
    } catch (error) {
      revision = since;
      throw error;
    }
  }

  return {
    async ask(number, hash) {
      try {
        const found = await read(hash);
        if (found !== null) {
          const hashes = told.get(found.organization.id);
          if (hashes === undefined) told.set(found.organization.id, new Set([hash]));
          else hashes.add(hash);
        }
        post({ kind: 'answer', number, found });
      } catch {
        post({ kind: 'failed', number });
      }
    },
    async poll() {
      if (revision === null) {
        const first = await settings.revision();
        post({ kind: 'prices', overlay: await prices.overlay() });
        revision = first;
      } else {
        await follow(revision);
      }
      post({ kind: 'heartbeat' });
    },
  };
}

/** An organization as it is now, with those of its keys that were told. */
async function readChange(settings: Settings, id: OrganizationId, hashes: ReadonlySet<string>): Promise<OrganizationChange> {
  const organization = await settings.organization(id);
  const keys: OrganizationChange['keys'][number][] = [];
  const wanted = [...hashes];
  for (let from = 0; from < wanted.length; from += keysAtOnce) {
    keys.push(...await Promise.all(wanted.slice(from, from + keysAtOnce).map(
      async (hash) => [hash, organization === null ? null : await settings.keyByHash(hash)] as const)));
  }
  return { id, organization, keys };
}
