/**
 * The node's settings, kept from the store's answers and changes (rules: Snapshots). A lookup on the hot path is one map access; values
 * are replaced whole, never modified. Rule: a key is unknown only if the store answered so, and for one second at most. While the store is away,
 * held settings stay in force and their age is shown; keys that are not held cannot be served. An answer that comes too late for who asked is
 * held for who asks next. What the store sent ahead of any question is used by the first call of its key.
 */
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import type { PriceTexts } from '@metergate/core/price/price-texts.ts';
import type { KeyAnswer, OrganizationChange } from '@metergate/store/desk/protocol.ts';
import type { StoreClient } from '@metergate/store/desk/store-client.ts';
import { follow, type KeyStanding } from '../guards/standing.ts';
import type { HeldSettings } from './held-settings.ts';
import { KeysAhead } from './keys-ahead.ts';
import type { HeldKey } from '../guards/held-key.ts';

interface HeldSettingsOptions {
  readonly client: Pick<StoreClient, 'askKey' | 'onAhead' | 'onChange' | 'onPrices' | 'lastNewsMs'>;
  /** Makes the standing of a key that is held from now on. */
  readonly standingOf: (answer: KeyAnswer) => KeyStanding;
  /** The prices in force by these texts. May throw: then the prices so far stay. */
  readonly priceBookFrom: (prices: PriceTexts) => PriceBook;
  /** Milliseconds on the clock of the client. */
  readonly clock: () => number;
  /** Called when prices could not be used; once for each. */
  readonly onOverlayFault?: (error: Error) => void;
}

/** How long a key stays unknown without asking again, and how many such are remembered; beyond it the oldest is forgotten. */
const unknownMs = 1000;
const unknownMax = 10_000;

export function createHeldSettings({ client, standingOf, priceBookFrom, clock, onOverlayFault }: HeldSettingsOptions): HeldSettings {
  const keys = new Map<string, HeldKey>();
  /** Hash → until when it is known to be no live key. Oldest first. */
  const unknown = new Map<string, number>();
  const ahead = new KeysAhead(client, clock);
  const asking = new Map<string, Promise<HeldKey | null>>();
  let priceBook = priceBookFrom({ list: null, overlay: null });

  function rememberUnknown(hash: string): void {
    keys.delete(hash);
    unknown.delete(hash);
    if (unknown.size >= unknownMax) unknown.delete(unknown.keys().next().value!);
    unknown.set(hash, clock() + unknownMs);
  }

  async function askStore(hash: string): Promise<HeldKey | null> {
    try {
      return take(hash, await (ahead.take(hash) ?? client.askKey(hash, (found) => void (keys.has(hash) || take(hash, found)))));
    } finally {
      asking.delete(hash);
    }
  }

  function take(hash: string, found: KeyAnswer | null): HeldKey | null {
    if (found === null) {
      rememberUnknown(hash);
      return null;
    }
    unknown.delete(hash);
    const held = { key: found.key, organization: found.organization, standing: standingOf(found) };
    keys.set(hash, held);
    return held;
  }

  client.onChange(({ organization, keys: changed }: OrganizationChange) => {
    for (const [hash, key] of changed) {
      const held = keys.get(hash);
      if (held === undefined) continue;
      if (key === null || organization === null) {
        keys.delete(hash);
      } else {
        follow(held.standing, organization, key);
        keys.set(hash, { key, organization, standing: held.standing });
      }
    }
  });

  client.onPrices((prices) => {
    try {
      priceBook = priceBookFrom(prices);
    } catch (error) {
      onOverlayFault?.(error as Error);
    }
  });

  return {
    held(hash) {
      const found = keys.get(hash);
      if (found !== undefined) return found;
      const untilMs = unknown.get(hash);
      if (untilMs === undefined) return undefined;
      if (clock() < untilMs) return 'unknown';
      unknown.delete(hash);
      return undefined;
    },
    ask(hash) {
      const under = asking.get(hash);
      if (under !== undefined) return under;
      const asked = askStore(hash);
      asking.set(hash, asked);
      return asked;
    },
    get asking() { return asking.size; },
    get priceBook() { return priceBook; },
    ageMs: () => Math.max(0, clock() - client.lastNewsMs()),
  };
}
