/** The long part of an erasure, in slices: the command waits for them, the platform does them in the background. Design 3, row 23. */
import type { Store } from '@metergate/store/store.ts';

/** Goes on with every erasure that was begun until nothing is left; others may work between two slices. */
export async function finishErasures({ erasure }: Pick<Store, 'erasure'>): Promise<void> {
  let done = false;
  while (await erasure.goOn()) {
    done = true;
    await new Promise((resume) => setImmediate(resume));
  }
  if (done) await erasure.settle();
}
