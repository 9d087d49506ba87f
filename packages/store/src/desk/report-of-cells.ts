/**
 * What a node's report says of each cell: how far its rows are shipped, and whose calls of earlier months may not be in it. A cell that is away holds
 * up the months of its own organizations, and of no others. Decisions 316 and 331.
 */
import { earlierCallsTogether, type EarlierCalls } from '@metergate/core/books/month/earlier-calls.ts';
import { homeCell } from '../operation/cells/directory.ts';
import type { NodeReport } from '../operation/node-reports.ts';
import { UnshippedCalls } from './unshipped-calls.ts';

/** As the gateway thread tells it: `earlierCalls` are those under way just before `nowMs`. */
export interface MadeReport {
  readonly report: NodeReport;
  /** On the clock that all threads share. */
  readonly nowMs: number;
}

export interface ShippedCells {
  /** By the number of each cell: everything due by this moment is in its store. On the same clock. */
  shippedMs(): ReadonlyMap<number, number>;
  cellOf(organization: string): number;
}

export class ReportOfCells {
  readonly #cells: ShippedCells;
  readonly #unshipped = new Map<number, UnshippedCalls>();

  constructor(cells: ShippedCells) {
    this.#cells = cells;
  }

  /** With one cell, the report on it is that on the node. */
  of({ report, nowMs }: MadeReport): NodeReport {
    const shipped = this.#shipped();
    const { earlierCalls, ...rest } = report;
    const told = earlierCalls === undefined ? {} : { earlierCalls: this.#look(earlierCalls, nowMs, shipped) };
    if (shipped.size < 2) return { ...rest, ...told };
    // How far a node that stops has come is known once all is shipped.
    const lag = (shippedMs: number): number | null => (report.state === 'stopped' ? null : Math.max(0, Math.round(nowMs - shippedMs)));
    const lagMsOfCells = Object.fromEntries([...shipped].map(([cell, shippedMs]) => [cell, lag(shippedMs)]));
    return { ...rest, ...told, journal: { ...report.journal, lagMsOfCells } };
  }

  #shipped(): ReadonlyMap<number, number> {
    const shipped = this.#cells.shippedMs();
    // Of a process that has just begun, nothing is known to be shipped.
    return shipped.size > 0 ? shipped : new Map([[homeCell, -Infinity]]);
  }

  #look(calls: EarlierCalls, nowMs: number, shipped: ReadonlyMap<number, number>): EarlierCalls {
    return earlierCallsTogether([...shipped].map(([cell, shippedMs]) => {
      const unshipped = this.#unshipped.get(cell) ?? new UnshippedCalls();
      this.#unshipped.set(cell, unshipped);
      return unshipped.look(shipped.size < 2 ? calls : this.#ofCell(calls, cell), nowMs, shippedMs);
    }));
  }

  /** Whose the calls without a name are, nobody knows. */
  #ofCell({ oldestMs, ...calls }: EarlierCalls, cell: number): EarlierCalls {
    return { ...calls, oldestMs: Object.fromEntries(Object.entries(oldestMs).filter(([organization]) => this.#cells.cellOf(organization) === cell)) };
  }
}
