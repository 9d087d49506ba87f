/** Figures of some calls, and how they are read: rows of one statement whose last columns are the figures. */
import { attributionDimensions, type AttributionDimension, type UsageFigures } from '@metergate/core/report/usage-sum.ts';
import type { RawBuilder } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { StoreFault } from '../engine/fault.ts';
import type { RowColumn } from '../engine/rows-by-column.ts';
import type { RowValue } from '../engine/send.ts';
import { figureColumnNames, figuresOfRow, mayBeRounded, summedFigures, type FigureSource } from './figure-columns.ts';
import { shapeOf, type UsageQuery } from './usage-query.ts';

/** Figures of some calls. What the question does not need is null. */
export interface UsagePart {
  readonly attribution: number | null;
  /** The attribution's names that the question needs; null: look them up by its number. */
  readonly names: { readonly [D in AttributionDimension]?: string } | null;
  /** The subject of a named sum in its one dimension. */
  readonly subject: string | null;
  /** JSON array; null: none, or not asked for. */
  readonly labels: string | null;
  readonly run: string | null;
  readonly session: string | null;
  readonly upstream: string | null;
  /** The first instant of the day, month or hour that they started in. */
  readonly startMs: number | null;
  readonly figures: UsageFigures;
}

/** What a statement selects before its sums. */
export type PartColumn = AttributionDimension | 'attribution' | 'subject' | 'labels' | 'run' | 'session' | 'upstream' | 'start_ms';

/** The time of the sums, if it distinguishes rows. */
export function timeOf(query: Pick<UsageQuery, 'by' | 'filter'>): 'start_ms'[] {
  return shapeOf(query).time === null ? [] : ['start_ms'];
}

/** `columns`: what the statement selects before the sums. `statement`: given the sums, the whole select. */
type PartReading = (
  source: FigureSource, columns: readonly PartColumn[], statement: (sums: RawBuilder<unknown>) => RawBuilder<unknown>,
) => Promise<readonly UsagePart[]>;

const wholeFigures = figureColumnNames.map(() => 'whole' as const);

export function partReadingOf(engine: Engine): PartReading {
  const isSqlite = engine.kind === 'sqlite';
  return async (source, columns, statement) => {
    const run = async (isExact: boolean): Promise<UsagePart[]> => {
      const held = [...columns.map((name): RowColumn => (name === 'attribution' || name === 'start_ms' ? 'whole' : 'text')), ...wholeFigures];
      const rows = await engine.rows(statement(summedFigures(engine.kind, source, isExact)), held);
      return partsIn(rows, columns, isSqlite && isExact);
    };
    try {
      const parts = await run(false);
      if (isSqlite || source === 'rows' || !parts.some(({ figures }) => mayBeRounded(figures))) return parts;
    } catch (fault) {
      if (!isSqlite || source === 'rows' || !(fault instanceof StoreFault) || fault.code !== 'statement_refused') throw fault;
    }
    return run(true);
  };
}

function partsIn(rows: readonly (readonly RowValue[])[], columns: readonly PartColumn[], halved: boolean): UsagePart[] {
  const at = (name: PartColumn): number => columns.indexOf(name);
  const [attribution, start] = [at('attribution'), at('start_ms')];
  const [subject, labels, run, session, upstream] = [at('subject'), at('labels'), at('run'), at('session'), at('upstream')];
  const named = attributionDimensions.filter((name) => columns.includes(name));
  const parts: UsagePart[] = [];
  for (const row of rows) {
    const figures = figuresOfRow(row, columns.length, halved);
    if (figures[0] === 0) continue;
    parts.push({
      attribution: numberIn(row, attribution), names: named.length === 0 ? null : namesIn(row, named, columns),
      subject: textIn(row, subject), labels: textIn(row, labels), run: textIn(row, run), session: textIn(row, session),
      upstream: textIn(row, upstream), startMs: numberIn(row, start), figures,
    });
  }
  return parts;
}

/** `place`: negative if the row has no such column. */
function textIn(row: readonly RowValue[], place: number): string | null {
  return place < 0 ? null : row[place] as string | null;
}

function numberIn(row: readonly RowValue[], place: number): number | null {
  return place < 0 ? null : Number(row[place]);
}

function namesIn(row: readonly RowValue[], named: readonly AttributionDimension[], columns: readonly PartColumn[]): UsagePart['names'] {
  const names: { [D in AttributionDimension]?: string } = {};
  for (const name of named) names[name] = row[columns.indexOf(name)] as string;
  return names;
}
