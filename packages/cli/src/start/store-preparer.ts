/** The thread that prepares the store, as the supervisor sees it: started with the first thing to prepare, ended when the store is ready. */
import { Worker } from 'node:worker_threads';
import { StoreFault, type StoreFaultCode } from '@metergate/store/engine/fault.ts';
import type { UpgradeProgress } from '@metergate/store/schema/migrations/prepare-schema.ts';
import type { FirstStart } from './first-start.ts';
import type { Preparation } from './prepare-thread.ts';
import { ended } from './threads.ts';

export interface StorePreparer {
  /** One at a time. Null if nothing was to be set up. @throws StoreFault */
  prepare(preparation: Preparation): Promise<FirstStart | null>;
}

type Progress = { readonly progress: UpgradeProgress };
type Answer = { readonly prepared: FirstStart | null } | { readonly refused: { readonly code: StoreFaultCode; readonly message: string } };

/** Resolves when the preparing thread has ended, and its memory is free. `progressed` hears of an upgrade. */
export async function prepareOnThread<Prepared>(
  work: (preparer: StorePreparer) => Promise<Prepared>, progressed: (progress: UpgradeProgress) => void,
): Promise<Prepared> {
  const preparer = createStorePreparer(progressed);
  try {
    return await work(preparer);
  } finally {
    await preparer.end();
  }
}

function createStorePreparer(progressed: (progress: UpgradeProgress) => void): StorePreparer & { end(): Promise<void> } {
  let worker: Worker | null = null;
  return {
    prepare(preparation) {
      const thread = worker ??= new Worker(new URL('./prepare-thread.ts', import.meta.url), { name: 'prepare' });
      return new Promise((resolve, reject) => {
        const settle = (): void => void thread.off('message', onAnswer).off('error', onError).off('exit', onExit);
        const onAnswer = (answer: Answer | Progress): void => {
          if ('progress' in answer) return progressed(answer.progress);
          settle();
          if ('prepared' in answer) resolve(answer.prepared);
          else reject(new StoreFault(answer.refused.code, answer.refused.message));
        };
        const onError = (error: unknown): void => { settle(); reject(error); };
        const onExit = (code: number): void => { settle(); reject(new Error(`The thread that prepares the store ended (code ${code}).`)); };
        thread.on('message', onAnswer).on('error', onError).on('exit', onExit);
        thread.postMessage({ prepare: preparation });
      });
    },
    async end() {
      if (worker === null) return;
      worker.postMessage({ prepare: null });
      await ended(worker);
    },
  };
}
