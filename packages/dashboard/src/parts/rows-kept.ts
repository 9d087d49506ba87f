/** Which rows of a long table are in the document while some of them are on the screen. */

/** Tables up to this many rows are printed as a whole: more than a hundred sheets. */
export const printedMax = 5_000;

/** Rows come and go by this many: with each change of its rows the browser lays out the table, so that most frames of a scroll should have none. */
const step = 8;

interface RowsOnScreen {
  readonly startIndex: number;
  /** Included. */
  readonly endIndex: number;
  /** How many are kept beyond each end at least. */
  readonly overscan: number;
  /** How many there are. */
  readonly count: number;
}

/** Their indexes: whole steps, but for the last of the table. */
export function rowsKept({ startIndex, endIndex, overscan, count }: RowsOnScreen): number[] {
  const first = Math.max(0, Math.floor((startIndex - overscan) / step) * step);
  // A step more than is needed, so that both ends move in the same frames.
  const end = Math.min(count, first + Math.ceil((endIndex - startIndex + 1 + 2 * overscan + step) / step) * step);
  return Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
}

/** From `first` up to `end`, which is not included. */
export interface KeptRows {
  readonly first: number;
  readonly end: number;
}

interface EvenRowsOnScreen extends Pick<RowsOnScreen, 'overscan' | 'count'> {
  /** Where the first row begins, from the top of the screen. */
  readonly topPx: number;
  readonly screenPx: number;
  /** The height of every row. */
  readonly rowPx: number;
}

/** The same where all rows are of one height. Wherever the screen is, at least the rows of one screen are kept. */
export function evenRowsNear({ topPx, screenPx, rowPx, overscan, count }: EvenRowsOnScreen): KeptRows {
  const onScreen = Math.ceil(screenPx / rowPx) + 1;
  const startIndex = Math.max(0, Math.min(Math.floor(-topPx / rowPx), count - onScreen));
  const kept = rowsKept({ startIndex, endIndex: Math.min(count - 1, startIndex + onScreen - 1), overscan, count });
  return { first: kept[0] ?? 0, end: (kept.at(-1) ?? -1) + 1 };
}
