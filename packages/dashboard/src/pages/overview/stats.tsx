/** The figures of a range, each compared with the range before and linked to what is behind it. */
import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, type ReactNode } from 'react';
import { chosenFilters, type CallsSearch, type Filters } from '../../app/page-search.ts';
import { UsageCost } from '../../parts/usage-cost.tsx';
import { percent, shortMs, wholeCount } from '../../shown/amounts.ts';
import { changeAlone, comparedWith, refusalsCompared, timesCompared, type ComparedTime } from '../../shown/comparison.ts';
import { Count, Money } from '../../shown/figures.tsx';
import { incompleteIn } from '../../shown/incomplete-cost.ts';
import { isoOf, timeBefore, type Range } from '../../shown/ranges.ts';
import { topQuery, wholeBy, type OverviewData, type Refusals } from './overview-data.ts';
import type { UsedFigures } from './used-figures.ts';

/** What is only known of all calls together. */
interface WholeFigures {
  readonly overview: OverviewData;
  /** Undefined: not known yet. */
  readonly refusals: Refusals | undefined;
}

type ComparedFigure = Pick<UsedFigures, 'calls' | 'cost'>;

/** The compared parts of the range and of the one before. `gone`: records of the one before were removed. */
export type ComparedFigures = { readonly now: ComparedFigure; readonly before: ComparedFigure; readonly time: ComparedTime } | 'coming' | 'gone';

interface StatsProps {
  readonly now: UsedFigures;
  readonly compared: ComparedFigures;
  readonly range: Range;
  readonly filters: Filters;
  /** Null: only some of the calls are shown. */
  readonly whole: WholeFigures | null;
}

export function Stats({ now, compared, range, filters, whole }: StatsProps) {
  const vague = incompleteIn([now]);
  const calls: CallsSearch = { ...(range.name === 'custom' ? isoOf(range) : { range: range.name }), ...chosenFilters(filters) };
  // Of all calls, a place of its own names the times; otherwise they stand under the first figure.
  const spendSaid = whole === null ? inFull(compared, range) : alone(compared, 'spend', costIn);
  return (
    <section className="panel stats">
      <div className="stat stat-first">
        <Text size="sm" c="dimmed" id="spend-name">
          Spend
        </Text>
        <div className="focal">
          <Link to="/calls" search={calls} className="plain" id="spend" aria-labelledby="spend-name spend">
            <UsageCost of={now} />
          </Link>
        </div>
        <Text size="sm" c="dimmed">
          {spendSaid}
        </Text>
      </div>
      <Stat name="Calls" note={alone(compared, 'calls', ({ calls: made }) => made)} search={calls}>
        <Count of={now.calls} />
      </Stat>
      <Stat
        name="Tokens in / out"
        search={calls}
        note={`${percent(now.cachedTokens, now.inputTokens + now.cachedTokens)} cached, ${percent(now.reasoningTokens, now.outputTokens)} reasoning`}>
        <Count of={now.inputTokens} /> / <Count of={now.outputTokens} />
      </Stat>
      <Saved range={range} filters={filters} search={calls} />
      <Stat name="Cost incomplete" note={vague.calls === 0 ? 'every call has its full cost' : vagueOf(now)} search={{ ...calls, lacks: 'any' }}>
        {vague.exact ? '' : 'up to '}
        {percent(vague.calls, now.calls)}
      </Stat>
      {whole === null ? null : <WholeStats {...whole} compared={compared} range={range} search={calls} />}
    </section>
  );
}

function costIn({ cost }: ComparedFigure): number {
  return Number(cost);
}

/** A change whose times are named elsewhere. */
function alone(compared: ComparedFigures, of: string, figure: (figures: ComparedFigure) => number): string {
  if (compared === 'coming' || compared === 'gone') return ' ';
  return changeAlone({ now: figure(compared.now), before: figure(compared.before), of }, compared.time);
}

function inFull(compared: ComparedFigures, range: Range): string {
  if (compared === 'coming') return ' ';
  if (compared === 'gone') return `records of ${timeBefore(range)} were removed`;
  return comparedWith({ now: costIn(compared.now), before: costIn(compared.before), of: 'spend' }, compared.time);
}

interface WholeStatsProps extends WholeFigures, Pick<StatsProps, 'compared' | 'range'> {
  readonly search: CallsSearch;
}

function WholeStats({ overview: { total }, refusals, compared, range, search }: WholeStatsProps) {
  const faults = total.errorCalls + total.throttledCalls;
  return (
    <>
      <Stat name="Latency p50 / p95" search={search} note={`first byte ${ms(total.firstByteMs.p50)} / ${ms(total.firstByteMs.p95)}`}>
        {ms(total.latencyMs.p50)} / {ms(total.latencyMs.p95)}
      </Stat>
      <Stat
        name="Provider errors"
        note={
          faults === 0 ? 'none' : `${wholeCount(total.errorCalls)} cut, not reached or 5xx; ${wholeCount(total.throttledCalls)} answered 429`
        }
        search={{ ...search, status: 'error' }}>
        {percent(faults, total.calls)}
      </Stat>
      <Stat name="Refused" note={refusals === undefined ? ' ' : refusedSaid(refusals, compared)} to="/caps">
        {refusals === undefined ? <OnItsWay /> : <Count of={refusals.total} />}
      </Stat>
      <ComparedTimes of={compared} range={range} />
    </>
  );
}

/** Refusals are a report of their own, whose times can differ for a moment when an hour begins. */
function refusedSaid(refusals: Refusals, compared: ComparedFigures): string {
  const { comparison } = refusals;
  const isSame = comparison !== null && typeof compared === 'object' && Date.parse(comparison.until) === compared.time.comparedUntilMs;
  if (!isSame) return refusalsCompared(refusals);
  return changeAlone({ now: comparison.total, before: comparison.before, of: 'refusals' }, compared.time);
}

/** What the changes under the figures are measured against. */
function ComparedTimes({ of: compared, range }: { readonly of: ComparedFigures; readonly range: Range }) {
  if (compared === 'coming') return null;
  const { earlier, cut } = compared === 'gone' ? { earlier: timeBefore(range), cut: 'its records were removed' } : timesCompared(compared.time);
  return (
    <div className="stat">
      <Text size="xs" c="dimmed">
        Compared with
      </Text>
      <Text size="sm" fw={600} lh={1.8}>
        {earlier}
      </Text>
      <Text size="xs" c="dimmed">
        {cut}
      </Text>
    </div>
  );
}

/** In the place of a figure that another answer brings. */
function OnItsWay() {
  return <Skeleton className="late" display="inline-block" height="0.8em" width="4em" />;
}

/** The saving by cached tokens, as usage counts it. */
function Saved({ range, filters, search }: Pick<StatsProps, 'range' | 'filters'> & { readonly search: CallsSearch }) {
  const { data } = useQuery(topQuery(wholeBy, range, filters));
  const saved = data?.data.reduce((sum, { cacheSavings }) => sum + Number(cacheSavings ?? 0), 0);
  return (
    <Stat name="Caching saved" note="against the price of uncached input" search={search}>
      {saved === undefined ? <OnItsWay /> : <Money amount={saved.toFixed(9)} />}
    </Stat>
  );
}

function vagueOf({ unknownCalls, unpricedCalls, gapCalls }: UsedFigures): string {
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
  to = '/calls',
}: {
  readonly name: string;
  readonly note: string;
  readonly children: ReactNode;
  readonly search?: CallsSearch;
  readonly to?: '/calls' | '/caps';
}) {
  const id = useId();
  return (
    <div className="stat">
      <Text size="xs" c="dimmed" id={`${id}name`}>
        {name}
      </Text>
      <Text fz={{ base: 'md', xs: 'lg' }} fw={600} component="div" className="figure">
        <Link to={to} search={(search ?? {}) as never} className="plain" id={id} aria-labelledby={`${id}name ${id}`}>
          {children}
        </Link>
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </div>
  );
}
