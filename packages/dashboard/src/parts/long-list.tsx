/** The rows of a long list so far, and the button for older ones. */
import { Button, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sentenceOf } from '../api/client.ts';
import { FormFault } from './form-fault.tsx';
import type { longListQuery } from './long-list-query.ts';

/** `of`: what `longListQuery` made. */
export function useLongList<Row>(of: ReturnType<typeof longListQuery<Row>>) {
  const list = useInfiniteQuery(of);
  return { list, rows: list.data?.pages.flatMap(({ data }) => data) ?? [] };
}

/** What is known of the rows after those that are shown. */
export interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  /** They were asked for and did not come. */
  readonly isFetchNextPageError: boolean;
  readonly error: unknown;
  readonly fetchNextPage: () => unknown;
}

/** Nothing where the list is whole. */
export function Older({ of: list, children }: { readonly of: Paged; readonly children: ReactNode }) {
  if (!list.hasNextPage) return null;
  return (
    <Stack p="sm" gap="xs" align="center">
      <FormFault sentence={list.isFetchNextPageError ? sentenceOf(list.error) : null} />
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {children}
      </Button>
    </Stack>
  );
}
