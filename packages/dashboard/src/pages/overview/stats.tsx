/** The figures of a range, each compared with the range before and linked to its details. */
import { SimpleGrid, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { CallsSearch } from '../../app/page-search.ts';
import { change, percent, shortMs, wholeCount } from '../../shown/amounts.ts';
import { Count, Money } from '../../shown/figures.tsx';
import { isoOf, type Range } from '../../shown/ranges.ts';
import type { Figures, Overview } from './overview-data.ts';

export function Stats({ overview: { total: now, before }, range }: { readonly overview: Overview; readonly range: Range }) {
  const vague = now.unknownCalls + now.unpricedCalls + now.gapCalls;
  const time: CallsSearch = range.name === 'custom' ? isoOf(range) : { range: range.name };
  const against = (figure: (figures: Figures) => number): string => {
    const told = change(figure(now), figure(before));
    return told === null ? 'nothing in the time before' : `${told} against the time before`;
  };
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <Stat name="Spend" note={against(({ cost }) => Number(cost))} search={time}>
        <Money amount={now.cost} />
      </Stat>
      <Stat name="Calls" note={against(({ calls }) => calls)} search={time}>
        <Count of={now.calls} />
      </Stat>
      <Stat
        name="Tokens in / out"
        note={`${percent(now.cachedTokens, now.inputTokens + now.cachedTokens)} cached, ${percent(now.reasoningTokens, now.outputTokens)} reasoning`}>
        <Count of={now.inputTokens} /> / <Count of={now.outputTokens} />
      </Stat>
      <Saved range={range} />
      <Stat name="Latency p50 / p95" note={`first byte ${ms(now.firstByteMs.p50)} / ${ms(now.firstByteMs.p95)}`}>
        {ms(now.latencyMs.p50)} / {ms(now.latencyMs.p95)}
      </Stat>
      <Stat
        name="Provider errors"
        note={now.errorCalls === 0 ? 'none' : `${wholeCount(now.errorCalls)} calls cut, not reached or 5xx`}
        search={{ ...time, outcome: 'failed' }}>
        {percent(now.errorCalls, now.calls)}
      </Stat>
      <Stat name="Throttled by providers" note={now.throttledCalls === 0 ? 'none' : `${wholeCount(now.throttledCalls)} calls answered 429`}>
        {percent(now.throttledCalls, now.calls)}
      </Stat>
      <Stat
        name="Cost not known"
        note={vague === 0 ? 'every call has its cost' : vagueOf(now)}
        search={{ ...time, usage: 'unknown' }}>
        {percent(vague, now.calls)}
      </Stat>
    </SimpleGrid>
  );
}

/** What cached tokens cost less, as usage counts it. */
function Saved({ range }: { readonly range: Range }) {
  const usage = api.useQuery('get', '/platform/v1/usage', { params: { query: { by: 'model', limit: 1_000, ...isoOf(range) } } });
  const saved = usage.data?.data.reduce((sum, { cacheSavings }) => sum + Number(cacheSavings ?? 0), 0);
  return (
    <Stat name="Caching saved" note="against the price of uncached input">
      {saved === undefined ? ' ' : <Money amount={saved.toFixed(9)} />}
    </Stat>
  );
}

function vagueOf({ unknownCalls, unpricedCalls, gapCalls }: Figures): string {
  return `${wholeCount(unknownCalls)} unknown, ${wholeCount(unpricedCalls)} unpriced, ${wholeCount(gapCalls)} with gaps`;
}

function ms(value: number | null): string {
  return value === null ? '–' : shortMs(value);
}

function Stat({
  name,
  note,
  children,
  search,
}: {
  readonly name: string;
  readonly note: string;
  readonly children: ReactNode;
  readonly search?: CallsSearch;
}) {
  return (
    <div className="panel" style={{ padding: '0.8rem 1rem' }}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fz={{ base: 'md', xs: 'xl' }} fw={650} component="div" className="figure">
        {search === undefined ? (
          children
        ) : (
          <Link to="/calls" search={search} className="plain">
            {children}
          </Link>
        )}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </div>
  );
}
