/**
 * Which calls have a span: OpenTelemetry's own samplers, by the names that its variable takes. The decision is made when a call has ended. It
 * is not passed downstream, so it is not needed sooner. Pure: chance is an argument.
 */
import type { TraceParent } from './trace-parent.ts';

export interface Sampling {
  /** Go by the caller's own decision if there is one. */
  readonly byParent: boolean;
  /** Share of calls without such a decision, from 0 to 1. */
  readonly ratio: number;
}

const idRange = 2 ** 52;

/** `chance`: from 0 up to 1. All calls of one trace are sampled, or none. */
export function isSampled({ byParent, ratio }: Sampling, parent: TraceParent | null, chance: () => number): boolean {
  if (parent === null) return chance() < ratio;
  if (byParent) return parent.sampled;
  return traceShare(parent.traceId) < ratio;
}

/** Where a trace lies among all, from 0 up to 1. */
export function traceShare(traceId: string): number {
  return Number.parseInt(traceId.slice(-13), 16) / idRange;
}
