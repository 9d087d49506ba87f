/** A long list, newest first, read a page at a time: its rows so far, and the button for older ones. */
import { Button, Center } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

export interface LongList<Row> {
  readonly path: string;
  readonly filters?: object;
  readonly page: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>;
  /** Milliseconds after which it is read again; absent: never by itself. */
  readonly againMs?: number;
}

export function useLongList<Row>({ path, filters = {}, page, againMs }: LongList<Row>) {
  const list = useInfiniteQuery({
    queryKey: ['get', path, 'pages', filters],
    initialPageParam: undefined as string | undefined,
    refetchInterval: againMs ?? false,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) => page(pageParam, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  return { list, rows: list.data?.pages.flatMap(({ data }) => data) ?? [] };
}

interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** Nothing where the list is whole. */
export function Older({ of: list, children }: { readonly of: Paged; readonly children: ReactNode }) {
  if (!list.hasNextPage) return null;
  return (
    <Center p="sm">
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {children}
      </Button>
    </Center>
  );
}
