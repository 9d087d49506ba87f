/**
 * Spend caps, run policies, and the sums of spend by window.
 */
import type { Migration } from './list.ts';

export const capsAndSpend: Migration = async () => {};
