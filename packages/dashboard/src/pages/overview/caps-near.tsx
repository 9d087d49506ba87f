/** The caps that are closest to their limits; nothing where no cap is set. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { capsQuery } from '../../api/asked-often.ts';
import type { Shown } from '../../api/client.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Money, Moment } from '../../shown/figures.tsx';
import { useKeyNames } from '../../shown/key-names.ts';
import { CapBadge, CapSubject, Spent } from '../caps/cap-facts.tsx';
import { byNearness, foreseen, share } from '../caps/cap-share.ts';

export function CapsNear() {
  const names = useKeyNames();
  const caps = useQuery(capsQuery);
  if (caps.data?.data.length === 0) return null;
  return (
    <Panel
      title="Caps nearest to their limit"
      actions={
        <Anchor component={Link} to="/caps" size="xs">
          All caps
        </Anchor>
      }>
      <Loaded of={caps} height={180}>
        {({ data }) => (
          <Stack gap="sm">
            {data
              .toSorted(byNearness)
              .slice(0, 4)
              .map((cap) => (
                <div key={cap.id}>
                  <Group justify="space-between" mb={2}>
                    <Text size="sm" component="div">
                      <CapSubject cap={cap} names={names} />, {cap.window}
                    </Text>
                    <CapBadge of={cap} />
                  </Group>
                  <Spent of={cap} />
                  <Reached of={cap} />
                </div>
              ))}
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

/** The time it will be reached, at the pace of the last seven days. */
function Reached({ of: cap }: { readonly of: Shown<'Cap'> }) {
  if (share(cap) >= 1) return null;
  const at = foreseen(cap, Date.now());
  return (
    <Text size="xs" c="dimmed" component="div">
      {at === null ? (
        'Not reached at the pace of the last seven days'
      ) : (
        <>
          Reached{' '}
          <Text span inherit className="warn">
            <Moment at={at} relative />
          </Text>{' '}
          at <Money amount={cap.pacePerDay} /> a day
        </>
      )}
    </Text>
  );
}
