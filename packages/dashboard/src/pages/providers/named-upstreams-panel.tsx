/** The upstreams that an organization declares by name, reached by their own clients under /upstreams/NAME. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ask, type Shown } from '../../api/client.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { authNames, dialectNames } from '../../shown/upstream-words.ts';
import { NamedUpstreamForm, upstreamChanges as changes } from './named-upstream-form.tsx';
import { namedUpstreamsQuery } from './providers-asks.ts';

type NamedUpstream = Shown<'NamedUpstream'>;

export function NamedUpstreamsPanel({ gatewayUrl }: { readonly gatewayUrl: string }) {
  const upstreams = useQuery(namedUpstreamsQuery);
  const [declaring, form] = useDisclosure(false);
  return (
    <Panel
      title="Upstreams by name"
      about={`Calls to ${gatewayUrl}/upstreams/NAME go to the address of that name, with what follows it: each provider by its own clients.`}>
      <Loaded of={upstreams} height={120}>
        {({ data }) => (
          <Stack>
            {data.map((upstream) => (
              <Declared key={upstream.name} upstream={upstream} />
            ))}
            {data.length === 0 ? <Text size="sm" c="dimmed">None is declared.</Text> : null}
            {declaring ? (
              <NamedUpstreamForm onClose={form.close} />
            ) : (
              <Group justify="flex-end">
                <Button variant="default" onClick={form.open}>
                  Declare an upstream…
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

function Declared({ upstream }: { readonly upstream: NamedUpstream }) {
  const { name, url, enabled, version } = upstream;
  const removal = useQuestion();
  const params = { path: { name } };
  const switching = useDoing({
    run: () => enabled ? ask.POST('/platform/v1/upstreams/{name}/disable', { params })
      : ask.POST('/platform/v1/upstreams/{name}/enable', { params: { ...params, query: { version } } }),
    done: enabled ? `${name} is disabled.` : `${name} is enabled.`,
    changes,
  });
  const removing = useDoing({
    run: () => ask.DELETE('/platform/v1/upstreams/{name}', { params }),
    done: `${name} is removed.`,
    changes,
    after: removal.close,
  });
  return (
    <Group justify="space-between" align="flex-start">
      <div>
        <Text fw={600}>{name}</Text>
        <Text className="mono wrap" size="sm">
          {url}
        </Text>
        <State upstream={upstream} />
      </div>
      <Group gap="xs">
        <Button
          variant="default"
          size="compact-md"
          aria-label={`${enabled ? 'Disable' : 'Enable'} ${name}`}
          loading={switching.isPending}
          onClick={() => switching.mutate(undefined)}>
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button
          variant="subtle"
          color="red"
          c="var(--bad)"
          size="compact-md"
          aria-label={`Remove ${name}…`}
          onClick={removal.open}>
          Remove…
        </Button>
      </Group>
      <Confirm of={removal} title={`Remove ${name}?`} act="Remove" doing={removing}>
        The declaration and its credential are destroyed. Calls to it get 404.
      </Confirm>
    </Group>
  );
}

function State({ upstream: { enabled, auth, hasCredential, state, dialect, provider, pricedAs } }: { readonly upstream: NamedUpstream }) {
  const prices = pricedAs === null ? 'Prices: none in the list' : `Prices: ${pricedAs}${provider === null ? ', by its host' : ''}`;
  return (
    <Group gap="xs" mt={4}>
      {enabled ? <StateBadge means="good">Enabled</StateBadge> : <StateBadge means="none">Disabled</StateBadge>}
      {state === 'unreadable' ? <StateBadge means="bad">Credential cannot be read</StateBadge> : null}
      {state !== 'unreadable' && !hasCredential && auth !== 'none' ? <StateBadge means="warn">Without a credential</StateBadge> : null}
      <StateBadge means="none">{authNames[auth]}</StateBadge>
      <StateBadge means="none">{dialect === null ? 'Dialect by its paths' : `Dialect: ${dialectNames[dialect]}`}</StateBadge>
      <StateBadge means="none">{prices}</StateBadge>
    </Group>
  );
}
