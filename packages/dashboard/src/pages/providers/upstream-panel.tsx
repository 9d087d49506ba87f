/** The organization's own chat-compatible destination, reached under /upstream/v1. */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api, ask, Refused, type Shown } from '../../api/client.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Submit } from '../../parts/submit.tsx';

type Upstream = Shown<'Upstream'>;
const changes = ['/platform/v1/upstream'];

export function UpstreamPanel({ gatewayUrl }: { readonly gatewayUrl: string }) {
  const upstream = api.useQuery('get', '/platform/v1/upstream');
  const none = upstream.error instanceof Refused && (upstream.error as Refused).code === 'upstream_not_declared';
  const about = `Calls to ${gatewayUrl}/upstream/v1 go to this address: any service that speaks the OpenAI wire.`;
  return (
    <Panel title="Declared upstream" about={about}>
      {none ? (
        <DeclareForm url="" />
      ) : (
        <Loaded of={upstream} height={160}>
          {(declared) => <Declared upstream={declared} />}
        </Loaded>
      )}
    </Panel>
  );
}

function Declared({ upstream }: { readonly upstream: Upstream }) {
  const removal = useQuestion();
  const switching = useDoing({
    run: () => ask.POST(upstream.enabled ? '/platform/v1/upstream/disable' : '/platform/v1/upstream/enable'),
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
    <Stack>
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
            variant={upstream.enabled ? 'default' : 'filled'}
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
      <DeclareForm url={upstream.url} />
      <Confirm of={removal} title="Remove the upstream?" act="Remove" doing={removing}>
        The declaration and its credential are destroyed. Calls to it get 400.
      </Confirm>
    </Stack>
  );
}

function DeclareForm({ url }: { readonly url: string }) {
  const form = useForm({ initialValues: { url, credential: '' } });
  const declaring = useDoing({
    run: (body: typeof form.values) =>
      ask.PUT('/platform/v1/upstream', { body: { url: body.url.trim(), credential: body.credential.trim() } }),
    done: 'The upstream is declared. It takes calls once it is enabled.',
    changes,
    after: () => form.setFieldValue('credential', ''),
  });
  return (
    <form onSubmit={form.onSubmit((values) => declaring.mutate(values))}>
      <Stack gap="sm">
        <TextInput label="Address" placeholder="https://llm.example.com" required maxLength={2_048} {...form.getInputProps('url')} />
        <PasswordInput
          label="Credential"
          description="Sent as Authorization: Bearer. Optional."
          autoComplete="off"
          maxLength={8_192}
          {...form.getInputProps('credential')}
        />
        <Submit busy={declaring.isPending} variant={url === '' ? 'filled' : 'default'}>{url === '' ? 'Declare' : 'Declare anew'}</Submit>
      </Stack>
    </form>
  );
}
