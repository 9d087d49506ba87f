/**
 * What the store sent of keys before anybody asked, at the start of a node. Each is taken by the first call of its key. Until then it has no
 * standing, so nothing is leased for it.
 */
import type { KeyAnswer } from '@metergate/store/desk/protocol.ts';
import type { StoreClient } from '@metergate/store/desk/store-client.ts';

/** After a start, the callers of the node before come at once. What none of them has used by then is asked for. */
const aheadMs = 60_000;

export class KeysAhead {
  readonly #found = new Map<string, KeyAnswer>();
  readonly #clock: () => number;
  #untilMs = 0;

  /** `clock`: milliseconds, monotonic. */
  constructor(client: Pick<StoreClient, 'onAhead' | 'onChange'>, clock: () => number) {
    this.#clock = clock;
    client.onAhead((hash, found) => {
      this.#found.set(hash, found);
      this.#untilMs = clock() + aheadMs;
    });
    client.onChange(({ keys }) => {
      for (const [hash] of keys) this.#found.delete(hash);
    });
  }

  /** Null: the store has to be asked. */
  take(hash: string): KeyAnswer | null {
    if (this.#found.size === 0) return null;
    if (this.#clock() >= this.#untilMs) this.#found.clear();
    const found = this.#found.get(hash) ?? null;
    this.#found.delete(hash);
    return found;
  }
}
