/** One small call through the gateway, sent from the page, and what became of it. The key stays in the page's memory. */
import { Alert, Button, Group, NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { ask, type Shown } from '../../api/client.ts';
import { useDoing } from '../../parts/doing.ts';
import { RefusalHelp } from '../../parts/refusal-help.tsx';
import { Fault } from '../../parts/states.tsx';
import { isRefusalCode } from '../../shown/refusal-words.ts';

export type TestedProvider = 'openai' | 'anthropic';

/** A small one of each. */
const models: Readonly<Record<TestedProvider, string>> = { openai: 'gpt-5-mini', anthropic: 'claude-haiku-4-5' };
const names: Readonly<Record<TestedProvider, string>> = { openai: 'OpenAI', anthropic: 'Anthropic' };

export interface TestCallProps {
  readonly serviceKey: string;
  readonly onKey: (key: string) => void;
  /** Those with a key connected; empty: not known. */
  readonly providers: readonly TestedProvider[];
  readonly sandbox: boolean;
}

export function TestCallForm({ serviceKey, onKey, providers, sandbox }: TestCallProps) {
  const [provider, setProvider] = useState<TestedProvider>(providers[0] ?? 'openai');
  const [model, setModel] = useState(models[provider]);
  const sending = useDoing({
    run: async () => (await ask.POST('/platform/v1/test-calls', { body: { key: serviceKey.trim(), provider, model: model.trim() } })).data!,
    changes: ['/platform/v1/calls', '/platform/v1/refusals', '/platform/v1/caps', '/platform/v1/usage'],
    quiet: true,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate(undefined);
      }}>
      <Stack gap="sm">
        <Group gap="xs" align="flex-end">
          <PasswordInput
            className="grow"
            miw={200}
            label="Service key"
            placeholder="svc_live_…"
            autoComplete="off"
            maxLength={300}
            value={serviceKey}
            onChange={({ currentTarget }) => onKey(currentTarget.value)}
          />
          <NativeSelect
            label="Provider"
            data={(providers.length === 0 ? (['openai', 'anthropic'] as const) : providers).map((value) => ({ value, label: names[value] }))}
            value={provider}
            onChange={({ currentTarget }) => {
              const next = currentTarget.value as TestedProvider;
              setProvider(next);
              setModel(models[next]);
            }}
          />
          <TextInput label="Model" w={180} maxLength={256} value={model} onChange={({ currentTarget }) => setModel(currentTarget.value)} />
          <Button
            type="submit"
            leftSection={<Send size={15} aria-hidden />}
            disabled={serviceKey.trim() === '' || model.trim() === ''}
            loading={sending.isPending}>
            Send a test call
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          It says hello through the gateway, as a client would, {sandbox ? 'to the simulated provider' : 'and costs a fraction of a cent'}. It is
          recorded with the label test-call.
        </Text>
        {sending.error === null ? null : <Fault fault={sending.error} />}
        {sending.data === undefined ? null : <Became of={sending.data} />}
      </Stack>
    </form>
  );
}

function Became({ of: { id, status, code, message } }: { readonly of: Shown<'TestCall'> }) {
  const good = code === null;
  const refused = !good && isRefusalCode(code);
  return (
    <Alert
      role="status"
      variant="light"
      color={good ? 'tide' : 'yellow'}
      title={good ? `Answered ${status}` : `Answered ${status}, ${code}`}
      styles={{ title: { color: 'var(--mantine-color-text)' }, message: { color: 'var(--mantine-color-text)' } }}>
      {good ? null : (
        <Text size="sm" mb={4} className="wrap">
          {message}
        </Text>
      )}
      {refused ? <RefusalHelp of={{ code: code!, scope: null, window: null }} /> : null}
      {id === null ? null : refused ? (
        <Link to="/refusals" search={{ id }}>
          Look at the refusal
        </Link>
      ) : (
        <Link to="/calls" search={{ call: id }}>
          Look at the call
        </Link>
      )}
    </Alert>
  );
}
