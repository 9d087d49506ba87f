/** Columns of whole numbers and of bytes, as Kysely sees them on both engines. */
import type { ColumnType } from 'kysely';

/** Reads as bigint, takes either. */
export type Whole = ColumnType<bigint, bigint | number, bigint | number>;

export type WholeOrNull = ColumnType<bigint | null, bigint | number | null, bigint | number | null>;

export type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;

export type BytesOrNull = ColumnType<Uint8Array | null, Uint8Array | null, Uint8Array | null>;
