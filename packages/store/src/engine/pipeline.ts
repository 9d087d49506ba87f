/**
 * Pipelined transactions: statements are sent without waiting for earlier answers, on separate connections. A distant store then costs
 * one round trip for all reads and one for all writes, and locks are held for one round trip. Statements have names, so that a server plans each
 * once for a connection; where names do not come through, they are sent without. PostgreSQL only.
 */
import type { Pool } from 'pg';
import type { Send } from './send.ts';
import { planOnce, StatementNames } from './statement-names.ts';

/**
 * One transaction. `read` and `write` each send all they have to say at once; a statement runs when those before it have, and sees what
 * was committed by then. Where one fails or `write` throws, nothing of it stands. Both may be called again: a transaction that failed because of a
 * pooler, or of an upgrade meanwhile, is repeated once.
 */
export type Transact = <Read, Result>(read: (send: Send) => Promise<Read>, write: (send: Send, found: Read) => Result) => Promise<Result>;

export interface Pipeline {
  readonly transact: Transact;
  close(): Promise<void>;
}

/**
 * `dial` is called with the first transaction; its connections are in pipeline mode. `namesLost`: called once, with the server's code, when names of
 * statements are no longer of use.
 */
export function createPipeline(dial: () => Pool, namesLost: (code: string) => void): Pipeline {
  let pool: Pool | null = null;
  const names = new StatementNames(namesLost);
  return {
    async transact(read, write) {
      pool ??= dial();
      if (!names.inUse) return transactOn(pool, null)(read, write);
      try {
        return await transactOn(pool, names)(read, write);
      } catch (error) {
        if (!names.areAtFault(error)) throw error;
        const result = await transactOn(pool, null)(read, write);
        names.failed(error);
        return result;
      }
    },
    close: async () => pool?.end(),
  };
}

/** `names` null: statements are sent without. */
function transactOn(pool: Pool, names: StatementNames | null): Transact {
  return async (read, write) => {
    const client = await pool.connect();
    const sent: Promise<unknown>[] = [];
    let failed: unknown;
    const ask = <Row>(query: { readonly text: string; readonly values: unknown[]; readonly name?: string }): Promise<readonly Row[]> => {
      const answer = client.query(query).then(({ rows }) => rows as Row[]);
      // They are all awaited below. What is sent behind one that failed fails too, and no longer says why.
      answer.catch((error: unknown) => { failed ??= error; });
      sent.push(answer);
      return answer;
    };
    const send: Send = <Row>(text: string, values: readonly unknown[] = []) => ask<Row>({ ...names?.of(text) ?? { text }, values: [...values] });
    try {
      void ask({ text: 'begin', values: [] });
      if (names !== null) void send(planOnce);
      const result = write(send, await read(send));
      void ask({ text: 'commit', values: [] });
      await Promise.all(sent);
      client.release();
      return result;
    } catch (error) {
      // Drops the connection and its transaction with it: the server may still be in the middle of it.
      client.release(error as Error);
      throw failed ?? error;
    }
  };
}
