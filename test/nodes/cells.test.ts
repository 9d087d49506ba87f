/** Cells as schemas of one PostgreSQL: see `cells-suite.ts`. */
import { describe } from 'node:test';
import { testPostgres } from '@metergate/testkit/postgres.ts';
import { schemaMaking, sql, testCells } from './cells-suite.ts';

describe('gateway nodes on a store of three cells, schemas of one PostgreSQL', () => {
  testCells(async () => {
    const postgres = await testPostgres();
    return {
      cellCount: 2,
      making: schemaMaking,
      createDatabase: () => postgres.createDatabase(),
      // As if the machine that holds it were gone: every statement there fails.
      async takeAway(url, schema) {
        await sql(url, `alter schema ${schema} rename to ${schema}_away`);
        return async () => void await sql(url, `alter schema ${schema}_away rename to ${schema}`);
      },
      stop: () => postgres.stop(),
    };
  });
});
