/**
 * The name of the upstream that a record leads to, as the engines read it in its path: what `upstreamNameOf` reads there. Decision 150.
 */
import { upstreamNameForm } from '@metergate/core/call/named-upstream.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Engine } from './engine.ts';

/** Null for any other path. `path`: the column. */
export function upstreamInPath(kind: Engine['kind'], path: RawBuilder<unknown>): RawBuilder<unknown> {
  if (kind === 'postgres') return sql`substring(${path} from '^/upstreams/([a-z0-9-]{1,32})/')`;
  const end = sql`instr(substr(${path}, 12), '/')`;
  const name = sql`substr(${path}, 12, ${end} - 1)`;
  return sql`case when substr(${path}, 1, 11) = '/upstreams/' and ${end} between 2 and 33 and ${name} not glob '*[^a-z0-9-]*' then ${name} end`;
}

/** Whether the path leads to the upstream of this name. */
export function leadsTo(name: string, path: RawBuilder<unknown>): RawBuilder<boolean> {
  if (!upstreamNameForm.test(name)) return sql<boolean>`1 = 0`;
  const prefix = `/upstreams/${name}/`;
  return sql<boolean>`substr(${path}, 1, ${sql.lit(prefix.length)}) = ${prefix}`;
}
