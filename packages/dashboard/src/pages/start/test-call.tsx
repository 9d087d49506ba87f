/** One small call through the gateway, sent from the page, and what became of it. The key stays in the page's memory. */
import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ask, type Shown } from '../../api/client.ts';
import { useDoing } from '../../parts/doing.ts';
import { RefusalHelp } from '../../parts/refusal-help.tsx';
import { SecretInput } from '../../parts/secret-input.tsx';
import { Fault } from '../../parts/states.tsx';
import { providerNames, type NamedProvider } from '../../shown/provider-names.ts';
import { isRefusalCode } from '../../shown/refusal-words.ts';

/** A small one of each. */
const models: Readonly<Record<NamedProvider, string>> = { openai: 'gpt-5-mini', anthropic: 'claude-haiku-4-5' };

/** The call to send. `providers`: those with a key connected; empty: not known. */
export function useTestCall(providers: readonly NamedProvider[]) {
  const [serviceKey, setServiceKey] = useState('');
  const [chosen, setChosen] = useState<NamedProvider | null>(null);
  const [named, setNamed] = useState<string | null>(null);
  const provider = chosen ?? providers[0] ?? 'openai';
  const model = named ?? models[provider];
  return {
    serviceKey, setServiceKey, provider, model, setModel: setNamed,
    setProvider: (next: NamedProvider) => {
      setChosen(next);
      setNamed(null);
    },
    isWhole: serviceKey.trim() !== '' && model.trim() !== '',
  };
}

export type CallToTry = ReturnType<typeof useTestCall>;

/** Sends it; each button has its own, so that the answer stands beside the button that was pressed. */
export function useSending({ serviceKey, provider, model }: CallToTry) {
  return useDoing({
    run: async () => (await ask.POST('/platform/v1/test-calls', { body: { key: serviceKey.trim(), provider, model: model.trim() } })).data!,
    changes: ['/platform/v1/calls', '/platform/v1/refusals', '/platform/v1/caps', '/platform/v1/usage'],
    quiet: true,
  });
}

interface TestCallProps {
  readonly of: CallToTry;
  readonly providers: readonly NamedProvider[];
  readonly sandbox: boolean;
}

export function TestCallForm({ of: call, providers, sandbox }: TestCallProps) {
  const sending = useSending(call);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate(undefined);
      }}>
      <Stack gap="sm">
        <Group gap="xs" align="flex-end">
          <SecretInput
            className="grow"
            miw={200}
            label="Service key"
            placeholder="svc_live_…"
            autoComplete="off"
            maxLength={300}
            value={call.serviceKey}
            onChange={({ currentTarget }) => call.setServiceKey(currentTarget.value)}
          />
          <NativeSelect
            label="Provider"
            data={(providers.length === 0 ? (['openai', 'anthropic'] as const) : providers).map((value) => ({ value, label: providerNames[value] }))}
            value={call.provider}
            onChange={({ currentTarget }) => call.setProvider(currentTarget.value as NamedProvider)}
          />
          <TextInput label="Model" w={180} maxLength={256} value={call.model} onChange={({ currentTarget }) => call.setModel(currentTarget.value)} />
          <Button type="submit" leftSection={<Send size={15} aria-hidden />} disabled={!call.isWhole} loading={sending.isPending}>
            Send a test call
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          {call.serviceKey === '' ? 'Paste the key that the terminal showed at the first start, or make one above. ' : null}
          The call says hello through the gateway, as a client would, {sandbox ? 'to the simulated provider' : 'and costs a fraction of a cent'}. It
          is recorded with the label test-call.
        </Text>
        <BecameOf of={sending} />
      </Stack>
    </form>
  );
}

/** What became of the call that was sent last; nothing where none was. */
export function BecameOf({ of: sending }: { readonly of: ReturnType<typeof useSending> }) {
  if (sending.error !== null) return <Fault fault={sending.error} />;
  return sending.data === undefined ? null : <Became of={sending.data} />;
}

function Became({ of: { id, status, code, message } }: { readonly of: Shown<'TestCall'> }) {
  const good = code === null;
  const refused = !good && isRefusalCode(code);
  const shown = useRef<HTMLDivElement>(null);
  // It may stand below the window, and then pressing the button seems to do nothing.
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest' });
  }, [id]);
  return (
    <Alert ref={shown} role="status" color={good ? 'tide' : 'yellow'} title={good ? `Answered ${status}` : `Answered ${status}, ${code}`}>
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
