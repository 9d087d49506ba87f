/** What other rules would have moved from team to team in a month. */
import { Stack, Text } from '@mantine/core';
import type { Shown } from '../../api/client.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { shortDollars } from '../../shown/amounts.ts';
import { Money } from '../../shown/figures.tsx';
import { monthTitle } from '../../shown/months.ts';

type Trial = Shown<'AllocationTrial'>;
type Team = Trial['teams'][number];

export function TriedRules({ of: { month, teams, moved, adjustedCost } }: { readonly of: Trial }) {
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        In {monthTitle(month)} they would have moved <b>{shortDollars(moved)}</b> of {shortDollars(adjustedCost)} to another team. Nothing is
        saved yet.
      </Text>
      {teams.length === 0 ? null : (
        <DataTable<Team>
          caption="What each team would have paid"
          rows={teams}
          rowId={({ team }) => JSON.stringify(team)}
          columns={columns}
          minWidth={420}
        />
      )}
    </Stack>
  );
}

const columns: readonly Column<Team>[] = [
  { id: 'team', head: 'Team', sortBy: ({ team }) => team ?? '', cell: ({ team }) => <span className="wrap strong">{team ?? 'unallocated'}</span> },
  { id: 'before', head: 'Now', right: true, sortBy: ({ before }) => Number(before ?? 0), cell: ({ before }) => <Money amount={before} none="–" /> },
  {
    id: 'after', card: 'money', head: 'By these rules', right: true, sortBy: ({ after }) => Number(after ?? 0),
    cell: ({ after }) => <Money amount={after} none="–" />,
  },
  { id: 'moved', head: 'Moved', right: true, sortBy: ({ moved }) => Number(moved), cell: ({ moved }) => <Money amount={moved} /> },
];
