/**
 * When a node last reported → the state of its leases (rules: Spend across nodes). After fifteen seconds they are quarantined: neither the node
 * nor any other may use them until its journal arrives. After two minutes more they are freed, and an audit row records it. Spend that arrives later
 * still counts as spend.
 */

export const quarantineAfterMs = 15_000;
const quarantineMs = 120_000;
/** A node that is silent for this long is forgotten, with its shipped totals; if it comes back, it must start over. */
const forgetAfterMs = 24 * 3_600_000;

export type LeaseNodeState = 'live' | 'quarantined' | 'free' | 'forgotten';

/** Both on the store's clock. */
export function leaseNodeState(heardAtMs: number, nowMs: number): LeaseNodeState {
  const silentMs = nowMs - heardAtMs;
  if (silentMs < quarantineAfterMs) return 'live';
  if (silentMs < quarantineAfterMs + quarantineMs) return 'quarantined';
  return silentMs < forgetAfterMs ? 'free' : 'forgotten';
}
