/**
 * The body of a table. Of long ones only the rows near the screen are in the document, so that a hundred thousand scroll as ten do. Short ones
 * are there as a whole, so that the browser finds text in them and prints them.
 */
import { lazy, Suspense } from 'react';
import type { WindowedRowsProps } from './rows-in-window.tsx';

/** Tables up to this many rows are there as a whole. */
export const wholeMax = 200;

// Most people never see a table so long, so the first page does not load what it takes.
const RowsInWindow = lazy(async () => ({ default: (await import('./rows-in-window.tsx')).RowsInWindow }));

export function WindowedRows<Row>({ rows, row, wide }: WindowedRowsProps<Row>) {
  const first = <tbody>{rows.slice(0, wholeMax).map((each) => row(each))}</tbody>;
  return rows.length <= wholeMax ? first : (
    <Suspense fallback={first}>
      <RowsInWindow rows={rows} row={row as WindowedRowsProps<unknown>['row']} wide={wide} />
    </Suspense>
  );
}
