/** How far the figures of each organization are proved by its records, and what was found that is not. Decision 207. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const figureProofs: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? ['text', 'integer'] : ['text collate "C"', 'bigint'];
  const end = engine === 'sqlite' ? ' strict' : '';
  const run = (statement: string) => sql.raw(statement).execute(transaction);
  await run(`create table figure_proof (organization ${text} not null primary key, chain_through ${whole} not null, proved_ms ${whole},
    whole_ms ${whole}, looked_ms ${whole} not null)${end}`);
  await run(`create table figure_difference (organization ${text} not null, kind ${text} not null, place ${text} not null,
    kept ${text} not null, derived ${text} not null, found_ms ${whole} not null, mended_ms ${whole},
    primary key (organization, kind, place))${end}`);
};
