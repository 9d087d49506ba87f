/** When a run's budget fell, or got its first value: kept for the run's story, bounded. Decision 200. Pure. */
import { nanoDollars, type NanoDollars } from '../money.ts';

export interface Lowering {
  readonly atMs: number;
  /** The budget in force before; null: the run had none. */
  readonly from: NanoDollars | null;
  readonly to: NanoDollars;
}

/** As many of a run are kept. A caller can lower a budget with every call. */
export const loweringsMax = 50;

/** With one more. When there is no room left, the newest but one gives way: the first ones, and the latest, say the most. */
export function withLowering(lowerings: readonly Lowering[], next: Lowering): readonly Lowering[] {
  if (lowerings.length < loweringsMax) return [...lowerings, next];
  const kept = lowerings.slice(0, loweringsMax - 1);
  return [...kept, { ...next, from: kept.at(-1)!.to }];
}

/** `1764291600000:2500000000:1000000000`, several with spaces between; what was no budget is empty. Null: none. */
export function loweringsText(lowerings: readonly Lowering[]): string | null {
  return lowerings.length === 0 ? null : lowerings.map(({ atMs, from, to }) => `${Math.floor(atMs)}:${from ?? ''}:${to}`).join(' ');
}

/** Reads `loweringsText`, in the order of time. What cannot be read is left out. */
export function loweringsIn(text: string | null): readonly Lowering[] {
  const read = [...(text ?? '').matchAll(/(?:^| )(\d{1,16}):(\d{0,19}):(\d{1,19})(?= |$)/g)].map(([, at, from, to]): Lowering => ({
    atMs: Number(at), from: from === '' ? null : nanoDollars(BigInt(from!)), to: nanoDollars(BigInt(to!)),
  }));
  return read.toSorted((one, other) => one.atMs - other.atMs);
}
