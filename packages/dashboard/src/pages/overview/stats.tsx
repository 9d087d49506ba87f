/** The figures of a range, each against the range before. */
import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { change, percent } from '../../shown/amounts.ts';
import { Count, Money } from '../../shown/figures.tsx';
import type { Sums } from './overview-data.ts';

export function Stats({ now, before }: { readonly now: Sums; readonly before: Sums }) {
  const vague = now.unknownCalls + now.unpricedCalls;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <Stat name="Spend" note={change(now.cost, before.cost)}>
        <Money amount={now.cost.toFixed(9)} />
      </Stat>
      <Stat name="Calls" note={change(now.calls, before.calls)}>
        <Count of={now.calls} />
      </Stat>
      <Stat name="Tokens in / out" note={change(now.inputTokens + now.outputTokens, before.inputTokens + before.outputTokens)}>
        <Count of={now.inputTokens} /> / <Count of={now.outputTokens} />
      </Stat>
      <Stat name="Cost not known" note={vague === 0 ? null : `${vague} calls`} plain>
        {percent(vague, now.calls)}
      </Stat>
    </SimpleGrid>
  );
}

export function Stat({
  name,
  note,
  children,
  plain = false,
}: {
  readonly name: string;
  readonly note: string | null;
  readonly children: ReactNode;
  readonly plain?: boolean;
}) {
  return (
    <div className="panel" style={{ padding: '0.8rem 1rem' }}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fz={{ base: 'lg', xs: 'xl' }} fw={650} component="div" className="figure">
        {children}
      </Text>
      <Text size="xs" c="dimmed">
        {note === null ? ' ' : plain ? note : `${note} against the time before`}
      </Text>
    </div>
  );
}
