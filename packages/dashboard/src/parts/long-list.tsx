/** The rows of a long list so far, and the button for older ones. */
import { Button, Center } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { longListQuery } from './long-list-query.ts';

/** `of`: what `longListQuery` made. */
export function useLongList<Row>(of: ReturnType<typeof longListQuery<Row>>) {
  const list = useInfiniteQuery(of);
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
