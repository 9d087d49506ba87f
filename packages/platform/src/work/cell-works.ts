/**
 * Work that goes through a whole store, done for each cell by itself (decision 210): a cell that is away or slow holds up no other. A store without
 * cells is one cell.
 */
import type { StoreCell } from '@metergate/store/operation/cells/one-store.ts';
import type { Store } from '@metergate/store/store.ts';

interface CellWorksOptions<Works> {
  /** The cells that there are now. */
  readonly cells: () => readonly StoreCell[];
  /** Called once for each cell, when it first answers. */
  readonly make: (store: Store) => Works;
  /** A pass in one cell failed; the next one tries again. */
  readonly failed: (what: string, fault: unknown) => void;
}

export interface CellWorks<Works> {
  /** One pass in every cell in which this work is not under way. Never rejects. */
  pass(what: string, work: (works: Works) => Promise<unknown>): Promise<void>;
  /** Of the cells that have answered so far. */
  all(): readonly Works[];
  /** Resolves when the work has ended in every cell, at the latest after `withinMs`. */
  end(work: (works: Works) => Promise<unknown>, withinMs: number): Promise<void>;
}

export function createCellWorks<Works>({ cells, make, failed }: CellWorksOptions<Works>): CellWorks<Works> {
  const made = new Map<number, Works>();
  const busy = new Set<string>();

  async function worksOf(cell: StoreCell): Promise<Works> {
    const store = await cell.store();
    const works = made.get(cell.number) ?? make(store);
    made.set(cell.number, works);
    return works;
  }

  return {
    async pass(what, work) {
      await Promise.all(cells().map(async (cell) => {
        const name = `${cell.number} ${what}`;
        if (busy.has(name)) return;
        busy.add(name);
        try {
          await work(await worksOf(cell));
        } catch (fault) {
          failed(what, fault);
        } finally {
          busy.delete(name);
        }
      }));
    },
    all: () => [...made.values()],
    async end(work, withinMs) {
      await within(Promise.all([...made.values()].map((works) => work(works).catch(() => {}))), withinMs);
    },
  };
}

/** Resolves when this has ended, at the latest after `ms` milliseconds. */
export async function within(ending: Promise<unknown>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([ending, promise]).finally(() => clearTimeout(timer));
}
