/** For tests: a clock that advances on request, and then checks everything that it watches. */
import type { SilenceClock, Watched } from '../../clock/coarse-clock.ts';

export class SetClock implements SilenceClock {
  awakeMs = 0;
  readonly watched = new Set<Watched>();

  watch(one: Watched): void {
    this.watched.add(one);
  }

  forget(one: Watched): void {
    this.watched.delete(one);
  }

  pass(ms: number): void {
    this.awakeMs += ms;
    for (const one of this.watched) one.look();
  }
}
