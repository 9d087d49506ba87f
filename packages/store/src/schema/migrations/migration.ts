/**
 * What a migration is: one step of the schema, in SQL of its own file, inside the transaction of the whole upgrade.
 */
import type { Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

/** It may run on a store of any age: it calls nothing that could change after its release. */
export type Migration = (transaction: Transaction<Schema>, engine: 'sqlite' | 'postgres') => Promise<void>;
