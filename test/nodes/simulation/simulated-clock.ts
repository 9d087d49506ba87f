/**
 * The clocks of one simulated node: a wall clock that may be wrong and may step, a monotonic one that stands still with its
 * machine, both a little fast or slow, and the time that core derives from them and from the store's.
 */
import type { Clock } from '@metergate/gateway/clock/clock.ts';
import type { LeaseMoment } from '@metergate/core/spend/lease/account.ts';
import { followStoreTime, readNodeTime, startNodeTime, type NodeTime } from '@metergate/core/time/node-time.ts';
import type { World } from './world.ts';

export class SimulatedClock implements Clock {
  readonly #world: World;
  readonly #time: NodeTime;
  /** How fast both clocks run. */
  readonly #rate: number;
  readonly #bornMs: number;
  /** What each clock is wrong by, beside its rate. */
  #monotonicOffMs = 0;
  #wallOffMs: number;

  constructor(world: World) {
    this.#world = world;
    this.#rate = world.rough.clocksApart ? 0.99 + 0.02 * world.chance.fraction() : 1;
    this.#bornMs = world.scheduler.nowMs;
    this.#wallOffMs = world.chance.whole(-30_000, 30_000);
    this.#time = startNodeTime(this.systemWallMs(), this.monotonicMs(), 0);
    this.follow(world.storeMs());
  }

  /** Uncorrected, by both. */
  moment(): LeaseMoment {
    return { monotonicMs: this.monotonicMs(), wallMs: this.systemWallMs() };
  }

  monotonicMs(): number {
    return this.#livedMs() + this.#monotonicOffMs;
  }

  /** The node's time. */
  wallMs(): number {
    return readNodeTime(this.#time, this.systemWallMs(), this.monotonicMs());
  }

  systemWallMs(): number {
    return this.#bornMs + this.#livedMs() + this.#wallOffMs;
  }

  follow(storeMs: number): void {
    followStoreTime(this.#time, storeMs, this.monotonicMs());
  }

  /** The machine stood still for so long: the monotonic clock knows nothing of it. */
  suspended(forMs: number): void {
    this.#monotonicOffMs -= forMs;
  }

  /** Neither clock knows anything of it. */
  stoodStill(forMs: number): void {
    this.#monotonicOffMs -= forMs * this.#rate;
    this.#wallOffMs -= forMs * this.#rate;
  }

  stepWall(byMs: number): void {
    this.#wallOffMs += byMs;
  }

  #livedMs(): number {
    return (this.#world.scheduler.nowMs - this.#bornMs) * this.#rate;
  }
}
