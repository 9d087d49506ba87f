/** The tables of refusals, nodes and saved views as TypeScript sees them. See `schema.ts`. */
import type { Generated } from 'kysely';
import type { CellSchema } from './cell-schema.ts';
import type { Whole } from './column.ts';

/** Refusals of one hour that are alike. `key`: empty if so many were refused that they are counted together. */
interface RefusalHourTable {
  readonly organization: string;
  readonly hour_ms: Whole;
  readonly key: string;
  readonly code: string;
  /** The scope of the budget that refused; empty: no budget did. */
  readonly scope: string;
  readonly window: string;
  readonly refusals: Whole;
}

/** One refused call. `run`, `scope` and `window` are empty where there is none. */
interface RefusalEntryTable {
  readonly organization: string;
  readonly id: string;
  readonly answer_id: string;
  readonly at_ms: Whole;
  readonly key: string;
  readonly run: string;
  readonly code: string;
  readonly scope: string;
  readonly window: string;
}

/** `home`: the data directory that the node runs on. `report`: JSON object. */
export interface NodeReportTable {
  readonly home: string;
  readonly node: string;
  readonly at_ms: Whole;
  readonly report: string;
  /** 1: it ended in order, and all its calls are in the store. */
  readonly settled: Generated<bigint>;
}

/** One row: the organization whose owners run the machine. */
interface HomeOrganizationTable { readonly only: Whole; readonly organization: string }

/** `query`: the query string of the page's address. */
interface SavedViewTable {
  readonly id: string;
  readonly organization: string;
  readonly person: string;
  readonly name: string;
  readonly query: string;
  readonly saved_at_ms: Whole;
}

export interface OperationSchema extends CellSchema {
  readonly refusal_hour: RefusalHourTable;
  readonly refusal_entry: RefusalEntryTable;
  readonly node_report: NodeReportTable;
  readonly home_organization: HomeOrganizationTable;
  readonly saved_view: SavedViewTable;
}
