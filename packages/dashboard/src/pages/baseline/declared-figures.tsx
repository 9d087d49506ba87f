/** Figures that a person typed, beside the reported ones: from a contract or an invoice. */
import { Button, Group, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { useDoing } from '../../parts/doing.ts';
import { DollarsInput } from '../../parts/dollars-input.tsx';
import { Panel } from '../../parts/page.tsx';
import { Money } from '../../shown/figures.tsx';
import type { ListedBaseline } from './baseline-state.tsx';
import { LabelBadge } from './label-badge.tsx';
import { dollarsToSend } from '../../shown/amounts.ts';

export function DeclaredFigures({ id, declared }: { readonly id: string; readonly declared: ListedBaseline['report']['declared'] }) {
  const admin = useMay('admin');
  const form = useForm({
    initialValues: { name: '', usd: '' as number | string },
    validate: { usd: (usd) => (String(usd) === '' ? 'Say how much.' : null) },
  });
  const declaring = useDoing({
    run: ({ name, usd }: typeof form.values) =>
      ask.POST('/platform/v1/assessments/{id}/declared', { params: { path: { id } }, body: { name: name.trim(), usd: dollarsToSend(usd) } }),
    done: 'The figure is kept.',
    changes: ['/platform/v1/assessments'],
    after: () => form.reset(),
  });
  if (!admin && declared.length === 0) return null;
  return (
    <Panel title="Declared" about="Typed by a person, and labelled so.">
      {declared.length === 0 ? null : (
        <Table mb="sm">
          <Table.Tbody>
            {declared.map(({ name, amount }) => (
              <Table.Tr key={name}>
                <Table.Td className="wrap">{name}</Table.Td>
                <Table.Td className="right">
                  <Money amount={amount.value} /> <LabelBadge label={amount.label} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {admin ? (
        <form className="no-print" onSubmit={form.onSubmit((values) => declaring.mutate(values))}>
          <Group align="flex-end" gap="xs">
            <TextInput
              className="grow"
              label="What it is"
              placeholder="Last month's invoice"
              required
              maxLength={200}
              {...form.getInputProps('name')}
            />
            <DollarsInput w={160} label="US dollars" {...form.getInputProps('usd')} />
            <Button type="submit" variant="default" loading={declaring.isPending}>
              Keep
            </Button>
          </Group>
        </form>
      ) : (
        <Text size="xs" c="dimmed">
          Typing a figure needs the role admin.
        </Text>
      )}
    </Panel>
  );
}
