/**
 * Entry of the thread that prepares the store before the others start: makes or migrates it and sets up what a first start does, or only looks
 * whether it is there. On `{prepare}` it opens the store, works and closes it, then says `{prepared}` or `{refused: {code, message}}`, a
 * StoreFault; before that `{progress}`, if an older store is upgraded. It lives no longer than that, so the supervisor keeps none of the memory
 * that opening a store takes.
 */
import { randomBytes } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { priceList, priceListId } from '@metergate/core/price/price-list.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { openStore } from '@metergate/store/store.ts';
import { prepareFirstStart, type FirstStart, type FirstStartOptions } from './first-start.ts';

/** What to do with the store. */
export interface Preparation {
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
  /** Null: the store is only looked at, and neither made nor brought up to date. */
  readonly firstStart: Pick<FirstStartOptions, 'env' | 'isTerminal' | 'sandbox'> | null;
}

const parent = parentPort!;

parent.on('message', ({ prepare }: { readonly prepare: Preparation | null }) => {
  if (prepare === null) return parent.close();
  void prepared(prepare).then((done) => parent.postMessage({ prepared: done }), (error: unknown) => {
    if (error instanceof StoreFault) return parent.postMessage({ refused: { code: error.code, message: error.message } });
    // A defect of ours ends the thread, and the supervisor notices.
    setImmediate(() => { throw error; });
  });
});

async function prepared({ databaseUrl, masterKey, firstStart }: Preparation): Promise<FirstStart | null> {
  const bytes = (n: number): Uint8Array => randomBytes(n);
  const store = await openStore({
    url: databaseUrl, masterKey, clock: Date.now, randomBytes: bytes, create: firstStart !== null,
    progress: (progress) => parent.postMessage({ progress }),
  });
  try {
    if (firstStart === null) return null;
    // A later version brings another list; records that name this one may be priced again by it.
    await store.prices.keepList({ id: priceListId(priceList), json: JSON.stringify(priceList) });
    const acting = store.acting({ actor: { kind: 'system', id: null, name: null }, detail: {} });
    return await prepareFirstStart({ ...firstStart, store: acting, randomBytes: bytes, nowMs: Date.now() });
  } finally {
    await store.close();
  }
}
