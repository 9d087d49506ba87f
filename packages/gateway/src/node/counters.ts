/**
 * What a node counts for its metrics.
 */

/** For `/metrics`; plain numbers, counted up in place. */
export interface GatewayCounters {
  inFlight: number;
  forwarded: number;
  refused: number;
  faults: number;
}
