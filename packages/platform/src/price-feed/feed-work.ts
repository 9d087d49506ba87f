/**
 * The price feed: a public price list that is asked for once a day, by one platform at a time, if the operator configured an address (decision
 * 142). What changes is logged before and after it takes force. A list that cannot be fetched, or cannot be used, changes nothing; it is
 * logged, counted and asked for again an hour later.
 */
import type { AddressGuard } from '@metergate/store/network/address-guard.ts';
import { changedRates } from '@metergate/core/price/public-list/changed-rates.ts';
import type { Store } from '@metergate/store/store.ts';
import { importList, planImport, publicListMax, type PriceImport } from '../use-cases/price-import.ts';
import { isRefusal } from '../use-cases/refusal.ts';
import { createWorkLease } from '../work/work-lease.ts';
import { getText } from './get-text.ts';
import { sha256Of } from '../use-cases/sha256.ts';

/** As configured. */
export interface PriceFeedSettings {
  readonly url: string;
  /** The address of a text that begins with the list's SHA-256 in hexadecimal; null: the list is not checked. */
  readonly checksumUrl: string | null;
}

export interface PriceFeedOptions {
  readonly settings: PriceFeedSettings;
  readonly store: Store;
  readonly guard: AddressGuard;
  /** Wall time, milliseconds. */
  readonly clock: () => number;
  readonly randomBytes: (n: number) => Uint8Array;
  /** This platform, among those that share the store. */
  readonly holder: string;
  /** A line that an operator should see; the second about something that is wrong. */
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly deadlineMs?: number;
}

export interface PriceFeed {
  /** Asks if it is time to. Resolves with whether it asked. @throws StoreFault */
  pass(): Promise<boolean>;
  /** Since when the feed gives no usable list, milliseconds since the epoch; null: it does, or another platform asks. */
  failingSinceMs(): number | null;
  /** Lets another platform continue at once. */
  end(): Promise<void>;
}

export const dailyMs = 86_400_000;
export const againMs = 3_600_000;

export function createPriceFeed(options: PriceFeedOptions): PriceFeed {
  const { settings, store, clock, holder, say, warn } = options;
  const lease = createWorkLease(store.workLeases, 'prices', holder);
  const acting = store.acting({ actor: { kind: 'system', id: null, name: 'price feed' }, detail: { source: shownAddress(settings.url) } });
  let dueMs = -Infinity;
  let etag: string | null = null;
  let failingSinceMs: number | null = null;
  let asking: Promise<boolean> | null = null;

  async function ask(): Promise<boolean> {
    const nowMs = clock();
    // A clock that was put back must not stop the feed for longer than a day.
    if (nowMs < dueMs && dueMs - nowMs <= dailyMs) return false;
    if (await lease.hold(nowMs) === null) {
      failingSinceMs = null;
      return false;
    }
    // Also if the store fails: it is not asked every minute then.
    dueMs = nowMs + againMs;
    const why = await bring(nowMs);
    if (why === null) {
      failingSinceMs = null;
      dueMs = nowMs + dailyMs;
    } else {
      failingSinceMs ??= nowMs;
      warn(`The price feed ${shownAddress(settings.url)} gives no usable list: ${why}. Nothing is changed; it is asked again in an hour.`);
    }
    return true;
  }

  /** Null: the list in force is the feed's. Otherwise what is wrong. */
  async function bring(nowMs: number): Promise<string | null> {
    const rules = { guard: options.guard, deadlineMs: options.deadlineMs ?? 60_000 };
    const got = await getText(settings.url, { ...rules, bytesMax: publicListMax, etag });
    if (got.kind !== 'text') return got.kind === 'fault' ? got.why : null;
    const digest = sha256Of(got.bytes);
    if (settings.checksumUrl !== null) {
      const sum = await getText(settings.checksumUrl, { ...rules, bytesMax: 10_000, etag: null });
      if (sum.kind !== 'text') return `its checksum cannot be fetched, ${sum.kind === 'fault' ? sum.why : 'the answer is empty'}`;
      if (digestIn(sum.bytes.toString('latin1')) !== digest) return 'its checksum is another one';
    }
    const context = { store: acting, nowMs, randomBytes: options.randomBytes };
    const plan = await planImport(context, { text: got.bytes.toString('utf8'), source: shownAddress(settings.url) });
    if (isRefusal(plan)) return plan.refused.message.replace(/\.$/, '');
    const gone = plan.changes.filter(({ kind }) => kind === 'removed').length;
    if (gone * 2 > plan.before.models) {
      return `it lacks ${gone} of the ${plan.before.models} models of the list in force; import it by hand if that is meant`;
    }
    await putInForce(context, plan);
    etag = got.etag;
    return null;
  }

  async function putInForce(context: Parameters<typeof importList>[0], plan: PriceImport): Promise<void> {
    const { before, after, changes } = plan;
    if (before.id === after.id) return;
    const more = changes.length > shownMax ? ` and ${changes.length - shownMax} more` : '';
    const shown = changes.slice(0, shownMax).map(changeText).join(', ');
    say(`The price feed brings ${after.id} in place of ${before.id}: ${countsText(changes)}. ${shown}${more}.`);
    await importList(context, plan);
    say(`Calls are now priced by ${after.id}, ${after.models} models from ${after.source}.`);
  }

  return {
    pass() {
      asking ??= ask().finally(() => { asking = null; });
      return asking;
    },
    failingSinceMs: () => failingSinceMs,
    async end() {
      await asking?.catch(() => {});
      await lease.release();
    },
  };
}

/** The first word of a checksum file. Null: it is not a checksum. */
function digestIn(text: string): string | null {
  return /^[0-9a-f]{64}(?![0-9a-f])/i.exec(text.trimStart())?.[0].toLowerCase() ?? null;
}

const shownMax = 20;
const ratesMax = 10;

function countsText(changes: PriceImport['changes']): string {
  return [...Map.groupBy(changes, ({ kind }) => kind)].map(([kind, { length }]) => `${length} ${kind}`).join(', ') || 'no price changes';
}

function changeText({ kind, provider, model, from, to }: PriceImport['changes'][number]): string {
  const rates = kind === 'changed' ? changedRates(from, to).map((rate) => `${rate.name} ${rate.from ?? '-'} -> ${rate.to ?? '-'}`) : [];
  const prices = kind !== 'changed' ? '' : ` (${rates.length === 0 ? 'at other times' : rates.slice(0, ratesMax).join(', ')})`;
  return `${kind} ${provider}${model === null ? '' : ` ${model}`}${prices}`;
}

/** Without user name, password, query and fragment, which may hold a secret. */
function shownAddress(address: string): string {
  const { host, pathname } = new URL(address);
  return `${host}${pathname}`.slice(0, 200);
}
