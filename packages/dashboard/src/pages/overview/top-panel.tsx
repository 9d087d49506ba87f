/** The costliest of one dimension in a range. */
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { TopList } from '../../parts/top-list.tsx';
import { useKeyNames } from '../../shown/key-names.ts';
import { isoOf, type Range } from '../../shown/ranges.ts';

type By = 'model' | 'project' | 'key' | 'label' | 'run';

export function TopPanel({ by, title, range }: { readonly by: By; readonly title: string; readonly range: Range }) {
  const names = useKeyNames();
  const usage = api.useQuery('get', '/platform/v1/usage', { params: { query: { by, limit: 6, ...isoOf(range) } } });
  const time = range.name === 'custom' ? isoOf(range) : { range: range.name };
  return (
    <Panel
      title={title}
      actions={
        <Anchor component={Link} to="/explore" search={{ by, ...time } as never} size="xs">
          All
        </Anchor>
      }>
      <Loaded of={usage} height={180}>
        {({ data }) => (
          <TopList
            empty="Nothing in this time."
            whole={data.reduce((sum, { cost }) => sum + Number(cost), 0)}
            search={(name) => ({ [by]: name, ...time })}
            rows={data.map((row) => ({
              name: row[by] ?? null,
              shown:
                row[by] === null || row[by] === undefined ? `without a ${by}` : by === 'key' ? (names.get(row[by]!) ?? row[by]!) : row[by]!,
              calls: row.calls,
              cost: row.cost,
            }))}
          />
        )}
      </Loaded>
    </Panel>
  );
}
