/** The tables of closed months as TypeScript sees them. See `schema.ts`. */
import type { Bytes, Whole, WholeOrNull } from './column.ts';

/** One closing of a month. A later version follows a reopening. */
export interface ClosedMonthTable {
  readonly organization: string;
  /** Its first instant. */
  readonly month_ms: Whole;
  readonly version: Whole;
  readonly closed_at_ms: Whole;
  /** Null: it is closed. */
  readonly reopened_at_ms: WholeOrNull;
  /** Where the chain of receipts ended. */
  readonly sequence: Whole;
  readonly hash: Bytes;
  readonly digest: Bytes;
  readonly key: string;
  readonly signature: Bytes;
}

/** Some of the lines of a closed month, all of one type. `content`: as they stand in its file. */
export interface ClosedMonthPartTable {
  readonly organization: string;
  readonly month_ms: Whole;
  readonly version: Whole;
  readonly number: Whole;
  readonly type: string;
  readonly content: string;
}

/** A name of a closed month. Salt and text are null once the organization is erased. */
interface ClosedMonthNameTable {
  readonly organization: string;
  readonly month_ms: Whole;
  readonly version: Whole;
  readonly number: Whole;
  readonly digest: string;
  readonly salt: string | null;
  readonly text: string | null;
}

/** `json`: as `settings/allocation-rules.ts` gets it. */
interface AllocationRulesTable { readonly organization: string; readonly json: string }

/** A budget of a month. `subject`: empty for the organization. `month_ms`: 0 for every month. `told`: JSON, what was sent of it. */
export interface MonthBudgetTable {
  readonly id: string;
  readonly organization: string;
  readonly scope: string;
  readonly subject: string;
  readonly month_ms: Whole;
  readonly amount_nano: Whole;
  readonly at: string;
  readonly told: string | null;
}

export interface MonthSchema {
  readonly month_budget: MonthBudgetTable;
  readonly allocation_rules: AllocationRulesTable;
  readonly closed_month: ClosedMonthTable;
  readonly closed_month_part: ClosedMonthPartTable;
  readonly closed_month_name: ClosedMonthNameTable;
}
