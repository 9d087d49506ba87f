/** How near a cap is to its limit, and which of several is nearest. */
import type { Shown } from '../../api/client.ts';

type Cap = Shown<'Cap'>;

/** Spent as a share of the limit, from 0; 1 and more: reached. */
export function share(cap: Cap): number {
  return Number(cap.limit) === 0 ? 1 : Number(cap.spent) / Number(cap.limit);
}

/** No pace of a week says what will be in ten years. */
const foreseenMs = 10 * 365 * 86_400_000;

/** When it will be reached at the pace of the last seven days; null: not as far as that pace says anything. */
export function foreseen({ forecastAt }: Pick<Cap, 'forecastAt'>, nowMs: number): string | null {
  return forecastAt === null || Date.parse(forecastAt) - nowMs > foreseenMs ? null : forecastAt;
}

/** Reached caps first, then those that will be reached soonest, then those with the largest share. */
export function byNearness(one: Cap, other: Cap): number {
  return rank(one) - rank(other) || share(other) - share(one);
}

function rank(cap: Cap): number {
  if (share(cap) >= 1) return 0;
  return cap.forecastAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(cap.forecastAt);
}
