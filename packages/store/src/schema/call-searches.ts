/**
 * Which calls the two indexes for searches hold: failed calls, and calls whose cost is incomplete. The engine uses such an index only for a
 * statement that contains exactly this text.
 */
export const failedCalls = "(status >= 400 or outcome <> 'completed')";
export const lackingCost = "(usage in ('unknown', 'partial') or cost_source = 'unpriced' or cost_gaps is not null)";
