/** The receipt of a call: its contents, and whether it verifies, checked in this browser. */
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { sentenceOf } from '../../api/client.ts';
import { CopyableId } from '../../parts/copying.tsx';
import { saveText } from '../../parts/saving.ts';
import { spoken, type ShownCall } from '../../shown/call-record.ts';
import type { Verified } from './verify-receipt.ts';

export function CallReceipt({ call }: { readonly call: ShownCall }) {
  const checked = useQuery({
    queryKey: ['receipt', call.id],
    enabled: false,
    retry: false,
    queryFn: async () => (await import('./verify-receipt.ts')).verifyReceipt(call),
  });
  return (
    <Stack gap="xs" aria-live="polite">
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" c="dimmed">
          Each call has its place in a signed chain of hashes, so that nobody can change a record unnoticed.
        </Text>
        <Button size="compact-sm" variant="default" className="no-shrink" loading={checked.isFetching} onClick={() => void checked.refetch()}>
          Verify
        </Button>
      </Group>
      {checked.error !== null ? (
        <Text size="sm" className="bad">
          {sentenceOf(checked.error)}
        </Text>
      ) : checked.data === undefined ? null : (
        <Told of={checked.data} />
      )}
    </Stack>
  );
}

function Told({ of: checked }: { readonly of: Verified }) {
  if (checked.is === 'none') {
    return (
      <Text size="sm" c="dimmed">
        There is no signed receipt for this call yet. Calls that are older than receipts have none.
      </Text>
    );
  }
  if (checked.is === 'unable') {
    return (
      <Text size="sm" c="dimmed">
        This browser checks signatures only on pages that come over HTTPS or from its own machine. The command "metergate receipts verify"
        does it anywhere.
      </Text>
    );
  }
  if (checked.is !== 'good') {
    return (
      <Shown good={false} title={checked.is === 'bad' ? 'The receipts do not verify' : 'The receipt says something else'} file={checked.file}>
        {checked.is === 'bad'
          ? `What is wrong: ${spoken(checked.fault)}. Keep the file, and ask whoever runs this installation.`
          : `It differs from this page in: ${checked.fields.join(', ')}.`}
      </Shown>
    );
  }
  const { receipt, verdict } = checked;
  return (
    <Shown good title="Verified in this browser" file={checked.file}>
      Receipt {receipt.sequence.toLocaleString('en-US')} of the chain says what this page says: its hash was made again here, and key{' '}
      <span className="mono wrap">{verdict.key}</span> signed it.
      <CopyableId id={receipt.hash} name="hash" />
    </Shown>
  );
}

function Shown({
  good,
  title,
  file,
  children,
}: {
  readonly good: boolean;
  readonly title: string;
  readonly file: string;
  readonly children: ReactNode;
}) {
  const Icon = good ? ShieldCheck : ShieldAlert;
  return (
    <Alert
      color={good ? 'green' : 'red'}
      icon={<Icon size={18} aria-hidden />}
      title={title}
      styles={{
        title: { color: good ? 'var(--good)' : 'var(--bad)' },
        // A hash is long: it is clipped, so that it widens nothing.
        body: { minWidth: 0 },
        message: { color: 'var(--mantine-color-text)', minWidth: 0 },
      }}>
      {children}
      <Anchor component="button" type="button" size="sm" onClick={() => saveText('receipts.jsonl', file, 'application/x-ndjson')}>
        Save the file that was checked
      </Anchor>
    </Alert>
  );
}
