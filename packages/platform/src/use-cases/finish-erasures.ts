/** The long part of an erasure, in slices: the command waits for them, the platform does them in the background. Design 3, row 23. */
import type { Store } from '@metergate/store/store.ts';

/** Between two slices others write for as long as the slice took; at most this, milliseconds. */
const pauseMsMax = 100;

/** Goes on with every erasure that was begun until nothing is left. */
export async function finishErasures({ erasure }: Pick<Store, 'erasure'>): Promise<void> {
  let done = false;
  for (let beginMs = performance.now(); await erasure.goOn(); beginMs = performance.now()) {
    done = true;
    const tookMs = performance.now() - beginMs;
    await new Promise((resume) => setTimeout(resume, Math.min(pauseMsMax, tookMs)));
  }
  if (done) await erasure.settle();
}
