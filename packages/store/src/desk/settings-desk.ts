/**
 * Answers questions about settings and follows the revision feed, on the store thread, so that gateway nodes hold current settings (rules:
 * Snapshots). Rule: a change is posted within one poll of its commit. An answer read while the feed moved is read again, so no outdated
 * answer goes uncorrected. If the store fails, a question is answered `failed`, and the feed is silent (the node's age grows) until the next
 * poll. Questions that come in one turn are answered together: after a start every key is new to its node. The keys that were used last are
 * sent before the first heartbeat, so that a node that replaces another need not ask while everything starts.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import type { NodeSettings, SettingsChange } from '../settings/node-settings.ts';
import type { StoredPrices } from '../settings/stored-prices.ts';
import type { SpendSums, SubjectSums } from '../spend/spend-sums.ts';
import { CappedAnswers, type UntoldAnswer, type UntoldChange } from './capped-answers.ts';
import { noCappedNews, type CappedNews } from './capped-news.ts';
import { KeptOrganizations } from './kept-organizations.ts';
import type { FromStore } from './protocol.ts';
import { noSpentNews, type SpentNews } from './spent-news.ts';
import { together } from './together.ts';

interface SettingsDeskOptions {
  readonly settings: NodeSettings;
  readonly prices: Pick<StoredPrices, 'texts'>;
  readonly spend: Pick<SpendSums, 'sumsOfAll'>;
  /** Wall time, milliseconds since the epoch: says which windows of spend are in force. */
  readonly clock: () => number;
  readonly post: (message: FromStore) => void;
  /** None by default: the store is shared. */
  readonly settled?: SpentNews;
  /** None by default: the store is shared. */
  readonly capped?: CappedNews;
}

interface SettingsDesk {
  /** Always answers the question. */
  ask(number: number, hash: string): Promise<void>;
  /**
   * The first time, tells what a node will be asked for; then looks for changes. Posts them and a heartbeat. Rejects if the store fails. Not to be
   * run twice at once.
   */
  poll(): Promise<void>;
}

/** Keys read by one statement. */
const keysAtOnce = 200;

/** Which keys are sent ahead: those used last, within this time. Each of them may have a different organization to read. */
const aheadWithinMs = 3_600_000;
const aheadMax = 200;

interface Question { readonly number: number; readonly hash: string }

export function createSettingsDesk({ settled = noSpentNews, capped = noCappedNews, ...options }: SettingsDeskOptions): SettingsDesk {
  const { settings, prices, spend, clock, post } = options;
  const answers = new CappedAnswers(capped, settled);
  /** What the node holds: key hashes by organization. */
  const told = new Map<OrganizationId, Set<string>>();
  /** The last change whose processing has begun; null before the first poll. */
  let revision: number | null = null;
  const kept = new KeptOrganizations(settings);

  /** The settings for each of these hashes that belongs to a live key. */
  async function read(hashes: readonly string[]): Promise<Map<string, UntoldAnswer>> {
    for (;;) {
      const before = revision;
      const toldBefore = settled.told;
      const keys = [...await settings.keysByHash(hashes)];
      const organizations = await kept.now(new Set(keys.map(([, { organization }]) => organization)));
      const sums = keys.length === 0 ? [] : await spend.sumsOfAll(keys.map(([, { organization, id }]) => ({ organization, key: id })), clock());
      await answers.read(organizations, keys.map(([, key]) => key), toldBefore);
      if (revision !== before || await settled.look() !== toldBefore) continue;
      return answersOf(keys, organizations, sums);
    }
  }

  function tell({ number, hash }: Question, found: UntoldAnswer | null): void {
    if (found !== null) remember(told, hash, found);
    post({ kind: 'answer', number, found: found === null ? null : answers.answer(found) });
  }

  /** If reading many fails, each is read by itself: an organization that cannot be read does not spoil the answers for others. */
  async function answer(asked: readonly Question[]): Promise<void> {
    try {
      const found = await read(asked.map(({ hash }) => hash));
      for (const question of asked) tell(question, found.get(question.hash) ?? null);
    } catch {
      if (asked.length === 1) post({ kind: 'failed', number: asked[0]!.number });
      else await Promise.all(asked.map((question) => answer([question])));
    }
  }

  const ask = together(keysAtOnce, answer);

  /** `revision` moves first, so that questions in flight are read again; it moves back if the work fails. */
  async function follow(since: number): Promise<void> {
    const { revision: latest, organizations, prices: pricesChanged } = await changedOf(settings, since, told);
    if (latest === since) return;
    revision = latest;
    kept.clear();
    try {
      for (const id of organizations) {
        const hashes = told.get(id);
        if (hashes === undefined) continue;
        for await (const change of readChange(settings, { id, hashes: [...hashes], nowMs: clock() })) {
          await answers.readFor(change);
          post({ kind: 'changed', change: answers.change(change) });
          forget(told, change);
        }
      }
      if (pricesChanged) post({ kind: 'prices', prices: await prices.texts() });
    } catch (error) {
      revision = since;
      throw error;
    }
  }

  return {
    ask: (number, hash) => ask({ number, hash }),
    async poll() {
      if (revision !== null) await follow(revision);
      else {
        const first = await settings.revision();
        post({ kind: 'prices', prices: await prices.texts() });
        revision = first;
        for (const [hash, found] of await ahead(settings, read, clock())) {
          remember(told, hash, found);
          post({ kind: 'ahead', hash, found: answers.answer(found) });
        }
      }
      post({ kind: 'heartbeat' });
    },
  };
}

/**
 * If the store was put back to an earlier moment, anything that the node holds may be as it was then, or gone. Not seen if as many changes were made
 * before this look as were lost: then the operator restarts the nodes (docs/operating/sharding.md).
 */
async function changedOf(settings: NodeSettings, since: number, told: ReadonlyMap<OrganizationId, unknown>): Promise<SettingsChange> {
  const found = await settings.changedSince(since);
  return found.revision < since ? { revision: found.revision, organizations: [...told.keys()], prices: true } : found;
}

/** By hash. Keys of organizations that are gone have none. */
function answersOf(
  keys: readonly (readonly [hash: string, key: ServiceKeySettings])[], organizations: ReadonlyMap<OrganizationId, OrganizationSettings>,
  sums: readonly SubjectSums[],
): Map<string, UntoldAnswer> {
  return new Map(keys.flatMap(([hash, key], index) => {
    const organization = organizations.get(key.organization);
    return organization === undefined ? [] : [[hash, { key, organization, spend: sums[index]! }]];
  }));
}

/** If they cannot be read, they are asked for one by one: what spoils one of them, or a busy store, keeps no node from starting. */
async function ahead(
  settings: NodeSettings, read: (hashes: readonly string[]) => Promise<Map<string, UntoldAnswer>>, nowMs: number,
): Promise<ReadonlyMap<string, UntoldAnswer>> {
  try {
    const hashes = await settings.hashesUsedSince(nowMs - aheadWithinMs, aheadMax);
    return hashes.length === 0 ? new Map() : await read(hashes);
  } catch {
    // The next poll says whether the store is away.
    return new Map();
  }
}

function remember(told: Map<OrganizationId, Set<string>>, hash: string, { organization: { id } }: UntoldAnswer): void {
  const hashes = told.get(id);
  if (hashes === undefined) told.set(id, new Set([hash]));
  else hashes.add(hash);
}

/** Keys that are gone are sent once. The end of an organization is sent even if the node holds no keys of it: it may hold its runs. */
function forget(told: Map<OrganizationId, Set<string>>, { id, organization, keys }: UntoldChange): void {
  const hashes = told.get(id);
  for (const [hash, key] of keys) if (key === null) hashes?.delete(hash);
  if (hashes?.size === 0 && organization === null) told.delete(id);
}

interface ChangedOrganization {
  readonly id: OrganizationId;
  /** Its keys that the node holds. */
  readonly hashes: readonly string[];
  readonly nowMs: number;
}

/**
 * The current settings of an organization with these keys, some at a time, so that one with many keys holds up neither this thread nor the node's.
 * An expired key is gone: otherwise every change would read all keys that were ever in use.
 */
async function* readChange(settings: NodeSettings, { id, hashes, nowMs }: ChangedOrganization): AsyncGenerator<UntoldChange> {
  const organization = await settings.organization(id);
  if (hashes.length === 0 && organization === null) yield { id, organization, keys: [] };
  for (let from = 0; from < hashes.length; from += keysAtOnce) {
    if (from > 0) await turn();
    const slice = hashes.slice(from, from + keysAtOnce);
    const found = organization === null ? null : await settings.keysByHash(slice);
    yield { id, organization, keys: slice.map((hash) => [hash, unexpired(found?.get(hash), nowMs)] as const) };
  }
}

function unexpired(key: ServiceKeySettings | undefined, nowMs: number): ServiceKeySettings | null {
  return key === undefined || (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) ? null : key;
}
