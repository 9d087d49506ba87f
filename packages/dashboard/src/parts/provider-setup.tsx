/** Provider keys: connected, replaced, tested and disconnected. A key can be entered but never read back. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ask, queries, Refused, type Shown } from '../api/client.ts';
import { Confirm, useQuestion } from './confirm.tsx';
import { useDoing } from './doing.ts';
import { SecretInput } from './secret-input.tsx';
import { StateBadge } from './state-badge.tsx';
import { providerNames } from '../shown/provider-names.ts';

type Connection = Shown<'ListedProviderConnection'>;
const changes = ['/platform/v1/providers'];

export function ProviderSetup({ connections, sandbox }: { readonly connections: readonly Connection[]; readonly sandbox: boolean }) {
  return (
    <Stack gap="lg">
      {sandbox ? (
        <Alert title="Sandbox" styles={{ title: { color: 'var(--warn)' } }}>
          This gateway was started with <span className="mono">--sandbox</span>: every call goes to a built-in simulated provider and costs
          nothing real.{connections.some(({ state }) => state === 'missing') ? ' It takes any text as a key: connect one to go on.' : null}
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
  // The key that is replaced is the one that was connected when typing began: the page may read of another one meanwhile.
  const [typedOver, setTypedOver] = useState(version);
  const leaving = useQuestion();
  const path = { params: { path: { provider } } };
  const connecting = useDoing({
    run: (over: Connection['version']) =>
      ask.PUT('/platform/v1/providers/{provider}', {
        ...path, body: { credential: credential.trim(), was: over === null ? null : { version: over } },
      }),
    changes,
    // What was typed stays, and the row asks what to do once it has read what is there now.
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
  const isOther = credential !== '' && typedOver !== version && !connecting.isPending;
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
              aria-label={`Test ${name}`}
              loading={testing.isPending}
              onClick={() => testing.mutate(undefined)}
              disabled={placeholder}>
              Test
            </Button>
            <Button size="compact-sm" variant="subtle" color="red" c="var(--bad)" aria-label={`Disconnect ${name}…`} onClick={leaving.open}>
              Disconnect…
            </Button>
          </Group>
        )}
      </Group>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isOther) connecting.mutate(typedOver);
        }}>
        <Group align="flex-end" gap="xs">
          <SecretInput
            className="grow"
            label={`${name} key`}
            description={state === 'missing' ? 'Stored sealed; nobody can read it again.' : 'Replaces the one that is connected.'}
            autoComplete="off"
            value={credential}
            maxLength={8_192}
            onChange={(event) => {
              if (credential === '') setTypedOver(version);
              setCredential(event.currentTarget.value);
            }}
          />
          <Button
            type="submit"
            variant={state === 'missing' ? 'filled' : 'default'}
            disabled={credential.trim() === '' || isOther}
            aria-label={`${state === 'missing' ? 'Connect' : 'Replace'} ${name}`}
            loading={connecting.isPending}>
            {state === 'missing' ? 'Connect' : 'Replace'}
          </Button>
        </Group>
      </form>
      {isOther ? (
        <OtherKey
          name={name}
          became={version === null ? 'disconnected' : typedOver === null ? 'connected' : 'replaced'}
          onMine={() => {
            setTypedOver(version);
            connecting.mutate(version);
          }}
          onTheirs={() => setCredential('')}
        />
      ) : null}
      {testing.data === undefined ? null : <TestResult name={name} accepted={testing.data.accepted} status={testing.data.status} />}
      <Confirm of={leaving} title={`Disconnect ${name}?`} act="Disconnect" doing={disconnecting}>
        The stored key is destroyed. Calls to {name} are answered 401 until another one is connected.
      </Confirm>
    </div>
  );
}

interface OtherKeyProps {
  readonly name: string;
  readonly became: 'connected' | 'replaced' | 'disconnected';
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}

/** Somebody else was faster. As in `shared-form.tsx`, the person decides. */
function OtherKey({ name, became, onMine, onTheirs }: OtherKeyProps) {
  return (
    <Alert role="alert" mt={6} title="Somebody else changed this meanwhile">
      <Text size="sm">
        The {name} key was {became} after you began to type. Yours is not saved yet.
      </Text>
      <Group gap="xs" mt={6}>
        <Button size="compact-sm" onClick={onMine}>
          Save mine
        </Button>
        <Button size="compact-sm" variant="default" onClick={onTheirs}>
          {became === 'disconnected' ? 'Leave it disconnected' : 'Keep theirs'}
        </Button>
      </Group>
    </Alert>
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
