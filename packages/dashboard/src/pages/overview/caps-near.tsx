/** The caps that are closest to their limits. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useKeyNames } from '../../shown/key-names.ts';
import { CapState, CapSubject, share, Spent } from '../caps/cap-columns.tsx';

export function CapsNear() {
  const names = useKeyNames();
  const caps = api.useQuery('get', '/platform/v1/caps', { params: { query: { limit: 1_000 } } });
  return (
    <Panel
      title="Closest to their limit"
      actions={
        <Anchor component={Link} to="/caps" size="xs">
          All caps
        </Anchor>
      }>
      <Loaded of={caps} height={180}>
        {({ data }) =>
          data.length === 0 ? (
            <Text size="sm" c="dimmed">
              No cap is set.{' '}
              <Link to="/caps" search={{ new: 'cap' }}>
                Set one
              </Link>
            </Text>
          ) : (
            <Stack gap="sm">
              {data
                .toSorted((one, other) => share(other) - share(one))
                .slice(0, 4)
                .map((cap) => (
                  <div key={cap.id}>
                    <Group justify="space-between" mb={2}>
                      <Text size="sm" component="div">
                        <CapSubject cap={cap} names={names} />, {cap.window}
                      </Text>
                      <CapState of={cap} />
                    </Group>
                    <Spent of={cap} />
                  </div>
                ))}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}
