/**
 * Which calls the two indexes for searches hold: failed calls, and calls whose cost is incomplete. SQLite uses such an index only for a
 * statement that contains exactly this text; PostgreSQL deduces it from the others.
 */
export const failedCalls = "(status >= 400 or outcome <> 'completed')";
export const lackingCost = "(usage in ('unknown', 'partial') or cost_source = 'unpriced' or cost_gaps is not null)";
