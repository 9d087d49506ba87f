/**
 * Which calls have a span: OpenTelemetry's own samplers, by the names that its variable takes. The decision falls when a call has ended;
 * nobody downstream is told of it, so nothing has to be known sooner. Pure but for the chance it is given.
 */
import type { TraceParent } from './trace-parent.ts';

export interface Sampling {
  /** Go by the caller's own decision where there is one. */
  readonly byParent: boolean;
  /** Share of calls without such a decision, from 0 to 1. */
  readonly ratio: number;
}

const idRange = 2 ** 52;

/** `chance`: from 0 up to 1. Of one trace all calls are sampled or none. */
export function isSampled({ byParent, ratio }: Sampling, parent: TraceParent | null, chance: () => number): boolean {
  if (parent === null) return chance() < ratio;
  if (byParent) return parent.sampled;
  return Number.parseInt(parent.traceId.slice(-13), 16) / idRange < ratio;
}
