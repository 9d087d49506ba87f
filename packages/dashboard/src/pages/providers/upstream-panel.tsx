/** The organization's own chat-compatible destination, reached under /upstream/v1. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { useDoing } from '../../parts/doing.ts';
import { SecretInput } from '../../parts/secret-input.tsx';
import { useSharedForm } from '../../parts/shared-form.tsx';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Submit } from '../../parts/submit.tsx';
import { keptCredential } from '../../shown/upstream-words.ts';
import { declaredUpstream, upstreamQuery, type Upstream } from './providers-asks.ts';

const changes = ['/platform/v1/upstream'];

export function UpstreamPanel({ gatewayUrl }: { readonly gatewayUrl: string }) {
  const upstream = useQuery(upstreamQuery);
  const about = `Calls to ${gatewayUrl}/upstream/v1 go to this address: any service that speaks the OpenAI wire.`;
  return (
    <Panel title="Declared upstream" about={about}>
      <Loaded of={upstream} height={160}>
        {(declared) => (
          <Stack>
            {declared === null ? null : <Declared upstream={declared} />}
            {/* The same form before and after: what is typed stays when somebody else declares one. */}
            <DeclareForm of={declared} />
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

function Declared({ upstream }: { readonly upstream: Upstream }) {
  const removal = useQuestion();
  const switching = useDoing({
    run: () => upstream.enabled ? ask.POST('/platform/v1/upstream/disable')
      : ask.POST('/platform/v1/upstream/enable', { params: { query: { version: upstream.version } } }),
    done: upstream.enabled ? 'The upstream is disabled.' : 'The upstream is enabled.',
    changes,
  });
  const removing = useDoing({
    run: () => ask.DELETE('/platform/v1/upstream'),
    done: 'The upstream is removed.',
    changes,
    after: removal.close,
  });
  return (
    <>
      <Group justify="space-between">
        <div>
          <Text className="mono wrap">{upstream.url}</Text>
          <Group gap="xs" mt={4}>
            {upstream.enabled ? (
              <StateBadge means="good">Enabled</StateBadge>
            ) : (
              <StateBadge means="none">Disabled</StateBadge>
            )}
            <StateBadge means="none">
              {upstream.hasCredential ? 'With a credential' : 'Without a credential'}
            </StateBadge>
            {upstream.state === 'unreadable' ? (
              <StateBadge means="bad">Credential cannot be read</StateBadge>
            ) : null}
          </Group>
        </div>
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-md"
            loading={switching.isPending}
            onClick={() => switching.mutate(undefined)}>
            {upstream.enabled ? 'Disable' : 'Enable'}
          </Button>
          <Button variant="subtle" color="red" c="var(--bad)" size="compact-md" onClick={removal.open}>
            Remove…
          </Button>
        </Group>
      </Group>
      <Confirm of={removal} title="Remove the upstream?" act="Remove" doing={removing}>
        The declaration and its credential are destroyed. Calls to it get 400.
      </Confirm>
    </>
  );
}

/** A declaration as the form has it: null where there is none. */
type ToDeclare = { readonly url: string; readonly hasCredential: boolean; readonly version: number | null };
const undeclared: ToDeclare = { url: '', hasCredential: false, version: null };

function DeclareForm({ of: upstream }: { readonly of: Upstream | null }) {
  const { form, saving, submit, conflict } = useSharedForm<ToDeclare, { url: string; credential: string }>({
    of: upstream ?? undeclared,
    entered: ({ url }) => ({ url, credential: '' }),
    words: { url: 'Address', credential: 'Credential' },
    send: ({ url, credential }, { version, hasCredential }) =>
      ask.PUT('/platform/v1/upstream', {
        body: { url: url.trim(), credential: credential.trim() || keptCredential(hasCredential), was: version === null ? null : { version } },
      }),
    read: async () => (await declaredUpstream()) ?? undeclared,
    done: 'The upstream is declared. It takes calls once it is enabled.',
    changes,
    after: () => form.setFieldValue('credential', ''),
  });
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput label="Address" placeholder="https://llm.example.com" required maxLength={2_048} {...form.getInputProps('url')} />
        <SecretInput
          label="Credential"
          description={upstream?.hasCredential === true
            ? 'Sent as Authorization: Bearer. Empty: the stored one stays, if the address does.'
            : 'Sent as Authorization: Bearer. Optional.'}
          autoComplete="off"
          maxLength={8_192}
          {...form.getInputProps('credential')}
        />
        {conflict}
        <Submit busy={saving} variant={upstream === null ? 'filled' : 'default'}>{upstream === null ? 'Declare' : 'Change'}</Submit>
      </Stack>
    </form>
  );
}
