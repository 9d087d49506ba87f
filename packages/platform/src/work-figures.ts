/** What `/metrics` shows of the work on a store: the sums of all cells, each as it was when it last answered. */
import { provedUpTo } from '@metergate/store/receipts/proof/figure-proofs.ts';
import type { Store } from '@metergate/store/store.ts';
import type { FollowFigures, FollowWork } from './follow/follow-work.ts';
import type { PriceFigures } from './price-feed/run-feed.ts';
import type { ProofFigures, ProveWork } from './proof/prove-work.ts';
import type { RetentionWork } from './retention/retention-work.ts';
import { organizationsNearCaps, retentionDelayMs } from './store-figures.ts';
import type { CellWorks } from './work/cell-works.ts';

export interface SettlingFigures {
  /** Work that is billed later and was settled, in the whole store. */
  readonly settled: number;
  /** What providers answered to this platform's questions. */
  readonly asked: FollowFigures;
}

/** The part of a cell's work that has figures. */
interface CountedWork {
  readonly store: Store;
  readonly retention: Pick<RetentionWork, 'removed'>;
  readonly following: Pick<FollowWork, 'asked'>;
  readonly proving: Pick<ProveWork, 'figures'>;
}

interface CellFigures {
  readonly caps: { readonly reached: number; readonly near: number };
  readonly behindMs: number;
  readonly settled: number;
  readonly proofs: ProofFigures;
}

interface WorkFiguresOptions<Works extends CountedWork> {
  readonly works: Pick<CellWorks<Works>, 'pass'>;
  /** Null: no price feed is configured. */
  readonly prices: (() => Promise<PriceFigures>) | null;
  readonly clock: () => number;
  /** Each message has one name and its figures. */
  readonly post: (message: object) => void;
  readonly failed: (what: string, fault: unknown) => void;
}

/** A function that looks at all cells and posts what it found. Never rejects: after a fault, the next look tries again. */
export function createWorkFigures<Works extends CountedWork>({ works, prices, clock, post, failed }: WorkFiguresOptions<Works>): () => Promise<void> {
  const figures = new Map<Works, CellFigures>();
  const what = 'count organizations near their caps and what is to be removed';
  return async () => {
    await works.pass(what, async (own) => {
      const { store } = own;
      figures.set(own, {
        caps: await organizationsNearCaps(store, clock()), behindMs: await retentionDelayMs(store, clock()),
        settled: await store.settlements.latest(), proofs: await own.proving.figures(),
      });
    });
    if (figures.size === 0) return;
    postSums([...figures], post);
    try {
      if (prices !== null) post({ prices: await prices() });
    } catch (fault) {
      failed(what, fault);
    }
  };
}

function postSums(all: readonly (readonly [CountedWork, CellFigures])[], post: (message: object) => void): void {
  const sum = (of: (each: (typeof all)[number]) => number): number => all.reduce((whole, each) => whole + of(each), 0);
  post({ caps: { reached: sum(([, { caps }]) => caps.reached), near: sum(([, { caps }]) => caps.near) } });
  post({ retention: {
    records: sum(([{ retention }]) => retention.removed().records), events: sum(([{ retention }]) => retention.removed().events),
    behindMs: Math.max(...all.map(([, { behindMs }]) => behindMs)),
  } });
  post({ proofs: {
    differences: sum(([, { proofs }]) => proofs.differences), mended: sum(([, { proofs }]) => proofs.mended),
    provedMs: provedUpTo(all.map(([, { proofs }]) => proofs)),
  } satisfies ProofFigures });
  const asked = all.map(([{ following }]) => following.asked()).reduce((one, other) => ({
    settled: one.settled + other.settled, waiting: one.waiting + other.waiting, over: one.over + other.over, held: one.held + other.held,
  }));
  post({ settling: { settled: sum(([, { settled }]) => settled), asked } satisfies SettlingFigures });
}
