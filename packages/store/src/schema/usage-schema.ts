/** The tables of sums of usage as TypeScript sees them. See `schema.ts`. */
import type { Generated } from 'kysely';
import type { Whole } from './column.ts';

/** The figures of a sum. Their one list is `usage/figure-columns.ts`. */
interface FigureColumns {
  readonly calls: Whole;
  readonly input_tokens: Whole;
  readonly cached_tokens: Whole;
  readonly cache_write_tokens: Whole;
  readonly output_tokens: Whole;
  readonly reasoning_tokens: Whole;
  readonly cost_nano: Whole;
  readonly cache_savings_nano: Whole;
  readonly saved_calls: Whole;
  readonly unknown_calls: Whole;
  readonly unpriced_calls: Whole;
  readonly gap_calls: Whole;
}

/** The sum of calls that started on one day, under one name of one dimension. */
interface UsageSumTable extends FigureColumns {
  readonly organization: string;
  readonly dimension: string;
  /** 00:00 UTC; in the dimension `hour` the hour's first instant. */
  readonly day_ms: Whole;
  /**
   * A model, a key's id, a project, a wire, an endpoint, a label or a run; empty for calls that have none, and in the dimensions `day`, `hour`
   * and `labels`.
   */
  readonly subject: string;
}

/** What calls have in common: who made them, what for, and where they went. Numbered, so that sums and records can refer to it briefly. */
interface AttributionTable {
  readonly id: Generated<bigint>;
  readonly organization: string;
  readonly key: string;
  /** Empty if calls have none; the same holds for the model. */
  readonly project: string;
  readonly model: string;
  readonly wire: string;
  readonly endpoint: string;
}

/** The sum of calls of one attribution, on one day or in one hour. */
interface AttributionSumTable extends FigureColumns {
  readonly attribution: Whole;
  /** `day` or `hour`; gateways of the version before write a `month`, which nobody reads. */
  readonly span: string;
  /** Its first instant. */
  readonly start_ms: Whole;
}

/** The sum of calls of one attribution on one day under one label or run. Calls without a run have no row; without a label, one under ''. */
interface WordSumTable extends FigureColumns {
  readonly organization: string;
  /** `label`, `run`, `label/month`, or sets of labels of one day or month (`usage/label-sets.ts`). */
  readonly dimension: string;
  readonly subject: string;
  /** For `label/month`, the month's first instant. */
  readonly day_ms: Whole;
  readonly attribution: Whole;
  /** The hours of the day in which its calls started, hour 0 the lowest bit; may hold hours whose calls are gone. Null: not known, or a month's. */
  readonly hours: Whole | null;
}

/** The sum of calls that started in one hour, one figure per row. The figures are those of `core/report/hour-sum.ts`. */
interface HourSumTable {
  readonly organization: string;
  /** Its first instant. */
  readonly hour_ms: Whole;
  readonly figure: string;
  readonly amount: Whole;
}

export interface UsageSchema {
  readonly hour_sum: HourSumTable;
  readonly usage_sum: UsageSumTable;
  readonly attribution: AttributionTable;
  readonly attribution_sum: AttributionSumTable;
  readonly word_sum: WordSumTable;
}
