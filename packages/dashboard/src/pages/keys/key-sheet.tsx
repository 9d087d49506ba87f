/** One service key: its settings, its last use, and, for those who may read the audit trail, who created and changed it. */
import { Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../app/session.ts';
import { CopyableId } from '../../parts/copying.tsx';
import { Facts, SheetPart } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/states.tsx';
import { auditWords } from '../../shown/audit-words.ts';
import { Money, Moment } from '../../shown/figures.tsx';
import { KeyMenu } from './key-menu.tsx';
import { KeyState, type Key } from './key-state.tsx';
import { keyHistoryQuery } from './keys-asks.ts';

export function KeySheet({ of: key }: { readonly of: Key }) {
  const admin = useMay('admin');
  return (
    <Stack gap="lg">
      <Group justify="space-between" wrap="nowrap">
        <Group gap="xs">
          <Title order={2} className="wrap">
            {key.name ?? 'Unnamed key'}
          </Title>
          <KeyState of={key} />
        </Group>
        <KeyMenu of={key} />
      </Group>
      <Facts
        rows={[
          ['Begins with', <span className="mono">{key.prefix}…</span>],
          ['Id', <CopyableId id={key.id} name="key id" />],
          ['Project', key.project ?? '–'],
          ['Belongs to', key.person ?? 'nobody in particular'],
          ['Models', key.models === null ? 'all that are allowed' : key.models.join(', ')],
          ['Made', <Moment at={key.createdAt} />],
          ['Last used', <Moment at={key.lastUsedAt} none="never" relative />],
          ['Ends', <Moment at={key.revokedAt ?? key.expiresAt} none="does not expire" />],
          ...(key.disabledAt === null ? [] : [['Disabled', <Moment at={key.disabledAt} />] as const]),
          ['A run may declare', key.maxRunBudget === null ? "the organization's policy" : <Money amount={key.maxRunBudget} />],
          [
            'Figures',
            <Group gap="md">
              <Link to="/calls" search={{ key: key.id }}>
                Calls
              </Link>
              <Link to="/explore" search={{ key: key.id, by: 'model' }}>
                Usage by model
              </Link>
            </Group>,
          ],
        ]}
      />
      {admin ? (
        <SheetPart title="Who made and changed it">
          <KeyHistory id={key.id} />
        </SheetPart>
      ) : null}
    </Stack>
  );
}

function KeyHistory({ id }: { readonly id: string }) {
  const events = useQuery(keyHistoryQuery(id));
  return (
    <Loaded of={events} height={80}>
      {({ data }) =>
        data.length === 0 ? (
          <Text size="sm" c="dimmed">
            The audit has nothing about it.
          </Text>
        ) : (
          <Table withTableBorder verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>When</Table.Th>
                <Table.Th>What</Table.Th>
                <Table.Th>Who</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map(({ id, at, action, actor }) => (
                <Table.Tr key={id}>
                  <Table.Td>
                    <Moment at={at} />
                  </Table.Td>
                  <Table.Td>{auditWords(action)}</Table.Td>
                  <Table.Td className="wrap">{actor.name ?? actor.kind}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )
      }
    </Loaded>
  );
}
