/** Things of several organizations that wait, taken one of each in turn, so that many of one do not go before the one of another. */
import type { OrganizationId } from '@metergate/core/id.ts';

export class InTurn<Item> {
  /** The next one first. */
  readonly #waiting = new Map<OrganizationId, Item[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  push(organization: OrganizationId, item: Item): void {
    const items = this.#waiting.get(organization);
    if (items === undefined) this.#waiting.set(organization, [item]);
    else items.push(item);
  }

  /** At most this many; those of one organization in their order. */
  take(most: number): Item[] {
    const taken: Item[] = [];
    // A Map's iteration reaches what is put at its end meanwhile.
    for (const [organization, items] of this.#waiting) {
      if (taken.length === most) break;
      this.#waiting.delete(organization);
      taken.push(items.shift()!);
      if (items.length > 0) this.#waiting.set(organization, items);
    }
    return taken;
  }
}
