/**
 * Columns of whole numbers as Kysely sees them on both engines.
 */
import type { ColumnType } from 'kysely';

/** Reads as bigint, takes either. */
export type Whole = ColumnType<bigint, bigint | number, bigint | number>;

export type WholeOrNull = ColumnType<bigint | null, bigint | number | null, bigint | number | null>;
