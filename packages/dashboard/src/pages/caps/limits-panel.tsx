/** The plan's rate limits. */
import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Figure } from '../../parts/figure.tsx';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { wholeCount } from '../../shown/amounts.ts';
import { limitsQuery } from './caps-asks.ts';

export function LimitsPanel() {
  const limits = useQuery(limitsQuery);
  return (
    <Panel title="Rate limits" about="Throughput, not money: for every key, and for the whole organization.">
      <Loaded of={limits} height={60}>
        {({ requestsPerMin, tokensPerMin, tier, note }) => (
          <Group gap="xl">
            <Figure name="Plan">
              <Text span inherit tt="capitalize">
                {tier}
              </Text>
            </Figure>
            {requestsPerMin === null ? null : <Figure name="Requests per minute">{wholeCount(requestsPerMin)}</Figure>}
            {tokensPerMin === null ? null : <Figure name="Tokens per minute">{wholeCount(tokensPerMin)}</Figure>}
            {note === null ? null : (
              <Text size="sm" c="dimmed">
                {note}
              </Text>
            )}
            <Anchor href="/limits" size="sm">
              How they work
            </Anchor>
          </Group>
        )}
      </Loaded>
    </Panel>
  );
}
