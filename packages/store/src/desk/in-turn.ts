/** A queue that serves organizations in turn, one item each, so that one with many items does not delay another. */
import type { OrganizationId } from '@metergate/core/id.ts';

export class InTurn<Item> {
  /** The organization that is served next comes first. */
  readonly #waiting = new Map<OrganizationId, Item[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  push(organization: OrganizationId, item: Item): void {
    const items = this.#waiting.get(organization);
    if (items === undefined) this.#waiting.set(organization, [item]);
    else items.push(item);
  }

  /** At most this many; the items of one organization in their order. */
  take(most: number): Item[] {
    const taken: Item[] = [];
    // Iterating a Map also reaches entries added during the iteration.
    for (const [organization, items] of this.#waiting) {
      if (taken.length === most) break;
      this.#waiting.delete(organization);
      taken.push(items.shift()!);
      if (items.length > 0) this.#waiting.set(organization, items);
    }
    return taken;
  }
}
