/** Whether the store takes what this version writes (decision 0104), where PostgreSQL does not say so by itself: in a cell on Citus. */
import { ownWriter } from './list.ts';

/** @throws what PostgreSQL throws of versions that do not look. @param oldest the version of the schema that a writer must know at least */
export function assertTaken(oldest: bigint): void {
  if (oldest > BigInt(ownWriter)) throw Object.assign(new Error('the store was upgraded and takes nothing from this version'), { code: 'TOOLD' });
}
