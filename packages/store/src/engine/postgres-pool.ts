/**
 * A `postgres://` address → a bounded pool for Kysely's PostgreSQL dialect.
 * Integers of every width come back as `bigint`, as they do from SQLite. Connecting, a statement, a lock and an idle
 * transaction each have an end, so that a silent server turns into a fault instead of a wait. A connection that has gone silent, though the
 * network still accepts what is sent, is given up together with all idle ones; the next query dials again.
 */
import type { CompiledQuery } from 'kysely';
import pg from 'pg';
import { byColumns, rowsOfColumns, numberOfText, type RowColumn } from './rows-by-column.ts';
import type { RowValue } from './send.ts';

const connectionsMax = 8;
/** Of one of several cells: the server counts the connections of all of them. */
const cellConnectionsMax = 3;
/** Shipping, claims, new runs and confirmed ones each have at most one under way. */
const pipelinesMax = 4;
const connectMs = 5_000;
const longestStatementMs = 10_000;
/** The server's own timeout answers first; this one is for a server that does not answer at all. */
const silentMs = longestStatementMs + 5_000;

/** Plans and memory of a session on the server go with its connection. */
const pipelineSecondsMax = 300;

/** A pool for pipelines: statements are sent ahead of each other's answers. */
export function openPipelinePool(url: string): pg.Pool {
  return openPostgresPool(url, silentMs, { max: pipelinesMax, pipeline: true, maxLifetimeSeconds: pipelineSecondsMax });
}

/** A pool of one cell of several. */
export function openCellPool(url: string): pg.Pool {
  return openPostgresPool(url, silentMs, { max: cellConnectionsMax, pipeline: false });
}

/** One connection for statements without a time limit. Only a network failure ends it. */
export function openUnhurriedPool(url: string): pg.Pool {
  return openPostgresPool(url, 0, { max: 1, pipeline: false, statementMs: 0 });
}

interface PoolMode {
  readonly max: number;
  readonly pipeline: boolean;
  /** A connection that is older is not lent out again. */
  readonly maxLifetimeSeconds?: number;
  /** The longest that the server lets a statement run; 0: for ever. */
  readonly statementMs?: number;
}

/** `answerMs`: how long a server may say nothing at all; 0: for ever. */
export function openPostgresPool(
  url: string, answerMs: number = silentMs, { statementMs = longestStatementMs, ...mode }: PoolMode = { max: connectionsMax, pipeline: false },
): pg.Pool {
  const settings: pg.PoolConfig & { readonly pipeline: boolean } = {
    ...mode,
    connectionString: url,
    application_name: 'metergate',
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: longestStatementMs,
    query_timeout: answerMs,
    keepAlive: true,
    types: { getTypeParser: parserFor as typeof pg.types.getTypeParser },
  };
  const pool = new pg.Pool(settings);
  // An idle connection that breaks is dropped by the pool; the next query dials again and reports its own error.
  pool.on('error', () => {});
  // One that is lent out and breaks between two queries is reported only to its own listeners: without one it ends the thread.
  pool.on('connect', (client) => void client.on('error', () => {}));
  giveUpDeadEnds(pool);
  return pool;
}

const rowTypes = { getTypeParser: rowParserFor as typeof pg.types.getTypeParser };

/** See `Engine.rows`. */
export async function rowsIn(pool: pg.Pool, { sql, parameters }: CompiledQuery, columns?: readonly RowColumn[]): Promise<RowValue[][]> {
  const sent = columns === undefined ? null : rowsOfColumns((await arraysIn(pool, byColumns(sql, columns), parameters))[0]!, columns);
  return sent ?? arraysIn(pool, sql, parameters);
}

/** Connections on which the compiling of queries is switched off. */
const uncompiled = new WeakSet<pg.PoolClient>();

/**
 * A server that has LLVM compiles a query that it takes to be costly, once for each time that it is asked: a report waits longer for that than it
 * takes (decision 338). Told with the first report of a connection, since poolers refuse it among the parameters of a start.
 */
async function compileNothing(client: pg.PoolClient): Promise<void> {
  if (uncompiled.has(client)) return;
  await client.query('set jit = off');
  uncompiled.add(client);
}

async function arraysIn(pool: pg.Pool, text: string, parameters: readonly unknown[]): Promise<RowValue[][]> {
  const client = await pool.connect();
  try {
    await compileNothing(client);
    return (await client.query<RowValue[]>({ text, values: [...parameters], rowMode: 'array', types: rowTypes })).rows;
  } finally {
    client.release();
  }
}

/**
 * Left to itself the pool lends a connection out again whose query timed out, as long as the network keeps it, and one whose server takes no writes:
 * after a failover the store's name may still lead to what is a standby now, and nothing else would ever end a connection made then.
 */
function giveUpDeadEnds(pool: pg.Pool): void {
  const idle = new Set<pg.PoolClient>();
  const readOnly = new WeakSet<pg.PoolClient>();
  pool.on('acquire', (client) => void idle.delete(client));
  pool.on('release', (_error, client) => {
    // Only now: its transaction is rolled back before. The pool drops what has been ended.
    if (readOnly.has(client)) client.end().catch(() => {});
    else idle.add(client);
  });
  pool.on('remove', (client) => void idle.delete(client));
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    client.query = ((...given: unknown[]) => {
      const answer = query(...given);
      if (answer instanceof Promise) {
        answer.catch((error: unknown) => {
          const { code, message } = error as { readonly code?: string; readonly message?: string };
          const isSilent = message === 'Query read timeout';
          if (!isSilent && code !== takesNoWrites) return;
          if (!isSilent) readOnly.add(client);
          // Connections that were opened before it went silent are most likely dead as well, and those beside it lead to the same server.
          for (const each of isSilent ? [client, ...idle] : idle) cut(each);
        });
      }
      return answer;
    }) as typeof client.query;
  });
}

/** `read_only_sql_transaction`. */
const takesNoWrites = '25006';

/** `end` would wait for the server's part in it. */
function cut(client: pg.PoolClient): void {
  (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream.destroy();
}

/** int8, int2 and int4 by their type numbers in the catalogue. */
const integerTypes = new Set([20, 21, 23]);

function parserFor(type: number, format?: 'text' | 'binary'): unknown {
  return integerTypes.has(type) && format !== 'binary' ? BigInt : pg.types.getTypeParser(type, format);
}

function rowParserFor(type: number, format?: 'text' | 'binary'): unknown {
  return integerTypes.has(type) && format !== 'binary' ? numberOfText : pg.types.getTypeParser(type, format);
}
