/**
 * Pipelined transactions: statements are sent without waiting for earlier answers, on separate connections. A distant store then costs
 * one round trip for all reads and one for all writes, and locks are held for one round trip. PostgreSQL only.
 */
import type { Pool } from 'pg';
import type { Send } from './send.ts';

/**
 * One transaction. `read` and `write` each send all they have to say at once; a statement runs when those before it have, and sees what
 * was committed by then. Where one fails or `write` throws, nothing of it stands.
 */
export type Transact = <Read, Result>(read: (send: Send) => Promise<Read>, write: (send: Send, found: Read) => Result) => Promise<Result>;

export interface Pipeline {
  readonly transact: Transact;
  close(): Promise<void>;
}

/** `dial` is called with the first transaction; its connections are in pipeline mode. */
export function createPipeline(dial: () => Pool): Pipeline {
  let pool: Pool | null = null;
  return {
    async transact(read, write) {
      pool ??= dial();
      const client = await pool.connect();
      const sent: Promise<unknown>[] = [];
      let failed: unknown;
      const send: Send = <Row>(text: string, values: readonly unknown[] = []) => {
        const answer = client.query({ text, values: [...values] }).then(({ rows }) => rows as Row[]);
        // They are all awaited below. What is sent behind one that failed fails too, and no longer says why.
        answer.catch((error: unknown) => { failed ??= error; });
        sent.push(answer);
        return answer;
      };
      try {
        void send('begin');
        const result = write(send, await read(send));
        void send('commit');
        await Promise.all(sent);
        client.release();
        return result;
      } catch (error) {
        // Drops the connection and its transaction with it: the server may still be in the middle of it.
        client.release(error as Error);
        throw failed ?? error;
      }
    },
    close: async () => pool?.end(),
  };
}
