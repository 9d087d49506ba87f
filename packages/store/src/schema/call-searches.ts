/**
 * Which calls stand in the two indexes of calls that somebody looks for: those that failed, and those whose cost is not whole. A statement takes
 * such an index where it holds this very text.
 */
export const failedCalls = "(status >= 400 or outcome <> 'completed')";
export const lackingCost = "(usage in ('unknown', 'partial') or cost_source = 'unpriced' or cost_gaps is not null)";
