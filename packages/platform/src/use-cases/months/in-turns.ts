/** Long work of months, with others' turn between its slices. */
import type { Slicewise } from '@metergate/core/books/slices.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';

/** What the work comes to. */
export async function throughSlices<Result>(work: Slicewise<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await othersFirst();
  }
}

const sliceMax = 1_000;

/** What `make` makes of each. */
export async function eachInTurns<One, Made>(all: readonly One[], make: (one: One) => Made): Promise<Made[]> {
  const made: Made[] = [];
  for (let at = 0; at < all.length; at += sliceMax) {
    if (at > 0) await othersFirst();
    for (const one of all.slice(at, at + sliceMax)) made.push(make(one));
  }
  return made;
}
