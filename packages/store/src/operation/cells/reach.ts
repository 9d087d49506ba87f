/** The stores of all cells as a routed method reaches them, each acting where the caller acts. */
import { isRefusal } from '../../engine/refusal.ts';
import type { OpenCells } from './cells.ts';
import type { StoreCell, Store } from './one-store.ts';

export interface CellReach {
  readonly cells: OpenCells;
  readonly home: Store;
  /** The store of one cell. @throws StoreFault if it is away. */
  readonly at: (cell: StoreCell) => Promise<Store>;
  readonly of: (organization: string) => Promise<Store>;
  readonly ofKey: (hash: string) => Promise<Store>;
  /** What the first cell says that knows anything; otherwise what the default cell says. @throws StoreFault if a cell that may know it is away. */
  readonly firstKnown: <Answer>(ask: (store: Store) => Promise<Answer>) => Promise<Answer>;
  /** The answers of all cells, in their order. @throws StoreFault if one is away. */
  readonly everywhere: <Answer>(ask: (store: Store) => Promise<Answer>) => Promise<Answer[]>;
}

/** `acting`: what each cell's store is turned into before it is asked. */
export function cellReach(cells: OpenCells, home: Store, acting: (store: Store) => Store): CellReach {
  const at = async (cell: StoreCell): Promise<Store> => (cell.number === cells.home.number ? home : acting(await cell.store()));
  return {
    cells, home, at,
    of: async (organization) => at(await cells.of(organization)),
    ofKey: async (hash) => at(await cells.ofKey(hash)),
    firstKnown: (ask) => firstKnown(cells.all, async (cell) => ask(await at(cell))),
    everywhere: (ask) => inTurns(cells.all, async (cell) => ask(await at(cell))),
  };
}

/** Cells asked at once. */
const atOnce = 8;

/** The answers in the order of the cells, some cells at a time. */
export async function inTurns<Answer>(cells: readonly StoreCell[], ask: (cell: StoreCell) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < cells.length; from += atOnce) answers.push(...await Promise.all(cells.slice(from, from + atOnce).map(ask)));
  return answers;
}

async function firstKnown<Answer>(cells: readonly StoreCell[], ask: (cell: StoreCell) => Promise<Answer>): Promise<Answer> {
  const said: Answer[] = [];
  let fault: unknown = null;
  // One after the other: where the id is one that something is done to, no other cell may be asked to do it.
  for (const cell of cells) {
    try {
      const answer = await ask(cell);
      if (!knowsNothing(answer)) return answer;
      said.push(answer);
    } catch (error) {
      fault ??= error;
    }
  }
  if (fault !== null) throw fault;
  return said[0]!;
}

function knowsNothing(answer: unknown): boolean {
  return answer === null || (Array.isArray(answer) && answer.length === 0) || (isRefusal(answer) && answer.refused.code.startsWith('unknown_'));
}
