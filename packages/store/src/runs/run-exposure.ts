/**
 * The exposure taken by organizations' live runs, inside one transaction: locked, read, changed, written back.
 * Rule: whoever creates, spends, tightens or ends runs locks these rows first, in the order of the organizations. So grants and releases of
 * exposure never cross, and transactions cannot deadlock.
 */
import { sql, type Transaction } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';

export class LockedExposure {
  readonly #transaction: Transaction<Schema>;
  readonly #taken = new Map<string, bigint>();
  readonly #changed = new Set<string>();

  constructor(transaction: Transaction<Schema>) {
    this.#transaction = transaction;
  }

  /** Whole nano-dollars that live runs of the organization take now. */
  taken(organization: string): bigint {
    return this.#taken.get(organization)!;
  }

  /** `by` may be below 0. */
  shift(organization: string, by: bigint): void {
    if (by === 0n) return;
    this.#taken.set(organization, this.taken(organization) + by);
    this.#changed.add(organization);
  }

  read(organization: string, taken: string): void {
    this.#taken.set(organization, BigInt(taken));
  }

  async write(): Promise<void> {
    for (const organization of this.#changed) {
      await this.#transaction.updateTable('run_exposure').set({ taken_nano: this.taken(organization).toString() })
        .where('organization', '=', organization).execute();
    }
    this.#changed.clear();
  }
}

/** Locks the rows of these organizations until the transaction ends, made where they are missing. */
export async function lockExposure(
  kind: Engine['kind'], transaction: Transaction<Schema>, organizations: Iterable<string>,
): Promise<LockedExposure> {
  const locked = new LockedExposure(transaction);
  for (const organization of [...new Set(organizations)].sort()) {
    // One at a time: a statement over many would lock them in an order of its own.
    await transaction.insertInto('run_exposure').values({ organization, taken_nano: '0' })
      .onConflict((conflict) => conflict.column('organization').doNothing()).execute();
    const row = transaction.selectFrom('run_exposure').select('taken_nano').where('organization', '=', organization);
    locked.read(organization, (await (kind === 'postgres' ? row.forUpdate() : row).executeTakeFirstOrThrow()).taken_nano);
  }
  return locked;
}

/**
 * The next number of the feed of changed runs, its row locked until the transaction ends, so that changes commit in the order
 * of their numbers. To be taken before any exposure.
 */
export async function nextRunChange(transaction: Transaction<Schema>): Promise<bigint> {
  const { value } = await transaction.updateTable('run_feed').set({ value: sql<bigint>`value + 1` }).returning('value').executeTakeFirstOrThrow();
  return value;
}
