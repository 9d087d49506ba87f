/** The column `cost_gaps` of a call's row → the names it holds. */
import type { CostGap } from '@metergate/core/record/call-record.ts';

export function costGapsOf(column: string | null): readonly CostGap[] {
  return column === null ? [] : (JSON.parse(column) as CostGap[]);
}
