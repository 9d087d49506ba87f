/** For tests: a clock that goes on when it is told to, and then has all that is watched by it looked at. */
import type { SilenceClock, Watched } from '../../coarse-clock.ts';

export class SetClock implements SilenceClock {
  heardMs = 0;
  readonly watched = new Set<Watched>();

  watch(one: Watched): void {
    this.watched.add(one);
  }

  forget(one: Watched): void {
    this.watched.delete(one);
  }

  pass(ms: number): void {
    this.heardMs += ms;
    for (const one of this.watched) one.look();
  }
}
