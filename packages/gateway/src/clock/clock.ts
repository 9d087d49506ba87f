/**
 * The two clocks of a node, as everything in the gateway reads them.
 */

/** Wall and monotonic time, milliseconds. */
export interface Clock {
  wallMs(): number;
  monotonicMs(): number;
}
