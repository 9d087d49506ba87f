/**
 * The operator of a simulated world: raises caps that are reached and, where much changes, lowers caps, takes them away and sets them again, and
 * closes runs.
 */
import type { CapId } from '@metergate/core/id.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { caps } from './rows.ts';
import type { World } from './world.ts';

/** Within this all nodes know of a change. */
export const noticeMs = 1_000;

export class Operator {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  begin(): void {
    this.#raise();
    if (this.#world.rough.changing) this.#change();
  }

  /** Every half minute or so what is reached is raised. */
  #raise(): void {
    const { scheduler, chance, store } = this.#world;
    scheduler.after(chance.whole(10_000, 50_000), () => {
      for (const [id, limit] of store.limits) this.#set(id as CapId, nanoDollars(limit + BigInt(chance.whole(0, 60_000))));
      this.#raise();
    });
  }

  #change(): void {
    const { scheduler, chance, store } = this.#world;
    scheduler.after(chance.whole(300, 2_500), () => {
      if (this.#world.isQuiet) return;
      if (chance.happens(0.5)) store.endRun(this.#world.anyRun(), 'closed', scheduler.nowMs);
      const { id } = caps[chance.whole(0, caps.length - 1)]!;
      const limit = store.limits.get(id);
      if (limit === undefined || chance.happens(0.4)) this.#set(id, this.#anyLimit(id));
      else {
        this.#set(id, null);
        if (chance.happens(0.8)) scheduler.after(chance.whole(30, 900), () => this.#set(id, this.#anyLimit(id)));
      }
      this.#change();
    });
  }

  /** Somewhat more than is spent by now; now and then less. */
  #anyLimit(id: CapId): NanoDollars {
    const { chance, truth, scheduler } = this.#world;
    const spent = truth.spentOf(caps.find((cap) => cap.id === id)!, scheduler.nowMs);
    return nanoDollars(spent * BigInt(chance.whole(90, 120)) / 100n + BigInt(chance.whole(1, 2_000)));
  }

  #set(id: CapId, limit: NanoDollars | null): void {
    const { scheduler, chance, store, truth, nodes } = this.#world;
    const before = store.limits.get(id) ?? null;
    if (limit === null) store.limits.delete(id);
    else store.limits.set(id, limit);
    truth.capChanged(caps.find((cap) => cap.id === id)!, { before, after: limit, nowMs: scheduler.nowMs });
    scheduler.note(`cap ${id} ${limit}`);
    for (const node of nodes) scheduler.after(chance.whole(1, noticeMs), () => node.followLimits());
  }
}
