/** Usage by one or two dimensions, with any filter, as a table and a chart; it can be saved as a file and as a view. */
import { Button, Group, NativeSelect, SegmentedControl, Switch, Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { BarChart3 } from 'lucide-react';
import { useMemo } from 'react';
import { chosenFilters, type ExploreSearch } from '../../app/page-search.ts';
import { useMay } from '../../app/session.ts';
import { FilterOnDemand } from '../../parts/filter-on-demand.tsx';
import { dimensionNames } from '../../parts/dimension-names.ts';
import { Page, Panel } from '../../parts/page.tsx';
import { Refused, sentenceOf } from '../../api/client.ts';
import { FormFault } from '../../parts/form-fault.tsx';
import { RangeOnPaper, RangePicker } from '../../parts/range-picker.tsx';
import { RecordsGone } from '../../parts/records-gone.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { wholeCount } from '../../shown/amounts.ts';
import { useKeyNames } from '../../shown/key-names.ts';
import { utcMoment } from '../../shown/moments.ts';
import { timeBefore } from '../../shown/ranges.ts';
import { dimensionsFor, exploreRange, groupingIn, largestOf } from './explore-asks.ts';
import { ExploreChart, type Charted } from './explore-chart.tsx';
import { ExploreTable } from './explore-table.tsx';
import {
  exploredQuery, fileAddress, metrics, useEveryRow, type Explored, type Metric, type UsageQuestion, type UsageTotal,
} from '../../parts/usage-rows.ts';
import { besideBeforeQuery, mayCompare, rangesCompared, type BesideBefore } from './time-before.ts';
import { SavedViewsMenu } from './saved-views.tsx';
import { SaveFile } from './save-file.tsx';

const route = getRouteApi('/shell/explore');
export function ExplorePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: Partial<ExploreSearch>): void =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false });
  const chosen = useMemo(() => exploreRange(search), [search.range, search.since, search.until]);
  const dimensions = dimensionsFor(useMay('admin'));
  const choices = dimensions.map((value) => ({ value, label: dimensionNames[value] }));
  const { by, and, metric, compares } = groupingIn(search, dimensions);
  const filters = useMemo(() => chosenFilters(search), [JSON.stringify(chosenFilters(search))]);
  const compared = useMemo(() => rangesCompared(chosen, Date.now()), [chosen]);
  const range = compares ? compared.now : chosen;
  const question = useMemo(() => ({ by, and, range, filters }), [by, and, range, filters]);
  const beside = useQuery({ ...besideBeforeQuery(question, compared.before), enabled: compares });
  const explored = useQuery({ ...exploredQuery(question, largestOf(question, metric)), enabled: !compares });
  const every = useEveryRow(question);
  const names = useKeyNames();
  const asked = compares ? beside : explored;
  const isEmpty = asked.data?.rows.length === 0;
  return (
    <Page
      title="Explore"
      about="Usage by one dimension or two."
      actions={<SavedViewsMenu search={search} onOpen={(view) => void navigate({ search: view })} />}>
      <Group gap="xs">
        <RangePicker range={chosen} onChange={set} />
        <NativeSelect
          size="xs"
          w={120}
          aria-label="By"
          data={choices}
          value={by}
          onChange={({ currentTarget }) => set({ by: currentTarget.value })}
        />
        <NativeSelect
          size="xs"
          w={130}
          aria-label="And by"
          data={[{ value: '', label: 'and by…' }, ...choices.filter(({ value }) => value !== by)]}
          value={and ?? ''}
          onChange={({ currentTarget: { value } }) => set({ and: value === '' ? undefined : value })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Figure"
          data={metrics.map(({ value, label }) => ({ value, label }))}
          value={metric}
          onChange={(next) => set({ metric: next })}
        />
        <FilterOnDemand filters={search} onChange={set} />
        {mayCompare({ by, and }) ? (
          <Switch
            size="xs"
            label="Beside the time before"
            checked={compares}
            onChange={(event) => set({ beside: event.currentTarget.checked ? 'before' : undefined })}
          />
        ) : null}
      </Group>
      {compares ? (
        <Text size="sm" c="dimmed">
          {utcMoment(new Date(range.sinceMs))} to {utcMoment(new Date(range.untilMs))}, beside {timeBefore(range)}
        </Text>
      ) : <RangeOnPaper range={range} />}
      <RecordsGone sinceMs={compares ? compared.before.sinceMs : range.sinceMs} />
      {compares ? null : <FileInstead fault={explored.error} question={question} />}
      {isEmpty ? null : (
        <ExploreChart {...question} {...{ metric, names }} given={compares ? null : chartOf(explored, metric)} alone={asked.data === undefined} />
      )}
      <Loaded of={asked} height={480}>
        {({ rows, total, before }: Partial<BesideBefore> & Pick<BesideBefore, 'rows' | 'total'>) =>
          rows.length === 0 ? (
            <Panel>
              <Nothing
                icon={BarChart3}
                title="No usage in this time"
                action={
                  <Button variant="default" onClick={() => set({ range: '90d' })}>
                    Look at 90 days
                  </Button>
                }>
                Change the time or the filters.
              </Nothing>
            </Panel>
          ) : (
            <Panel
              flush
              title={rowsTitle(compares ? rows : (every.data ?? rows), total)}
              actions={
                <Group gap="xs">
                  {!compares && (every.data ?? rows).length < total.rows ? (
                    <Button size="compact-sm" variant="default" loading={every.isFetching} onClick={() => void every.refetch()}>
                      Show every row
                    </Button>
                  ) : null}
                  <SaveFile {...{ question, names }} />
                </Group>
              }>
              <FormFault sentence={every.error === null || every.isFetching ? null : sentenceOf(every.error)} />
              <ExploreTable rows={compares ? rows : (every.data ?? rows)} {...{ total, before, question, names }} />
            </Panel>
          )
        }
      </Loaded>
    </Page>
  );
}

/** The chart by this figure, if it came with the rows. While others come it waits for what comes with them. */
function chartOf(
  { data, isPlaceholderData }: Pick<UseQueryResult<Explored>, 'data' | 'isPlaceholderData'>,
  metric: Metric,
): Charted | 'waits' | null {
  if (data?.largest.metric === metric) return { rows: data.largest.rows, total: data.total };
  return data === undefined || isPlaceholderData ? 'waits' : null;
}

/** `12 rows`, or `the costliest 1,000 of 4,212 rows`. */
function rowsTitle({ length }: readonly unknown[], { rows }: UsageTotal): string {
  if (length < rows) return `The costliest ${wholeCount(length)} of ${wholeCount(rows)} rows`;
  return `${wholeCount(length)} ${length === 1 ? 'row' : 'rows'}`;
}

/** What is too long for an answer is not too long for a file. */
function FileInstead({ fault, question }: { readonly fault: unknown; readonly question: UsageQuestion }) {
  if (!(fault instanceof Refused) || fault.status !== 400) return null;
  return (
    <Group gap="xs">
      <Text size="sm">A file has every row, however many there are.</Text>
      <Button size="compact-sm" variant="default" component="a" href={fileAddress(question, 'csv')} download>
        Save as CSV
      </Button>
    </Group>
  );
}
