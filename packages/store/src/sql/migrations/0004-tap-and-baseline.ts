/**
 * The Baseline, tap keys and tap events.
 */
import type { Migration } from './list.ts';

export const tapAndBaseline: Migration = async () => {};
