/** The costliest values of one dimension in a range. */
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { chosenFilters, type Filters } from '../../app/page-search.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { TopList } from '../../parts/top-list.tsx';
import type { ShownCall } from '../../shown/call-record.ts';
import { wordsFor } from '../../shown/choices.ts';
import { useKeyNames } from '../../shown/key-names.ts';
import { providerNames } from '../../shown/provider-names.ts';
import { isoOf, type Range } from '../../shown/ranges.ts';
import { topQuery, topShown, wholeBy, type TopBy } from './overview-data.ts';

const withoutName: Readonly<Record<TopBy, string>> = {
  model: 'without a model',
  project: 'without a project',
  key: 'without a key',
  label: 'without a label',
  run: 'without a run',
  wire: 'without a provider',
};
const wires = { ...providerNames, upstream: 'Declared upstream' } satisfies Record<ShownCall['wire'], string>;

interface TopPanelProps {
  readonly by: TopBy;
  readonly title: string;
  readonly range: Range;
  readonly filters: Filters;
}

export function TopPanel({ by, title, range, filters }: TopPanelProps) {
  const names = useKeyNames();
  const usage = useQuery(topQuery(by, range, filters));
  const whole = useQuery(topQuery(wholeBy, range, filters));
  const same = { ...(range.name === 'custom' ? isoOf(range) : { range: range.name }), ...chosenFilters(filters) };
  const shown = (name: string): string => (by === 'key' ? (names.get(name) ?? name) : by === 'wire' ? wordsFor(wires, name) : name);
  return (
    <Panel
      title={title}
      actions={
        <Anchor component={Link} to="/explore" search={{ by, ...same } as never} size="xs">
          All {title.toLowerCase()}
        </Anchor>
      }>
      <Loaded of={usage} height={180}>
        {({ data }) => (
          <TopList
            empty="Nothing in this time."
            whole={whole.data?.data.reduce((sum, { cost }) => sum + Number(cost), 0)}
            search={(name) => ({ ...same, [by]: name })}
            rows={data.slice(0, topShown).map((row) => {
              const name = (row[by] as string | null | undefined) ?? null;
              return { ...row, name, shown: name === null ? withoutName[by] : shown(name) };
            })}
          />
        )}
      </Loaded>
    </Panel>
  );
}
