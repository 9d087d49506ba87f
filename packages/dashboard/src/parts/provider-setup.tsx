/** Provider keys: connected, replaced, tested and disconnected. A key can be entered but never read back. */
import { Alert, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ask, queries, Refused, type Shown } from '../api/client.ts';
import { Confirm, useQuestion } from './confirm.tsx';
import { useDoing } from './doing.ts';
import { StateBadge } from './state-badge.tsx';

type Connection = Shown<'ListedProviderConnection'>;
const providerNames = { openai: 'OpenAI', anthropic: 'Anthropic' } as const;
const changes = ['/platform/v1/providers'];

export function ProviderSetup({ connections, sandbox }: { readonly connections: readonly Connection[]; readonly sandbox: boolean }) {
  return (
    <Stack gap="lg">
      {sandbox ? (
        <Alert title="Sandbox" styles={{ title: { color: 'var(--warn)' } }}>
          This gateway was started with <span className="mono">--sandbox</span>: every call goes to a built-in simulated provider and costs
          nothing real.
        </Alert>
      ) : null}
      {connections.map((connection) => (
        <ProviderRow key={connection.provider} of={connection} />
      ))}
    </Stack>
  );
}

function ProviderRow({ of: { provider, state, placeholder, version } }: { readonly of: Connection }) {
  const name = providerNames[provider];
  const [credential, setCredential] = useState('');
  const leaving = useQuestion();
  const path = { params: { path: { provider } } };
  const connecting = useDoing({
    run: () =>
      ask.PUT('/platform/v1/providers/{provider}', {
        ...path, body: { credential: credential.trim(), was: (version === null ? null : { version }) as never },
      }),
    changes,
    // What was typed stays, and the row shows what is there now: pressing the button again is meant.
    failed: (fault) => {
      if (fault instanceof Refused && fault.code === 'changed_meanwhile') {
        void queries.invalidateQueries({ queryKey: ['get', '/platform/v1/providers'] });
      }
    },
    after: () => {
      setCredential('');
      testing.mutate(undefined);
    },
  });
  const testing = useDoing({ run: async () => (await ask.POST('/platform/v1/providers/{provider}/test', path)).data!, changes: [] });
  const disconnecting = useDoing({
    run: () => ask.DELETE('/platform/v1/providers/{provider}', path),
    done: `The ${name} key is destroyed.`,
    changes,
    after: leaving.close,
  });
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          <ConnectionState state={state} placeholder={placeholder} />
        </Group>
        {state === 'missing' ? null : (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              loading={testing.isPending}
              onClick={() => testing.mutate(undefined)}
              disabled={placeholder}>
              Test
            </Button>
            <Button size="compact-sm" variant="subtle" color="red" c="var(--bad)" onClick={leaving.open}>
              Disconnect…
            </Button>
          </Group>
        )}
      </Group>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          connecting.mutate(undefined);
        }}>
        <Group align="flex-end" gap="xs">
          <PasswordInput
            className="grow"
            label={`${name} key`}
            description={state === 'missing' ? 'Stored sealed; nobody can read it again.' : 'Replaces the one that is connected.'}
            autoComplete="off"
            value={credential}
            maxLength={8_192}
            onChange={(event) => setCredential(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant={state === 'missing' ? 'filled' : 'default'}
            disabled={credential.trim() === ''}
            loading={connecting.isPending}>
            {state === 'missing' ? 'Connect' : 'Replace'}
          </Button>
        </Group>
      </form>
      {testing.data === undefined ? null : <TestResult name={name} accepted={testing.data.accepted} status={testing.data.status} />}
      <Confirm of={leaving} title={`Disconnect ${name}?`} act="Disconnect" doing={disconnecting}>
        The stored key is destroyed. Calls to {name} are answered 401 until another one is connected.
      </Confirm>
    </div>
  );
}

function ConnectionState({ state, placeholder }: { readonly state: Connection['state']; readonly placeholder: boolean }) {
  if (placeholder) {
    return <StateBadge means="warn">Sandbox placeholder</StateBadge>;
  }
  if (state === 'connected') {
    return <StateBadge means="good">Connected</StateBadge>;
  }
  if (state === 'unreadable') {
    return <StateBadge means="bad">Cannot be read</StateBadge>;
  }
  return <StateBadge means="none">Not connected</StateBadge>;
}

function TestResult({ name, accepted, status }: { readonly name: string; readonly accepted: boolean | null; readonly status: number }) {
  const said =
    accepted === true
      ? `${name} takes the key.`
      : accepted === false
        ? `${name} refuses the key (${status}).`
        : `${name} answered ${status}, which says nothing of the key.`;
  return (
    <Text size="sm" mt={6} role="status" className={accepted === true ? 'good' : accepted === false ? 'bad' : 'warn'}>
      {said}
    </Text>
  );
}
