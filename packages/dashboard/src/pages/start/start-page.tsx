/**
 * From nothing to the first metered call: a provider key with a test call, a service key, settings to paste. The page watches for the first
 * call and reports when it has come.
 */
import { Alert, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Check, PartyPopper } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { KeyForm, type MintedKey } from '../../parts/key-form.tsx';
import { SecretOnce } from '../../parts/copying.tsx';
import { Page } from '../../parts/page.tsx';
import { ProviderSetup } from '../../parts/provider-setup.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Money, Moment } from '../../shown/figures.tsx';
import { Snippets } from './snippets.tsx';

export function StartPage() {
  const [made, setMade] = useState<MintedKey | null>(null);
  const admin = useMay('admin');
  const member = useMay('member');
  const product = api.useQuery('get', '/platform/v1/product', {}, { staleTime: Infinity });
  const providers = api.useQuery('get', '/platform/v1/providers', {}, { enabled: admin });
  const calls = api.useQuery(
    'get',
    '/platform/v1/calls',
    { params: { query: { limit: 1 } } },
    {
      refetchInterval: ({ state }) => (state.data?.data.length === 0 ? 1_000 : false),
    },
  );
  const connected = providers.data?.data.some(({ state }) => state === 'connected') ?? false;
  const first = calls.data?.data[0];
  return (
    <Page title="Get started" about="Three steps to the first metered call.">
      <Stack gap="md" maw={880}>
        {admin ? (
          <Step at={1} title="Connect a provider key" done={connected}>
            <Loaded of={providers} height={120}>
              {({ data }) => <ProviderSetup connections={data} sandbox={product.data?.sandbox === true} />}
            </Loaded>
          </Step>
        ) : null}
        {member ? (
          <Step at={admin ? 2 : 1} title="Make a service key" done={made !== null}>
            {made === null ? <KeyForm onMade={setMade} /> : <SecretOnce secret={made.key} name="service key" />}
          </Step>
        ) : null}
        <Step at={admin ? 3 : member ? 2 : 1} title="Point your client at the gateway" done={first !== undefined}>
          <Loaded of={product} height={240}>
            {({ gatewayUrl }) => <Snippets gatewayUrl={gatewayUrl} serviceKey={made?.key ?? null} />}
          </Loaded>
        </Step>
        <FirstCall call={first} />
      </Stack>
    </Page>
  );
}

function Step({
  at,
  title,
  done,
  children,
}: {
  readonly at: number;
  readonly title: string;
  readonly done: boolean;
  readonly children: ReactNode;
}) {
  return (
    <section className="panel">
      <Group className="panel-head" gap="sm">
        <ThemeIcon size={26} radius="xl" variant={done ? 'filled' : 'default'}>
          {done ? (
            <Check size={15} aria-label="done" />
          ) : (
            <Text span fz="xs" fw={700}>
              {at}
            </Text>
          )}
        </ThemeIcon>
        <Title order={2} fz="md">
          {title}
        </Title>
      </Group>
      <div style={{ padding: '1rem' }}>{children}</div>
    </section>
  );
}

interface SeenCall {
  readonly id: string;
  readonly startedAt: string;
  readonly cost: string | null;
  readonly [field: string]: unknown;
}

function FirstCall({ call }: { readonly call: SeenCall | undefined }) {
  if (call === undefined) {
    return (
      <Alert
        variant="light"
        color="gray"
        title="Waiting for the first call"
        role="status"
        styles={{ title: { color: 'var(--mantine-color-text)' }, message: { color: 'var(--mantine-color-dimmed)' } }}>
        Send one with the settings above. It shows up here within a second of its answer.
      </Alert>
    );
  }
  return (
    <Alert
      variant="light"
      color="tide"
      icon={<PartyPopper size={18} aria-hidden />}
      title="A call came through"
      role="status"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}>
      <Text size="sm">
        {String(call['model'] ?? 'A call without a model')}, <Moment at={call.startedAt} relative />,{' '}
        <Money amount={call.cost} none="cost unknown" />.{' '}
        <Link to="/calls" search={{ call: call.id }}>
          Look at it
        </Link>{' '}
        or go to the <Link to="/">overview</Link>. Next:{' '}
        <Link to="/caps" search={{ new: 'cap' }}>
          set a cap
        </Link>
        .
      </Text>
    </Alert>
  );
}
