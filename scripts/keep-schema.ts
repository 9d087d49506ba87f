/**
 * Keeps the SQL of each migration as it was released, on both engines, in `packages/store/src/schema/released/`: the test of
 * upgrades makes older stores from it. Run `npm run schema:keep` when a migration is added; a kept file is never overwritten.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedDialect } from '@metergate/store/engine/sqlite-dialect.ts';
import { openSqliteFile } from '@metergate/store/engine/sqlite-file.ts';
import { openPostgresPool } from '@metergate/store/engine/postgres-pool.ts';
import { migrations } from '@metergate/store/schema/migrations/list.ts';
import type { Schema } from '@metergate/store/schema/schema.ts';
import { keptSchemaFile } from '@metergate/store/schema/test-support/kept-schema.ts';
import { startPostgres } from '@metergate/testkit/postgres.ts';
import { Kysely, PostgresDialect, type Dialect } from 'kysely';

const directory = mkdtempSync(join(tmpdir(), 'metergate-schema-'));
const server = await startPostgres();
try {
  await keep('sqlite', new EmbeddedDialect(await openSqliteFile(join(directory, 'store.db'), { create: true })));
  await keep('postgres', new PostgresDialect({ pool: openPostgresPool(await server.createDatabase()) }));
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Runs all migrations on an empty store and keeps the statements of those that have no file yet. */
async function keep(engine: 'sqlite' | 'postgres', dialect: Dialect): Promise<void> {
  let statements: string[] = [];
  const db = new Kysely<Schema>({
    dialect,
    log: ({ level, query: { sql, parameters } }) => {
      if (level === 'query' && /^(?:create|alter|insert|update|drop|delete)\b/i.test(sql.trim())) statements.push(inlined(sql, parameters));
    },
  });
  await db.transaction().execute(async (transaction) => {
    for (const [index, migrate] of migrations.entries()) {
      statements = [];
      await migrate(transaction, engine);
      const file = keptSchemaFile(engine, index + 1);
      if (existsSync(file)) continue;
      writeFileSync(file, statements.map((statement) => `${statement.trim()};\n`).join('--\n'));
      console.log(`kept ${file}`);
    }
  });
  await db.destroy();
}

/** The statement with its parameters inlined: migrations bind only numbers and plain words. */
function inlined(statement: string, parameters: readonly unknown[]): string {
  let next = 0;
  const literal = (value: unknown): string => {
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    if (typeof value === 'string' && /^[\w .:-]*$/.test(value)) return `'${value}'`;
    throw new Error(`A migration binds a value that cannot be kept as text: ${typeof value}.`);
  };
  return parameters.length === 0 ? statement
    : statement.replace(/\$(\d+)|\?/g, (_, place?: string) => literal(parameters[place === undefined ? next++ : Number(place) - 1]));
}
