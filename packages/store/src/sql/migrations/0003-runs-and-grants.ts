/**
 * Runs and the keys that sign run-budget grants.
 */
import type { Migration } from './list.ts';

export const runsAndGrants: Migration = async () => {};
