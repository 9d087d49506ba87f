/** The overview's data from the platform. */
import { keepPreviousData } from '@tanstack/react-query';
import { api, type Shown } from '../../api/client.ts';
import { isoOf, type Range } from '../../shown/ranges.ts';

export type Overview = Shown<'Overview'>;
export type Figures = Overview['total'];

export function useOverview(range: Range) {
  return api.useQuery(
    'get',
    '/platform/v1/overview',
    { params: { query: isoOf(range) } },
    { placeholderData: keepPreviousData, refetchInterval: 30_000 },
  );
}
