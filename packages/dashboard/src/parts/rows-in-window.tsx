/** The rows of a long table that are near the screen, with space for the others. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { rowsKept } from './rows-kept.ts';

/** What a row of a long table says of itself, so that its true height is known. */
export interface MeasuredRow {
  readonly index: number;
  readonly measure: (row: Element | null) => void;
}

export interface WindowedRowsProps<Row> {
  readonly rows: readonly Row[];
  readonly row: (row: Row, measured?: MeasuredRow) => ReactNode;
  /** How many columns there are. */
  readonly wide: number;
  /** The rows are not yet in the order that was asked for. */
  readonly busy: boolean;
}

/** A usual row, in pixels, until it is measured. */
const rowHeight = 37;
export function RowsInWindow({ rows, row, wide, busy }: WindowedRowsProps<unknown>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setMargin] = useState(0);
  useLayoutEffect(() => {
    setMargin((body.current?.getBoundingClientRect().top ?? 0) + scrollY);
  }, [rows]);
  const virtual = useWindowVirtualizer({ count: rows.length, estimateSize: () => rowHeight, overscan: 20, rangeExtractor: rowsKept, scrollMargin });
  const shown = virtual.getVirtualItems();
  const before = (shown[0]?.start ?? scrollMargin) - scrollMargin;
  const after = virtual.getTotalSize() - ((shown.at(-1)?.end ?? scrollMargin) - scrollMargin);
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? -1];
  // Most frames of a scroll keep the rows: they are not even compared then.
  const drawn = useMemo(
    () => rows.slice(first, last + 1).map((each, at) => row(each, { index: first + at, measure: virtual.measureElement })),
    [rows, row, first, last, virtual],
  );
  return (
    <tbody ref={body} role="rowgroup" aria-busy={busy || undefined}>
      <Space height={before} wide={wide} />
      {drawn}
      <Space height={after} wide={wide} />
    </tbody>
  );
}

/** Stands for rows that are not in the document. */
function Space({ height, wide }: { readonly height: number; readonly wide: number }) {
  return height <= 0 ? null : (
    <tr aria-hidden>
      <td colSpan={wide} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
