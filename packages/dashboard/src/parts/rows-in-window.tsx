/** The rows of a long table that are near the screen, with space for the others. */
import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { startTransition, useLayoutEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { usePrinting } from './printing.ts';
import { evenRowsNear, printedMax, rowsKept, type KeptRows } from './rows-kept.ts';

/** What a row of a long table says of itself, so that its true height is known. */
export interface MeasuredRow {
  readonly index: number;
  /** Absent: all are of one height. */
  readonly measure?: (row: Element | null) => void;
}

export interface WindowedRowsProps<Row> {
  readonly rows: readonly Row[];
  readonly row: (row: Row, measured?: MeasuredRow) => ReactNode;
  /** How many columns there are. */
  readonly wide: number;
  /** All rows are of one height where they are no cards. */
  readonly even?: boolean;
  /** The rows are not yet in the order that was asked for. */
  readonly busy: boolean;
}

/** A usual row, in pixels, until one is measured. */
const usualPx = 37;
/** How many are kept beyond each end of the screen. */
const overscan = 20;
const cards = '(max-width: 40em)';

export function RowsInWindow(props: WindowedRowsProps<unknown>) {
  const areCards = useMediaQuery(cards, matchMedia(cards).matches);
  const isPrinted = usePrinting() && props.rows.length <= printedMax;
  if (isPrinted) return <tbody role="rowgroup">{props.rows.map((each) => props.row(each))}</tbody>;
  return props.even === true && !areCards ? <EvenRows {...props} /> : <UnevenRows {...props} />;
}

/**
 * Where each row may have a height of its own. With each that is not as estimated, the places of all rows after it are worked out anew: of a hundred
 * thousand, in most frames of a scroll.
 */
function UnevenRows({ rows, row, wide, busy }: WindowedRowsProps<unknown>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [scrollMargin, setMargin] = useState(0);
  useLayoutEffect(() => {
    setMargin((body.current?.getBoundingClientRect().top ?? 0) + scrollY);
  }, [rows]);
  const virtual = useWindowVirtualizer({ count: rows.length, estimateSize: () => usualPx, overscan, rangeExtractor: rowsKept, scrollMargin });
  const shown = virtual.getVirtualItems();
  const before = (shown[0]?.start ?? scrollMargin) - scrollMargin;
  const after = virtual.getTotalSize() - ((shown.at(-1)?.end ?? scrollMargin) - scrollMargin);
  const [first, end] = [shown[0]?.index ?? 0, (shown.at(-1)?.index ?? -1) + 1];
  // Most frames of a scroll keep the rows: they are not even compared then.
  const drawn = useMemo(
    () => rows.slice(first, end).map((each, at) => row(each, { index: first + at, measure: virtual.measureElement })),
    [rows, row, first, end, virtual],
  );
  return <Rows {...{ body, before, drawn, after, wide, busy }} />;
}

function EvenRows({ rows, row, wide, busy }: WindowedRowsProps<unknown>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [rowPx, setRowPx] = useState(usualPx);
  const { first, end } = useEvenRowsNear(body, rows.length, rowPx);
  useLayoutEffect(() => {
    setRowPx((old) => body.current?.querySelector(':scope > [data-index]')?.getBoundingClientRect().height || old);
  }, [rows]);
  const drawn = useMemo(() => rows.slice(first, end).map((each, at) => row(each, { index: first + at })), [rows, row, first, end]);
  return <Rows {...{ body, drawn, wide, busy }} before={first * rowPx} after={(rows.length - end) * rowPx} />;
}

/**
 * Draws nothing as long as the rows stay, which is in most frames of a scroll. As long as the screen has rows, the next ones are drawn in pieces
 * between the frames.
 */
function useEvenRowsNear(body: RefObject<HTMLTableSectionElement | null>, count: number, rowPx: number): KeptRows {
  // At first what a screen shows at most: the page stands still for less time, and the others come after that.
  const [kept, setKept] = useState<KeptRows>(() => evenRowsNear({ topPx: 0, screenPx: innerHeight, rowPx, overscan: 0, count }));
  const asked = useRef(kept);
  const shown = useRef(kept);
  useLayoutEffect(() => {
    shown.current = kept;
  }, [kept]);
  useLayoutEffect(() => {
    const look = (): void => {
      const topPx = body.current?.getBoundingClientRect().top ?? 0;
      const next = evenRowsNear({ topPx, screenPx: innerHeight, rowPx, overscan, count });
      const { first, end } = shown.current;
      const isCovered = first * rowPx <= Math.max(0, -topPx) && end * rowPx >= Math.min(count * rowPx, innerHeight - topPx);
      const isAsked = asked.current.first === next.first && asked.current.end === next.end;
      if (isAsked && isCovered) return;
      asked.current = next;
      if (isCovered) startTransition(() => setKept(next));
      else setKept((old) => (old.first === next.first && old.end === next.end ? old : next));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [body, count, rowPx]);
  return kept;
}

interface RowsProps extends Pick<WindowedRowsProps<unknown>, 'wide' | 'busy'> {
  readonly body: RefObject<HTMLTableSectionElement | null>;
  /** The heights of what is not drawn. */
  readonly before: number;
  readonly after: number;
  readonly drawn: ReactNode;
}

function Rows({ body, before, drawn, after, wide, busy }: RowsProps) {
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
