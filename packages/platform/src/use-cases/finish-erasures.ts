/** The long part of an erasure, in slices: the command waits for them, the platform does them in the background. Design 3, row 23. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from '@metergate/store/store.ts';

/** Between two slices others write for as long as the slice took; at most this, milliseconds. */
const pauseMsMax = 100;
/** How often the engine is asked in one go to keep no copy, and how long after a no. A reader that is in its way is soon through. */
const settling = { tries: 20, pauseMs: 100 } as const;

/**
 * Goes on with every erasure that was begun until nothing is left, each time it is called. The first time it also sees to what a process that
 * died after its last slice left in the engine's log. What a reader hinders is done the next time.
 */
export function createErasureFinisher({ erasure }: Pick<Store, 'erasure'>, pause: (ms: number) => Promise<unknown> = wait): () => Promise<void> {
  let isSettled = false;
  return async () => {
    for (let beginMs = performance.now(); await erasure.goOn(); beginMs = performance.now()) {
      isSettled = false;
      await pause(Math.min(pauseMsMax, performance.now() - beginMs));
    }
    for (let tries = 0; !isSettled && tries < settling.tries; tries++) {
      if (tries > 0) await pause(settling.pauseMs);
      isSettled = await erasure.settle();
    }
  };
}
