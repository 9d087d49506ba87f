/**
 * The body of a table. Of long ones only the rows near the screen are in the document, so that a hundred thousand scroll as ten do. Short ones
 * are there as a whole, so that the browser finds text in them; they grow by a screen with every frame.
 */
import { startTransition, useEffect, useState } from 'react';
import { onDemand } from './on-demand.tsx';
import type { WindowedRowsProps } from './rows-in-window.tsx';

/** Tables up to this many rows are there as a whole. */
export const wholeMax = 200;
/** About as many rows as a screen shows. To lay out two hundred at once takes longer than a page may stand still. */
const screen = 30;

// Most people never see a table so long, so the first page does not load what it takes.
export const LongRows = onDemand(async () => (await import('./rows-in-window.tsx')).RowsInWindow);

export function WindowedRows<Row>(props: WindowedRowsProps<Row>) {
  if (props.rows.length <= wholeMax) return <GrowingRows {...props} />;
  return (
    <LongRows
      waiting={<tbody role="rowgroup" aria-busy>{props.rows.slice(0, screen).map((each) => props.row(each))}</tbody>}
      {...(props as unknown as WindowedRowsProps<unknown>)}
    />
  );
}

function GrowingRows<Row>({ rows, row, busy }: WindowedRowsProps<Row>) {
  const [count, setCount] = useState(screen);
  const isWhole = count >= rows.length;
  useEffect(() => {
    if (isWhole) return;
    const frame = requestAnimationFrame(() => startTransition(() => setCount(count + screen)));
    return () => cancelAnimationFrame(frame);
  }, [count, isWhole]);
  return <tbody role="rowgroup" aria-busy={busy || !isWhole || undefined}>{(isWhole ? rows : rows.slice(0, count)).map((each) => row(each))}</tbody>;
}
