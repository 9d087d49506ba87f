/**
 * The figures of a usage sum as columns: their names, the expression over a call record's row, and how engines add them up. In the order of
 * `usageFigureNames`. All sums loop over this list; a new figure is a line in core and a line here.
 */
import { addWhole, usageFigureNames, type UsageFigureName, type UsageFigures, type WholeFigure } from '@metergate/core/report/usage-sum.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { RowValue } from '../engine/send.ts';

interface FigureColumn {
  readonly name: string;
  /** What a row of `call_record` counts, as SQL; null counts as 0. */
  readonly ofCall: string;
  /** `count`: a number of calls, far from any bound. `sum`: at least 0, may reach the 64-bit bound. `signed`: may be negative. */
  readonly kind: 'count' | 'sum' | 'signed';
}

const columns: { readonly [Name in UsageFigureName]: FigureColumn } = {
  calls: { name: 'calls', ofCall: '1', kind: 'count' },
  inputTokens: { name: 'input_tokens', ofCall: 'input_tokens', kind: 'sum' },
  cachedTokens: { name: 'cached_tokens', ofCall: 'cached_tokens', kind: 'sum' },
  cacheWriteTokens: { name: 'cache_write_tokens', ofCall: 'cache_write_tokens', kind: 'sum' },
  outputTokens: { name: 'output_tokens', ofCall: 'output_tokens', kind: 'sum' },
  reasoningTokens: { name: 'reasoning_tokens', ofCall: 'reasoning_tokens', kind: 'sum' },
  cost: { name: 'cost_nano', ofCall: 'cost_nano', kind: 'sum' },
  cacheSavings: { name: 'cache_savings_nano', ofCall: 'cache_savings_nano', kind: 'signed' },
  savedCalls: { name: 'saved_calls', ofCall: 'case when cache_savings_nano is not null then 1 end', kind: 'count' },
  unknownCalls: { name: 'unknown_calls', ofCall: `case when usage in ('unknown', 'partial') and settled_by is null then 1 end`, kind: 'count' },
  unpricedCalls: { name: 'unpriced_calls', ofCall: `case when cost_source = 'unpriced' then 1 end`, kind: 'count' },
  gapCalls: { name: 'gap_calls', ofCall: 'case when cost_gaps is not null then 1 end', kind: 'count' },
};

const figureColumns: readonly FigureColumn[] = usageFigureNames.map((name) => columns[name]);
export const figureColumnNames: readonly string[] = figureColumns.map(({ name }) => name);

const bound = '9223372036854775807';

/** `on conflict … do update set` these: sums stop at the 64-bit bound, since an overflow error would hold up all records behind it. */
export function addedOnConflict(engine: Engine['kind'], table: string): string {
  const [least, greatest] = engine === 'sqlite' ? ['min', 'max'] : ['least', 'greatest'];
  return figureColumns.map(({ name, kind }) => {
    const [kept, more] = [`${table}.${name}`, `excluded.${name}`];
    if (kind === 'count') return `${name} = ${kept} + ${more}`;
    const upward = `${least}(${kept}, ${bound} - ${more}) + ${more}`;
    if (kind === 'sum') return `${name} = ${upward}`;
    return `${name} = case when ${more} >= 0 then ${upward} else ${greatest}(${kept}, -${bound} - ${more}) + ${more} end`;
  }).join(', ');
}

/**
 * The same with figures to subtract, which are passed negative. A sum that stopped at the bound no longer equals its records, and stays
 * there until its last record is removed.
 */
export function subtractedOnConflict(engine: Engine['kind'], table: string): string {
  const greatest = engine === 'sqlite' ? 'max' : 'greatest';
  return figureColumns.map(({ name, kind }) => {
    const [kept, less] = [`${table}.${name}`, `excluded.${name}`];
    if (kind === 'count') return `${name} = ${kept} + ${less}`;
    const within = kind === 'sum' ? `${greatest}(${kept} + ${less}, 0)` : `${kept} + ${less}`;
    return `${name} = case when ${kept} in (${bound}, -${bound}) then ${kept} else ${within} end`;
  }).join(', ');
}

/** Where the figures are: columns of a table of sums, to be added up or each row by itself, or rows of `call_record`. */
export type FigureSource = 'sums' | 'rows' | 'calls';

/**
 * Each figure added up. Exactly takes twice as long, and is seldom needed: SQLite's own `sum` fails past 64 bits, so both halves are added
 * separately; PostgreSQL adds whole numbers as ones without a bound, and otherwise as doubles, which are exact up to `roundedFrom`, where the
 * result stops.
 */
export function summedFigures(engine: Engine['kind'], source: FigureSource, isExact: boolean): RawBuilder<unknown> {
  if (source === 'rows') return sql.raw(figureColumnNames.join(', '));
  return sql.raw(figureColumns.map(({ name, ofCall, kind }) => {
    const value = source === 'sums' ? name : `(${ofCall})`;
    if (engine === 'postgres') return `cast(${isExact ? exactSum(value, kind, source) : quickSum(value, kind, source)} as bigint) as ${name}`;
    // A sum of nothing is null, which `figuresOfRow` reads as 0: cheaper than to ask for each figure of each row here.
    if (!isExact || kind === 'count') return `sum(${value}) as ${name}`;
    return `coalesce(sum(${value} >> 32), 0) as ${name}_high, coalesce(sum(${value} & 4294967295), 0) as ${name}`;
  }).join(', '));
}

/** From here on a sum of doubles may be rounded. */
const roundedFrom = 2 ** 53;

/** Whether a quick sum of PostgreSQL may be rounded, and is to be made exactly: numbers so large are `bigint`. */
export function mayBeRounded(figures: UsageFigures): boolean {
  return figures.some((figure) => typeof figure === 'bigint');
}

function quickSum(value: string, kind: FigureColumn['kind'], source: FigureSource): string {
  // Of numbers below zero a sum says nothing about those on the way to it; calls are counted by small numbers.
  if (kind === 'signed' || (kind === 'count' && source === 'calls')) return exactSum(value, kind, source);
  return `least(coalesce(sum(cast(${value} as double precision)), 0), ${roundedFrom})`;
}

/** Operations with numbers without a bound are slow: there are no more than each kind needs. */
function exactSum(value: string, kind: FigureColumn['kind'], source: FigureSource): string {
  const sum = `sum(${value})`;
  if (kind === 'count') return sum;
  // Its `least` takes null for the larger one.
  const upward = `least(${source === 'calls' ? `coalesce(${sum}, 0)` : sum}, ${bound})`;
  return kind === 'sum' ? upward : `greatest(${upward}, -${bound})`;
}

/** A plain number if it is small enough, as most are: reports add up hundreds of thousands. */
function wholeFigure(value: bigint): WholeFigure {
  const figure = Number(value);
  return Number.isSafeInteger(figure) ? figure : value;
}

/** The figures of a row that ends with what `summedFigures` made, from the column `at` on. `halved`: exactly, by SQLite. */
export function figuresOfRow(row: readonly RowValue[], at: number, halved: boolean): UsageFigures {
  if (halved) return halvedFigures(row, at);
  const figures = row.slice(at) as UsageFigures;
  for (let index = 0; index < figures.length; index += 1) {
    const figure = row[at + index]!;
    // Added to zero, which brings it within the bounds.
    if (typeof figure !== 'number') figures[index] = figure === null ? 0 : addWhole(0, wholeFigure(figure as bigint));
  }
  return figures;
}

function halvedFigures(row: readonly RowValue[], at: number): UsageFigures {
  let next = at;
  return figureColumns.map(({ kind }) => {
    if (kind === 'count') return addWhole(0, (row[next++] ?? 0) as WholeFigure);
    const [high, low] = [BigInt(row[next++]!), BigInt(row[next++]!)];
    return addWhole(0, (high << 32n) + low);
  });
}
