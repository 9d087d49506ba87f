/** A long list, newest first, read a page at a time. */
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';

interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

interface LongList<Row> {
  readonly path: string;
  readonly filters?: object;
  readonly page: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>;
  /** Milliseconds after which it is read again; absent: never by itself. */
  readonly againMs?: number;
}

export function longListQuery<Row>({ path, filters = {}, page, againMs }: LongList<Row>) {
  return infiniteQueryOptions({
    queryKey: ['get', path, 'pages', filters],
    initialPageParam: undefined as string | undefined,
    refetchInterval: againMs ?? false,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) => page(pageParam, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}
