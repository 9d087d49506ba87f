/** The overview of the organization's calls: over time, compared with the period before, and what cost the most. */
import { Button, Group, SimpleGrid } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { useMemo } from 'react';
import type { OverviewSearch } from '../../app/page-search.ts';
import { Page, Panel } from '../../parts/page.tsx';
import { RangePicker } from '../../parts/range-picker.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { rangeOf } from '../../shown/ranges.ts';
import { CapsNear } from './caps-near.tsx';
import { OverTime } from './over-time.tsx';
import { useOverview } from './overview-data.ts';
import { Stats } from './stats.tsx';
import { TopPanel } from './top-panel.tsx';

const route = getRouteApi('/shell/');

export function OverviewPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: Partial<OverviewSearch>): void =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false });
  const range = useMemo(() => rangeOf(search, Date.now()), [search.range, search.since, search.until]);
  const overview = useOverview(range);
  return (
    <Page
      title="Overview"
      actions={
        <Group gap="xs">
          <RangePicker range={range} onChange={set} />
        </Group>
      }>
      <Loaded of={overview} height={560}>
        {(data) =>
          data.total.calls === 0 && data.before.calls === 0 ? (
            <Panel>
              <Nothing
                icon={Activity}
                title="No call in this time"
                action={
                  <Button component={Link} to="/start">
                    Send the first call
                  </Button>
                }>
                Once calls go through the gateway, what they cost and who made them is here.
              </Nothing>
            </Panel>
          ) : (
            <>
              <Stats overview={data} range={range} />
              <OverTime overview={data} />
            </>
          )
        }
      </Loaded>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <TopPanel by="model" title="Models" range={range} />
        <TopPanel by="project" title="Projects" range={range} />
        <TopPanel by="key" title="Service keys" range={range} />
        <TopPanel by="label" title="Labels" range={range} />
        <TopPanel by="run" title="Runs" range={range} />
        <CapsNear />
      </SimpleGrid>
    </Page>
  );
}
