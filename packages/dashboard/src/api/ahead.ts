/**
 * Requests sent ahead of the script that shows their answers: a page says here what it will ask for, so that its data and its script come side by
 * side. The answers wait in the cache, where the page's own hooks find them.
 */
import type { FetchInfiniteQueryOptions, FetchQueryOptions } from '@tanstack/react-query';
import { queries } from './client.ts';

/** A request as the hooks take it, of one answer or of a list that is read by pages. */
export interface AskedAhead {
  readonly queryKey: readonly unknown[];
  readonly initialPageParam?: unknown;
}

/** Sends those whose answers are not here. What fails is asked again by the page, which shows the fault. */
export function askAhead(asked: readonly AskedAhead[]): void {
  for (const each of asked) {
    if (queries.getQueryData(each.queryKey) !== undefined) continue;
    void ('initialPageParam' in each
      ? queries.prefetchInfiniteQuery(each as FetchInfiniteQueryOptions)
      : queries.prefetchQuery(each as FetchQueryOptions));
  }
}
