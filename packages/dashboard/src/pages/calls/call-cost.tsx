/** How the cost of a call was computed: each kind of token at its price, fees, and what it does not include. */
import { Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Shown } from '../../api/client.ts';
import { Loaded } from '../../parts/states.tsx';
import { spoken, type ShownCall } from '../../shown/call-record.ts';
import { wordsFor } from '../../shown/choices.ts';
import { wholeCount, wholeDollars } from '../../shown/amounts.ts';
import { Count } from '../../shown/figures.tsx';
import { callCostQuery } from './calls-asks.ts';

type CallCostShown = Shown<'CallCost'>;
type Line = NonNullable<CallCostShown['lines']>[number];

const sources = {
  priced: 'Priced by the list',
  upstream: 'As the upstream reported it',
  fallback: "By the organization's fallback price",
  unpriced: 'No price is known for this model',
  none: 'No usage to price',
} satisfies Record<ShownCall['costSource'], string>;

const names: Readonly<Record<Line['of'], string>> = {
  input: 'Input',
  cached: 'Input, cached',
  cacheWrite: 'Written to the cache',
  output: 'Output',
  reasoning: 'Output, reasoning',
  audioInput: 'Sound in',
  audioOutput: 'Sound out',
  imageInput: 'Images in',
  imageOutput: 'Images out',
  cachedAudio: 'Sound in, cached',
  cachedImage: 'Images in, cached',
  webSearch: 'Web searches',
  webFetch: 'Web fetches',
  fileSearch: 'File searches',
  codeInterpreter: 'Code interpreter',
  call: 'The call itself',
};

export function CallCost({ call }: { readonly call: ShownCall }) {
  const cost = useQuery(callCostQuery(call.id));
  if (call.usage === 'none') {
    return (
      <Text size="sm" c="dimmed">
        This call reports no usage.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <Loaded of={cost} height={150}>
        {({ lines, factor, withoutLines }) =>
          lines ? <Lines lines={lines} factor={factor} tier={call.serviceTier ?? null} /> : <Tokens call={call} why={withoutLines} />
        }
      </Loaded>
      <Group justify="space-between">
        <div>
          <Text size="sm">{wordsFor(sources, call.costSource)}</Text>
          {call.pricedBy === 'requested_model' ? (
            <Text size="xs" c="dimmed">
              The answer names no model: the price is that of the model asked for.
            </Text>
          ) : null}
          {call.priceList === null ? null : (
            <Text size="xs" c="dimmed" className="wrap">
              Price list {call.priceList}
            </Text>
          )}
        </div>
        <Text fw={650} className="figure">
          {call.cost === null ? 'cost unknown' : wholeDollars(call.cost)}
        </Text>
      </Group>
      {(call.costGaps?.length ?? 0) === 0 ? null : (
        <Text size="sm" className="warn">
          Not in it, or not at its own price, for want of one: {call.costGaps!.map(spoken).join(', ')}.
        </Text>
      )}
    </Stack>
  );
}

function Lines({ lines, factor, tier }: { readonly lines: readonly Line[]; readonly factor: string | null; readonly tier: string | null }) {
  return (
    <>
      <Table.ScrollContainer minWidth={310} type="native" tabIndex={0} role="region" aria-label="How the cost came about">
        <Table withTableBorder verticalSpacing={6} horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>What</Table.Th>
              <Table.Th className="right">Count</Table.Th>
              <Table.Th className="right">Price</Table.Th>
              <Table.Th className="right">Amount</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ of, count, price, per, paidAs, amount }) => (
              <Table.Tr key={of}>
                <Table.Td>
                  {names[of]}
                  {paidAs === null ? null : (
                    <Text size="xs" c="dimmed">
                      no price of its own: paid as {paidAs}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td className="right">{wholeCount(count)}</Table.Td>
                <Table.Td className="right nowrap">
                  {price === null ? (
                    <span className="warn">not known</span>
                  ) : (
                    <>
                      {wholeDollars(price)}
                      <Text size="xs" c="dimmed">
                        {per === 1 ? 'each' : 'per million'}
                      </Text>
                    </>
                  )}
                </Table.Td>
                <Table.Td className="right nowrap">{amount === null ? <span className="warn">not in it</span> : wholeDollars(amount)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="dimmed">
        {factor === null ? '' : `Prices of tokens times ${factor} for the service tier ${tier ?? ''}. `}The cost is the sum, rounded once to
        nine places.
      </Text>
    </>
  );
}

const reasons: Readonly<Record<NonNullable<CallCostShown['withoutLines']>, string | null>> = {
  no_cost: null,
  reported: null,
  other_prices:
    'The cost is not shown line by line: the prices at hand do not give it. Its own are gone, or it depended on what records do not keep.',
};

/** Only the tokens, if there are no cost lines. */
function Tokens({ call, why }: { readonly call: ShownCall; readonly why: CallCostShown['withoutLines'] }) {
  const rows = (
    [
      ['Input', call.inputTokens],
      ['Cached', call.cachedTokens],
      ['Written to the cache', call.cacheWriteTokens],
      ['Output', call.outputTokens],
      ['Reasoning, part of the output', call.reasoningTokens],
    ] as const
  ).filter(([name, tokens]) => tokens !== null || name === 'Input' || name === 'Output');
  const reason = why === null ? null : reasons[why];
  return (
    <>
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
      {reason === null ? null : (
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      )}
    </>
  );
}
