/** The long part of an erasure, in slices: the command waits for them, the platform does them in the background. Rule 23. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from '@metergate/store/store.ts';

/** The pause between two slices lets others write for as long as the slice took, at most this. Milliseconds. */
const pauseMsMax = 100;
/** How often in a row to ask the engine to drop its copies, and the pause after each failure. A reader in the way is usually done soon. */
const settling = { tries: 20, pauseMs: 100 } as const;

/**
 * Each call continues every erasure that was begun until nothing is left. The first call also removes what a process that
 * died after its last slice left in the engine's log. If a reader is in the way, the next call does it.
 */
export function createErasureFinisher({ erasure }: Pick<Store, 'erasure'>, pause: (ms: number) => Promise<unknown> = wait): () => Promise<void> {
  let isSettled = false;
  return async () => {
    for (let beginMs = performance.now(); await erasure.eraseSlice(); beginMs = performance.now()) {
      isSettled = false;
      await pause(Math.min(pauseMsMax, performance.now() - beginMs));
    }
    for (let tries = 0; !isSettled && tries < settling.tries; tries++) {
      if (tries > 0) await pause(settling.pauseMs);
      isSettled = await erasure.settle();
    }
  };
}
