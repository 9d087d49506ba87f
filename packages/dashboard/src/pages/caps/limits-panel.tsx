/** The plan's rate limits. */
import { Anchor, Group, Text } from '@mantine/core';
import { api } from '../../api/client.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { wholeCount } from '../../shown/amounts.ts';

export function LimitsPanel() {
  const limits = api.useQuery('get', '/platform/v1/limits', {}, { staleTime: 60_000 });
  return (
    <Panel title="Rate limits" about="Throughput, never money: for every key, and for the whole organization.">
      <Loaded of={limits} height={60}>
        {({ requestsPerMin, tokensPerMin, tier, note }) => (
          <Group gap="xl">
            <Figure name="Plan" value={tier} />
            {requestsPerMin === null ? null : <Figure name="Requests per minute" value={wholeCount(requestsPerMin)} />}
            {tokensPerMin === null ? null : <Figure name="Tokens per minute" value={wholeCount(tokensPerMin)} />}
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

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={600} tt={name === 'Plan' ? 'capitalize' : undefined}>
        {value}
      </Text>
    </div>
  );
}
