/** A table as a Parquet file: names as text, counts as whole numbers, money as text with every digit. Loaded on demand. */
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Cells } from './cells.ts';

export function parquetOf({ heads, rows }: Cells): ArrayBuffer {
  return parquetWriteBuffer({
    columnData: heads.map((name, at) => {
      const values = rows.map((row) => row[at] ?? null);
      const whole = values.every((value) => value === null || typeof value === 'number') && values.some((value) => value !== null);
      return whole
        ? { name, type: 'INT64', nullable: true, data: values.map((value) => (value === null ? null : BigInt(value))) }
        : { name, type: 'STRING', nullable: true, data: values.map((value) => (value === null ? null : String(value))) };
    }),
  });
}
