/**
 * Accounts, members, management tokens and the audit trail.
 */
import type { Migration } from './list.ts';

export const accounts: Migration = async () => {};
