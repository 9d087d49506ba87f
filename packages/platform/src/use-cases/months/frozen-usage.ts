/** The calls of a closed month by one dimension, as they were frozen: what a statement of it is made of. */
import { unformatDollars } from '@metergate/core/money.ts';
import { figuresOfTexts, type CallsFileLine } from '@metergate/core/books/month/month-file.ts';
import { addUsage, figureIn, type UsageFigures } from '@metergate/core/report/usage-sum.ts';
import type { ClosedMonth } from '@metergate/store/receipts/month-versions.ts';
import type { UseCaseContext } from '../context.ts';
import { shownUsage, type ShownUsage } from '../usage.ts';
import { eachInTurns } from './in-turns.ts';
import { linesOfMonth, namesOfMonth } from './read-month.ts';

export type FrozenDimension = 'project' | 'model' | 'key';

export interface FrozenUsage {
  /** By a dimension, costliest first, or all in one without. */
  rows(by: readonly FrozenDimension[]): ShownUsage[];
  /** What calls cost more by other prices; empty for one project, since a month does not keep that. */
  readonly byOtherPrices: readonly bigint[];
}

/** Reads the month once. */
export async function frozenUsage(
  context: UseCaseContext, closed: ClosedMonth, project: string | null,
): Promise<FrozenUsage> {
  const all = await linesOfMonth(context.store, closed, ['calls']);
  const names = await namesOfMonth(context.store, closed, all.flatMap((line) => [line.project, line.model]));
  const frozen = all.filter((line) => project === null || names.get(line.project) === project);
  const lines = await eachInTurns(frozen, (line) => ({ line, figures: figuresOfTexts(line.figures) }));
  const subjectIn = (dimension: FrozenDimension, line: CallsFileLine): string => (dimension === 'key' ? line.key : names.get(line[dimension]) ?? '');
  const rows = (by: readonly FrozenDimension[]): ShownUsage[] => {
    const sums = new Map<string, { readonly subjects: readonly string[]; readonly figures: UsageFigures }>();
    for (const { line, figures } of lines) {
      const subjects = by.map((dimension) => subjectIn(dimension, line));
      const sum = sums.get(JSON.stringify(subjects));
      if (sum === undefined) sums.set(JSON.stringify(subjects), { subjects, figures: [...figures] });
      else addUsage(sum.figures, figures);
    }
    return [...sums.values()].toSorted((one, other) => {
      const [a, b] = [figureIn(one.figures, 'cost'), figureIn(other.figures, 'cost')];
      return a === b ? (one.subjects.join() < other.subjects.join() ? -1 : 1) : a > b ? -1 : 1;
    }).map((row) => shownUsage(by, row));
  };
  const corrections = project === null ? await linesOfMonth(context.store, closed, ['correction']) : [];
  return { rows, byOtherPrices: corrections.filter(({ source }) => source === 'prices').map(({ amount }) => unformatDollars(amount)) };
}
