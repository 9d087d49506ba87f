/** What a call used and cost, kind of token by kind of token. */
import { Group, Stack, Table, Text } from '@mantine/core';
import { spoken, type CallRecord } from '../../shown/call-record.ts';
import { wholeDollars } from '../../shown/amounts.ts';
import { Count } from '../../shown/figures.tsx';

const sources: Readonly<Record<string, string>> = {
  priced: 'Priced by the list',
  upstream: 'As the upstream reported it',
  fallback: "By the organization's fallback price",
  unpriced: 'No price is known for this model',
  none: 'No usage to price',
};

export function CallCost({ call }: { readonly call: CallRecord }) {
  const rows = (
    [
      ['Input', call.inputTokens],
      ['Cached', call.cachedTokens],
      ['Written to the cache', call.cacheWriteTokens],
      ['Output', call.outputTokens],
      ['Reasoning, part of the output', call.reasoningTokens],
    ] as const
  ).filter(([name, tokens]) => tokens !== null || name === 'Input' || name === 'Output');
  return (
    <Stack gap="xs">
      {call.usage === 'none' ? (
        <Text size="sm" c="dimmed">
          This call reports no usage.
        </Text>
      ) : (
        <Table withTableBorder verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Tokens</Table.Th>
              <Table.Th className="right">As reported</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(([name, tokens]) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td className="right">
                  <Count of={tokens} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Group justify="space-between">
        <div>
          <Text size="sm">{sources[call.costSource] ?? call.costSource}</Text>
          {call.priceList === null ? null : (
            <Text size="xs" c="dimmed" className="wrap">
              Price list {call.priceList}
            </Text>
          )}
        </div>
        <Text fw={650} className="figure">
          {call.cost === null ? (call.usage === 'none' ? 'no cost' : 'cost unknown') : wholeDollars(call.cost)}
        </Text>
      </Group>
      {(call.costGaps?.length ?? 0) === 0 ? null : (
        <Text size="sm" className="warn">
          Not in it, for want of a price: {call.costGaps!.map(spoken).join(', ')}.
        </Text>
      )}
    </Stack>
  );
}
