/** The costliest values of one dimension, each with its share of the whole as a figure and a bar; a click leads to its calls. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Filters, RangeSearch } from '../app/page-search.ts';
import { ShareBar } from './share-bar.tsx';
import { UsageCost, type Summed } from './usage-cost.tsx';
import { percent, shortCount } from '../shown/amounts.ts';

interface TopRow extends Summed {
  /** Null: calls without such a name. */
  readonly name: string | null;
  readonly shown: string;
}

export function TopList({
  rows,
  whole,
  empty,
  search,
}: {
  readonly rows: readonly TopRow[];
  /** The whole that a share is of; undefined: not known yet. */
  readonly whole: number | undefined;
  readonly empty: string;
  readonly search: (name: string) => Filters & RangeSearch;
}) {
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  }
  return (
    <Stack gap={2} component="ol" style={{ listStyle: 'none', padding: 0, margin: 0 }}>
      {rows.map((row) => (
        <li key={JSON.stringify(row.name)} className="share">
          <ShareBar part={Number(row.cost)} of={whole} />
          <Group justify="space-between" wrap="nowrap" gap="sm">
            {row.name === null ? (
              <Text size="sm" c="dimmed" className="clip">
                {row.shown}
              </Text>
            ) : (
              <Anchor component={Link} to="/calls" search={search(row.name) as never} size="sm" className="clip plain" title={row.shown}>
                {row.shown}
              </Anchor>
            )}
            <Group gap="sm" wrap="nowrap">
              <Text size="xs" c="dimmed" visibleFrom="xs" className="nowrap">
                {shortCount(row.calls)} {row.calls === 1 ? 'call' : 'calls'}
              </Text>
              <Text size="sm" fw={550} component="span">
                <UsageCost of={row} />
              </Text>
              <Text size="xs" c="dimmed" w={38} ta="right" component="span">
                {whole === undefined ? ' ' : percent(Number(row.cost), whole)}
              </Text>
            </Group>
          </Group>
        </li>
      ))}
    </Stack>
  );
}
