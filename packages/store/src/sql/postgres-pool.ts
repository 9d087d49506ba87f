/**
 * A `postgres://` address → a bounded pool for Kysely's PostgreSQL dialect.
 * Integers of every width come back as `bigint`, as they do from SQLite. Connecting, a statement, a lock and an idle
 * transaction each have an end, so that a silent server turns into a fault instead of a wait.
 */
import pg from 'pg';

const connectionsMax = 8;
const connectMs = 5_000;
const statementMs = 10_000;

export function openPostgresPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'metergate',
    max: connectionsMax,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
    // The server's own timeout answers first; this one is for a server that does not answer at all.
    query_timeout: statementMs + 5_000,
    keepAlive: true,
    types: { getTypeParser: parserFor as typeof pg.types.getTypeParser },
  });
  // An idle connection that breaks is dropped by the pool; the next query dials anew and reports for itself.
  pool.on('error', () => {});
  // One that is lent out and breaks between two queries tells nobody but its own listeners: without one it ends the thread.
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** int8, int2 and int4 by their type numbers in the catalogue. */
const integerTypes = new Set([20, 21, 23]);

function parserFor(type: number, format?: 'text' | 'binary'): unknown {
  return integerTypes.has(type) && format !== 'binary' ? BigInt : pg.types.getTypeParser(type, format);
}
