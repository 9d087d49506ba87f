/**
 * The tables of the tap as TypeScript sees them; `migrations/0004-tap-and-baseline.sql` makes them.
 */
import type { TapFigureName } from '@metergate/core/tap/rollup.ts';
import type { Generated } from 'kysely';
import type { BytesOrNull, Whole, WholeOrNull } from './column.ts';

export interface BaselineTable {
  /** Stands for the id in the large tables. */
  readonly number: Generated<bigint>;
  readonly id: string;
  readonly organization: string;
  /** SHA-256 of the tap key, lower-case hexadecimal; null once the organization is erased. */
  readonly key_hash: string | null;
  readonly key_prefix: string;
  /** Counts rotations; part of the place that the key is sealed for. */
  readonly key_version: Whole;
  /** The key itself, sealed; removed once it is read. */
  readonly sealed: BytesOrNull;
  readonly created_at_ms: Whole;
  readonly first_day_ms: WholeOrNull;
  readonly retired_at_ms: WholeOrNull;
  /** When another Baseline took its place. */
  readonly replaced_at_ms: WholeOrNull;
  readonly erased_at_ms: WholeOrNull;
  /** Reports of earlier days were removed for their age. Null: none were. */
  readonly gone_before_ms: Generated<bigint | null>;
}

interface TapEventTable {
  readonly baseline: Whole;
  readonly request_id: string;
  readonly at_ms: Whole;
  readonly provider: string;
  readonly model: string;
  readonly tag: string;
  readonly input_tokens: Whole;
  readonly output_tokens: Whole;
  readonly cached_tokens: Whole;
  readonly stop_reason: string;
  readonly tool_calls: Whole;
  readonly status: Whole;
  readonly retries: Whole;
  readonly latency_ms: Whole;
  readonly requests_limit: WholeOrNull;
  readonly requests_remaining: WholeOrNull;
  readonly tokens_limit: WholeOrNull;
  readonly tokens_remaining: WholeOrNull;
}

type TapCellTable = { readonly [Name in TapFigureName]: Whole } & {
  readonly baseline: Whole;
  readonly day_ms: Whole;
  readonly provider: string;
  readonly model: string;
  readonly tag: string;
  readonly band: Whole;
};

/** `part`: of one day. `counts`: `bucket:calls`, as core writes it. */
interface TapLatencyTable { readonly baseline: Whole; readonly part: string; readonly counts: string }

/** A model or tag that has a line. */
interface TapLineTable { readonly baseline: Whole; readonly kind: string; readonly name: string }

interface TapHeadroomTable {
  readonly baseline: Whole;
  readonly provider: string;
  readonly model: string;
  readonly kind: string;
  /** The limit; `limit` is a word of SQL. */
  readonly most: Whole;
  readonly remaining: Whole;
  readonly at_ms: Whole;
}

interface DeclaredFigureTable { readonly baseline: Whole; readonly name: string; readonly amount_nano: Whole; readonly at_ms: Whole }

export interface TapSchema {
  readonly baseline: BaselineTable;
  readonly tap_event: TapEventTable;
  readonly tap_cell: TapCellTable;
  readonly tap_latency: TapLatencyTable;
  readonly tap_headroom: TapHeadroomTable;
  readonly tap_line: TapLineTable;
  readonly declared_figure: DeclaredFigureTable;
}
