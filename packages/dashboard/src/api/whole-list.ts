/** Lists that a page shows whole: the pages of the answer are asked for one after the other, so that nothing is cut without a word. */
import { queryOptions } from '@tanstack/react-query';
import { ask } from './client.ts';
import type { paths } from './schema.ts';

type ListPath =
  | '/platform/v1/keys' | '/platform/v1/caps' | '/platform/v1/members' | '/platform/v1/invitations' | '/platform/v1/usage'
  | '/platform/v1/statements/rows';
type Answer<Path extends ListPath> = paths[Path]['get']['responses'][200]['content']['application/json'];
type Row<Path extends ListPath> = Answer<Path>['data'][number];
type Filters<Path extends ListPath> = Omit<NonNullable<paths[Path]['get']['parameters']['query']>, 'limit' | 'cursor'>;

/** As many rows as one answer has. */
const limit = 1_000;

export function wholeListQuery<Path extends ListPath>(path: Path, filters?: Filters<Path>) {
  return queryOptions({ queryKey: ['get', path, 'whole', filters ?? null], queryFn: ({ signal }) => wholeList(path, filters, signal) });
}

/** All rows, with what the last answer says beside them. @throws Refused as a single request does; then nothing is shown. */
export async function wholeList<Path extends ListPath>(path: Path, filters?: Filters<Path>, signal?: AbortSignal) {
  const rows: Row<Path>[] = [];
  let cursor: string | null | undefined;
  let last: Answer<Path>;
  do {
    const query = { ...filters, limit, cursor };
    const page = (await ask.GET(path as '/platform/v1/keys', { params: { query: query as never }, signal: signal ?? null })).data!;
    rows.push(...(page.data as unknown as Row<Path>[]));
    cursor = page.nextCursor;
    last = page as unknown as Answer<Path>;
  } while (cursor !== null && cursor !== undefined);
  return { ...last, data: rows as readonly Row<Path>[] };
}
