/**
 * The overview of the organization's calls: over time, compared with the period before, and what cost the most. Time, filters, grouping and the
 * drawn figure are in the address. With a filter it is computed from usage by day, which has no latency, errors or refusals.
 */
import { Button, Group, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { chosenFilters, type Filters, type OverviewSearch } from '../../app/page-search.ts';
import { FilterOnDemand } from '../../parts/filter-on-demand.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { RangeOnPaper, RangePicker } from '../../parts/range-picker.tsx';
import { RecordsGone } from '../../parts/records-gone.tsx';
import { Coming, Loaded, Nothing } from '../../parts/states.tsx';
import { comparedTime } from '../../shown/comparison.ts';
import { comparedSpans, type Range } from '../../shown/ranges.ts';
import { CapsNear } from './caps-near.tsx';
import { comparedQuery, filteredQuery, overviewQuery, overviewRange, refusalsQuery, topPanels, type OverviewData } from './overview-data.ts';
import { Grouped } from './grouped-on-demand.ts';
import { OverTime } from './over-time.tsx';
import { RefusedPanel } from './refused-panel.tsx';
import { Stats, type ComparedFigures } from './stats.tsx';
import { TopPanel } from './top-panel.tsx';
import { usedTogether } from './used-figures.ts';

const route = getRouteApi('/shell/');
const none: Filters = {};

export function OverviewPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: Partial<OverviewSearch>): void =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false });
  const range = useMemo(() => overviewRange(search), [search.range, search.since, search.until]);
  const filters = chosenFilters(search);
  const filtered = Object.keys(filters).length > 0;
  const nothing = useNothingIn(range, filters, filtered);
  return (
    <Page
      title="Overview"
      actions={
        <Group gap="xs">
          <FilterOnDemand filters={filters} onChange={set} />
          <RangePicker range={range} onChange={set} />
        </Group>
      }>
      <RangeOnPaper range={range} />
      <RecordsGone sinceMs={range.sinceMs} />
      {filtered ? <OfSome range={range} filters={filters} /> : <OfAll range={range} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} className="halves">
        {nothing ? null : topPanels.map(({ by, title }) => (
          <TopPanel key={by} by={by} title={title} range={range} filters={filters} />
        ))}
        {filtered ? null : <RefusedPanel range={range} />}
        {filtered ? null : <CapsNear />}
      </SimpleGrid>
    </Page>
  );
}

/** Whether it is known that no call is in the range. Then no list of it has anything to say. */
function useNothingIn(range: Range, filters: Filters, filtered: boolean): boolean {
  const all = useQuery({ ...overviewQuery(range), enabled: !filtered });
  const some = useQuery({ ...filteredQuery(range, filters), enabled: filtered });
  return filtered ? some.data?.data.length === 0 : all.data?.total.calls === 0;
}

function OfAll({ range }: { readonly range: Range }) {
  const { by } = route.useSearch();
  const overview = useQuery(overviewQuery(range));
  const refusals = useQuery(refusalsQuery(range));
  return (
    <Loaded of={overview} height={560}>
      {(data) =>
        data.total.calls === 0 && data.before.calls === 0 ? (
          <NoCall>Once calls go through the gateway, this page shows what they cost and who made them.</NoCall>
        ) : (
          <>
            <Stats now={data.total} compared={comparedIn(data)} range={range} filters={none} whole={{ overview: data, refusals: refusals.data }} />
            {by === undefined ? (
              <OverTime overview={data} refusals={refusals.data} />
            ) : (
              <Grouped waiting={<Coming height={320} />} range={range} filters={none} />
            )}
          </>
        )
      }
    </Loaded>
  );
}

function comparedIn({ since, until, comparison }: OverviewData): ComparedFigures {
  if (comparison === null) return 'gone';
  return { now: comparison.total, before: comparison.before, time: comparedTime({ since, until, comparison }) };
}

/** The figures of the calls that pass the filters. */
function OfSome({ range, filters }: { readonly range: Range; readonly filters: Filters }) {
  const now = useQuery(filteredQuery(range, filters));
  const compared = useFilteredComparison(range, filters);
  return (
    <Loaded of={now} height={560}>
      {({ data }) =>
        data.length === 0 ? (
          <NoCall>No call in this time range matches the filters.</NoCall>
        ) : (
          <>
            <Stats now={usedTogether(data)} compared={compared} range={range} filters={filters} whole={null} />
            <Grouped waiting={<Coming height={320} />} range={range} filters={filters} />
          </>
        )
      }
    </Loaded>
  );
}

function useFilteredComparison(range: Range, filters: Filters): ComparedFigures {
  const spans = comparedSpans(range, Date.now());
  const [now, before] = [useQuery(comparedQuery(spans.now, filters)), useQuery(comparedQuery(spans.before, filters))];
  if (now.data === undefined || before.data === undefined) return 'coming';
  if (before.data.recordsGoneBefore !== null) return 'gone';
  return { now: usedTogether(now.data.data), before: usedTogether(before.data.data), time: { ...range, comparedUntilMs: spans.now.untilMs } };
}

function NoCall({ children }: { readonly children: ReactNode }) {
  return (
    <Panel>
      <Nothing
        icon={Activity}
        title="No call in this time"
        action={
          <Button component={Link} to="/start">
            Send the first call
          </Button>
        }>
        {children}
      </Nothing>
    </Panel>
  );
}
