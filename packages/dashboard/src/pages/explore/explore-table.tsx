/** Every figure of the grouping; a row leads to the calls behind it. */
import { useMemo, type ReactNode } from 'react';
import { filterNames, type CallsSearch, type Filters, type PathSearch } from '../../app/page-search.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { RowLink } from '../../parts/row-link.tsx';
import { dimensionNames } from '../../parts/dimension-names.ts';
import { UsageCost } from '../../parts/usage-cost.tsx';
import { wholeMax } from '../../parts/windowed-rows.tsx';
import { change } from '../../shown/amounts.ts';
import { Count, Money } from '../../shown/figures.tsx';
import { costSaid, type WithCost } from '../../shown/incomplete-cost.ts';
import type { KeyNames } from '../../shown/key-names.ts';
import { isoOf, type Range } from '../../shown/ranges.ts';
import type { BesideBefore } from './time-before.ts';
import { nameIn, namesOfRow, type Dimension, type ExploredRow, type UsageQuestion, type UsageTotal } from '../../parts/usage-rows.ts';

const dayMs = 86_400_000;
const times: readonly Dimension[] = ['day', 'month'];

/** Every row that was loaded. `total`: of all calls, in the foot. */
export function ExploreTable({
  rows,
  total,
  before,
  question,
  names,
}: {
  readonly rows: readonly ExploredRow[];
  readonly total: UsageTotal;
  /** The time before, if it stands beside. */
  readonly before?: BesideBefore['before'] | undefined;
  readonly question: UsageQuestion;
  readonly names: KeyNames;
}) {
  const { by, and } = question;
  const columns = useMemo(() => {
    const dimensions = [by, ...(and === null ? [] : [and])];
    return [
      ...dimensions.map((dimension, at): Column<ExploredRow> => ({
        id: dimension,
        head: dimensionNames[dimension],
        sortBy: (row) => nameIn(row, dimension, names),
        cell: (row) => {
          const name = nameIn(row, dimension, names);
          return <Behind of={behind(row, question)} title={name}>{name}</Behind>;
        },
        ...(at === 0 ? { foot: 'All calls' } : {}),
        narrow: times.includes(dimension) ? 5.5 : 6,
        ...(rows.length > wholeMax ? { width: times.includes(dimension) ? '7rem' : '14rem' } : {}),
      })),
      ...figures(rows, total, before).map((column) => ({
        ...column, narrow: narrowRooms[column.id] ?? narrowFigureRem, ...(rows.length > wholeMax ? { width: roomFor(column) } : {}),
      })),
    ];
  }, [rows, total, before, question, names]);
  const ordered = useMemo(() => inTime(rows, [by, and]), [rows, by, and]);
  return (
    <DataTable<ExploredRow>
      caption="Usage"
      even
      rows={ordered}
      columns={columns}
      minWidth={rows.length > wholeMax ? widthOf(columns) : 760}
      rowId={(row) => namesOfRow(row, question)}
    />
  );
}

const remPx = 16;
/** A cost may have the word `incomplete` beside it. */
const costRem = 10;
const figureRem = 5.5;

/** Room for the longest figure of a column and for its head, because neither is ever cut. */
function roomFor({ id, head }: Column<ExploredRow>): string {
  return `${Math.max(id === 'cost' || id === 'before' ? costRem : figureRem, head.length * 0.52 + 2)}rem`;
}

/** The same in rem where cells stand closer and a head may have two lines, so that all of them leave room for two names on 1024 pixels. */
const narrowRooms: Readonly<Record<string, number>> = {
  cost: 6.2, before: 6.2, change: 4.2, cachedTokens: 3.6, cacheWriteTokens: 3.6, outputTokens: 3.5, reasoningTokens: 4.7, unknownCalls: 4.2,
  unpricedCalls: 4.1, saved: 5.3,
};
const narrowFigureRem = 3.3;

function widthOf(columns: readonly Column<ExploredRow>[]): number {
  return columns.reduce((sum, { width }) => sum + Number.parseFloat(width!), 0) * remPx;
}

/** Days and months are in order; within one, the costliest comes first. */
function inTime(rows: readonly ExploredRow[], dimensions: readonly (Dimension | null)[]): readonly ExploredRow[] {
  const time = dimensions.find((each) => each === 'day' || each === 'month');
  if (time === undefined || time === null) return rows;
  const byTime = new Map<string, ExploredRow[]>();
  for (const row of rows) {
    const together = byTime.get(row[time]!);
    if (together === undefined) byTime.set(row[time]!, [row]);
    else together.push(row);
  }
  return [...byTime.keys()].sort().flatMap((each) => byTime.get(each)!);
}

/** The cost comes first, where narrow screens show it too. Columns without any reported value are left out. */
function figures(rows: readonly ExploredRow[], total: UsageTotal, before: BesideBefore['before'] | undefined): Column<ExploredRow>[] {
  const count = (id: keyof ExploredRow & keyof UsageTotal, head: string): Column<ExploredRow>[] =>
    rows.some((row) => Number(row[id] ?? 0) !== 0)
      ? [
          {
            id,
            head,
            right: true,
            sortBy: (row) => Number(row[id] ?? 0),
            cell: (row) => <Count of={Number(row[id] ?? 0)} />,
            foot: <Count of={Number(total[id] ?? 0)} />,
          },
        ]
      : [];
  return [
    {
      id: 'cost',
      card: 'money',
      head: 'Cost',
      right: true,
      sortBy: (row) => Number(row.cost),
      cell: (row) => (
        <b className="strong">
          <UsageCost of={row} />
        </b>
      ),
      foot: <UsageCost of={total} />,
    },
    ...(before === undefined ? [] : besideColumns(total, before)),
    {
      id: 'calls',
      head: 'Calls',
      right: true,
      sortBy: (row) => row.calls,
      cell: (row) => <Count of={row.calls} />,
      foot: <Count of={total.calls} />,
    },
    ...count('inputTokens', 'Input'),
    ...count('cachedTokens', 'Cached'),
    ...count('cacheWriteTokens', 'Written'),
    ...count('outputTokens', 'Output'),
    ...count('reasoningTokens', 'Reasoning'),
    ...count('unknownCalls', 'Unknown'),
    ...count('unpricedCalls', 'Unpriced'),
    ...count('gapCalls', 'With gaps'),
    ...(rows.some(({ cacheSavings }) => Number(cacheSavings ?? 0) !== 0)
      ? [
          {
            id: 'saved',
            head: 'Saved by caching',
            right: true,
            sortBy: (row: ExploredRow) => Number(row.cacheSavings ?? 0),
            cell: (row: ExploredRow) => <Money amount={row.cacheSavings} none="–" />,
            foot: <Money amount={total.cacheSavings} none="–" />,
          },
        ]
      : []),
  ];
}

/** What the same cost in the time before, and by how much it differs. A cost that is not known is not compared. */
function besideColumns(total: UsageTotal, before: BesideBefore['before']): Column<ExploredRow>[] {
  const changed = (now: WithCost, earlier: WithCost | undefined): string => {
    if (earlier === undefined) return 'new';
    if (costSaid(now) !== 'amount' || costSaid(earlier) !== 'amount') return '–';
    return change(Number(now.cost), Number(earlier.cost)) ?? '–';
  };
  return [
    {
      id: 'before',
      head: 'Before',
      right: true,
      sortBy: (row) => Number(before.of(row)?.cost ?? 0),
      cell: (row) => {
        const earlier = before.of(row);
        return earlier === undefined ? <span className="dim">no calls</span> : <UsageCost of={earlier} />;
      },
      foot: <UsageCost of={before.total} />,
    },
    {
      id: 'change',
      head: 'Change',
      right: true,
      sortBy: (row) => Number(row.cost) - Number(before.of(row)?.cost ?? 0),
      cell: (row) => changed(row, before.of(row)),
      foot: changed(total, before.total),
    },
  ];
}

/** Where a row's calls are; null: no filter selects them, since they lack a name. */
type PlaceBehind = { readonly to: '/calls'; readonly search: CallsSearch } | { readonly to: '/keys'; readonly search: PathSearch } | null;

/** The calls of a person are those of their keys. */
export function behind(row: ExploredRow, { by, and, filters, range }: UsageQuestion): PlaceBehind {
  const dimensions = and === null ? [by] : [by, and];
  const names = row as Readonly<Record<string, unknown>>;
  if (dimensions.some((each) => typeof names[each] !== 'string')) return null;
  if (dimensions.includes('person')) return { to: '/keys', search: { tab: 'all', find: String(names['person']) } };
  return { to: '/calls', search: callsOf(row, dimensions, filters, range) };
}

/** A name that leads to what is behind it. `title`: the whole name, where it may be cut. */
export function Behind({ of: place, title, children }: { readonly of: PlaceBehind; readonly title?: string; readonly children: ReactNode }) {
  if (place === null) return <span className="clip" title={title}>{children}</span>;
  return (
    <RowLink to={place.to} search={place.search} title={title}>
      {children}
    </RowLink>
  );
}

function callsOf(row: ExploredRow, dimensions: readonly Dimension[], filters: Filters, range: Range): CallsSearch {
  let { since, until } = isoOf(range);
  const found: Record<string, string> = {};
  for (const name of filterNames) if (filters[name] !== undefined) found[name] = filters[name];
  for (const dimension of dimensions) {
    const name = (row as Readonly<Record<string, unknown>>)[dimension];
    if (dimension === 'day') [since, until] = [`${String(name)}T00:00:00Z`, new Date(Date.parse(String(name)) + dayMs).toISOString()];
    else if (dimension === 'month') {
      const [year, month] = String(name).split('-').map(Number);
      [since, until] = [`${String(name)}-01T00:00:00Z`, new Date(Date.UTC(year!, month!, 1)).toISOString()];
    } else if (typeof name === 'string') found[dimension] = name;
  }
  return { ...found, since, until };
}
