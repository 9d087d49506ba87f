/** Usage by day of a range, and the sums of it and of the range before. */
import { useQuery } from '@tanstack/react-query';
import { ask, type Shown } from '../../api/client.ts';
import { before, isoOf, type Range } from '../../shown/ranges.ts';

export type UsageRow = Shown<'Usage'>;

export interface Sums {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly unknownCalls: number;
  readonly unpricedCalls: number;
}

const none: Sums = { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, unknownCalls: 0, unpricedCalls: 0 };

export function useDays(range: Range) {
  const earlier = before(range);
  return useQuery({
    queryKey: ['get', '/platform/v1/usage', 'days', range.name, range.sinceMs, range.untilMs],
    queryFn: async ({ signal }) => {
      const both = [range, earlier].map(
        async (each) =>
          (await ask.GET('/platform/v1/usage', { params: { query: { by: 'day', limit: 1_000, ...isoOf(each) } }, signal })).data!.data,
      );
      const [days = [], daysBefore = []] = await Promise.all(both);
      return { days, now: days.reduce(added, none), before: daysBefore.reduce(added, none) };
    },
  });
}

function added(sums: Sums, row: UsageRow): Sums {
  return {
    calls: sums.calls + row.calls,
    inputTokens: sums.inputTokens + row.inputTokens,
    outputTokens: sums.outputTokens + row.outputTokens,
    cost: sums.cost + Number(row.cost),
    unknownCalls: sums.unknownCalls + row.unknownCalls,
    unpricedCalls: sums.unpricedCalls + row.unpricedCalls,
  };
}
