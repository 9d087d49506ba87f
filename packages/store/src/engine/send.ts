/**
 * Statements of one transaction, sent one after the other. Whoever sends need not wait for an answer before the next statement, so a distant
 * store costs one round trip for all that can be sent at once. SQLite answers each at once.
 */
import { CompiledQuery, type Kysely } from 'kysely';
import type { Schema } from '../schema/schema.ts';

export type SentRow = Readonly<Record<string, string | bigint | boolean | Uint8Array | null>>;

/** A value of a row that is an array. A whole number that a double may not hold exactly is a `bigint`; a smaller one may be. */
export type RowValue = string | number | bigint | null;

/**
 * Sends one statement and does not wait. They run in the order in which they were sent, each sees what those before it did, and after one that
 * failed none does anything. Its answer need not be waited for: the transaction stands only if all succeeded.
 */
export type Send = <Row = SentRow>(statement: string, parameters?: readonly unknown[]) => Promise<readonly Row[]>;

/** Sends statements, and knows when all of them are answered. */
interface Sending {
  readonly send: Send;
  /** @throws the fault of the first statement that failed. */
  all(): Promise<void>;
}

/** In a transaction of Kysely's: a statement is run when the one before it has succeeded, and never after one that failed. */
export function sendingIn(transaction: Kysely<Schema>): Sending {
  let last: Promise<unknown> = Promise.resolve();
  return {
    send<Row>(statement: string, parameters: readonly unknown[] = []) {
      const answer = last.then(async () => (await transaction.executeQuery<Row>(CompiledQuery.raw(statement, [...parameters]))).rows);
      // The asker gets the error, or `all` throws it.
      answer.catch(() => {});
      last = answer;
      return answer;
    },
    all: async () => void await last,
  };
}

const noRows: Promise<readonly never[]> = Promise.resolve([]);

/**
 * On an engine that answers at once, inside a transaction. `answer` runs a statement and gives its rows, or null for one that has none. To be
 * cheap for each statement: a batch may be hundreds.
 */
export function sendingAtOnce(answer: (statement: string, parameters: readonly unknown[]) => readonly unknown[] | null): Sending {
  let failed: Promise<never> | null = null;
  return {
    send<Row>(statement: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
      if (failed !== null) return failed;
      try {
        const rows = answer(statement, parameters);
        return rows === null ? noRows : Promise.resolve(rows as readonly Row[]);
      } catch (error) {
        failed = Promise.reject(error as Error);
        // The asker gets the error, or `all` throws it.
        failed.catch(() => {});
        return failed;
      }
    },
    all: async () => void await failed,
  };
}
