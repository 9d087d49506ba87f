/**
 * The clocks of one simulated node: a wall clock that may be wrong and may step, a monotonic one that stands still with its
 * machine, and the time that core makes of them and of what the store tells.
 */
import type { Clock } from '@metergate/gateway/clock.ts';
import type { LeaseMoment } from '@metergate/core/lease/account.ts';
import { followStoreTime, readNodeTime, startNodeTime, type NodeTime } from '@metergate/core/time/node-time.ts';
import type { World } from './world.ts';

export class SimulatedClock implements Clock {
  readonly #world: World;
  readonly #time: NodeTime;
  #bornMs: number;
  #wallStepMs: number;

  constructor(world: World) {
    this.#world = world;
    this.#bornMs = world.scheduler.nowMs;
    this.#wallStepMs = world.chance.whole(-30_000, 30_000);
    this.#time = startNodeTime(this.systemWallMs(), this.monotonicMs(), 0);
    this.follow(world.storeMs());
  }

  /** Uncorrected, by both. */
  moment(): LeaseMoment {
    return { monotonicMs: this.monotonicMs(), wallMs: this.systemWallMs() };
  }

  monotonicMs(): number {
    return this.#world.scheduler.nowMs - this.#bornMs;
  }

  /** The node's time. */
  wallMs(): number {
    return readNodeTime(this.#time, this.systemWallMs(), this.monotonicMs());
  }

  systemWallMs(): number {
    return this.#world.scheduler.nowMs + this.#wallStepMs;
  }

  follow(storeMs: number): void {
    followStoreTime(this.#time, storeMs, this.monotonicMs());
  }

  /** The machine stood still for so long: the monotonic clock knows nothing of it. */
  suspended(forMs: number): void {
    this.#bornMs += forMs;
  }

  stepWall(byMs: number): void {
    this.#wallStepMs += byMs;
  }
}
