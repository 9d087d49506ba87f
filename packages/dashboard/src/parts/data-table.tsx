/**
 * A table of loaded rows: columns sort by their headers, rows open something by click or Enter. Markup and keyboard access are written here
 * once for every page.
 */
import { Table } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo, useId, useMemo, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import { wholeCount } from '../shown/amounts.ts';
import { RowCalled } from './named-by-row.tsx';
import type { MeasuredRow } from './rows-in-window.tsx';
import { printedMax } from './rows-kept.ts';
import { useSortedRows } from './sorted-rows.ts';
import { wholeMax, WindowedRows } from './windowed-rows.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** The value to sort by; absent: the column is not sortable. */
  readonly sortBy?: (row: Row) => string | number;
  readonly right?: boolean;
  /** What stands under the column, if the table has a foot. */
  readonly foot?: ReactNode;
  /**
   * Its place on a phone, where each row is a card: `lead` and `money` share the first line, `under` and `state` the second, and `wide` has a
   * line alone. The others follow with their heads before them. Absent: the first column leads.
   */
  readonly card?: 'lead' | 'money' | 'under' | 'state' | 'wide';
  /** Width of the column, such as `6rem`. If one column has a width, widths never depend on the content, and long names are clipped. */
  readonly width?: string;
  /**
   * Of a table that may have many figures: the least width of the column, in rem, where the window is too narrow for all of them. A table whose
   * columns all have one is dense there, and its names share what the figures leave.
   */
  readonly narrow?: number;
}

interface DataTableProps<Row> {
  /** What the table holds, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly minWidth?: number;
  /** Long text of a column with a width breaks into lines; otherwise it is clipped. */
  readonly wrapped?: boolean;
  /** Every cell has one line, so that all rows of a long table are of one height. */
  readonly even?: boolean;
}

/** Which column the rows are sorted by. */
interface Sorting {
  readonly id: string;
  readonly descending: boolean;
}

/** After the first click on a column's head its figures begin with the largest and its words with the first; then the other way; then as given. */
function sortedNext(now: Sorting | null, { id, right }: Column<never>): Sorting | null {
  const first = right === true;
  if (now?.id !== id) return { id, descending: first };
  return now.descending === first ? { id, descending: !first } : null;
}

export function DataTable<Row extends object>({ caption, columns, rows, rowId, onOpen, minWidth = 640, wrapped = false, even }: DataTableProps<Row>) {
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const value = sorting === null ? undefined : columns.find(({ id }) => id === sorting.id)?.sortBy;
  const by = useMemo(() => (value === undefined ? null : { value, descending: sorting!.descending }), [value, sorting]);
  const sorted = useSortedRows(rows, by);
  // Where only the rows near the screen are in the document, widths must not follow them, and neither must the layout of the rows that stay.
  const windowed = rows.length > wholeMax;
  const fixed = windowed || columns.some(({ width }) => width !== undefined);
  const places = useMemo(() => columns.map((column) => placed(column, columns)), [columns]);
  const table = useId();
  const hasActions = columns.some(({ head }) => head === '');
  const tooNarrow = `(min-width: 40.01em) and (max-width: ${columns.length > figuresMany ? 112 : 75}em)`;
  const dense = useMediaQuery(tooNarrow, matchMedia(tooNarrow).matches) && columns.every(({ narrow }) => narrow !== undefined);
  return (
    <>
      {rows.length > printedMax ? (
        <p className="on-paper windowed-note">
          These {wholeCount(rows.length)} rows are too many for paper, which has only those on the screen. A file has all.
        </p>
      ) : null}
      <Table.ScrollContainer
        className={dense ? 'data-table-frame dense-frame' : 'data-table-frame'}
        minWidth={minWidth}
        type="native"
        scrollAreaProps={{ tabIndex: 0 }}
        tabIndex={0}
        role="region"
        aria-label={caption}>
        <Table
          role="table"
          className={['data-table cards', fixed && !wrapped && 'fixed', windowed && 'windowed', dense && 'dense'].filter(Boolean).join(' ')}
          style={{ ...(windowed ? { '--columns': tracksOf(columns) } : {}), ...(dense ? narrowSizes(columns) : {}) }}
          layout={fixed ? 'fixed' : 'auto'}
          horizontalSpacing="sm">
          <caption className="visually-hidden">{caption}</caption>
          {fixed ? (
            <colgroup>
              {columns.map(({ id, width }) => (
                <col key={id} style={{ width }} />
              ))}
            </colgroup>
          ) : null}
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map((column) => (
                <Head
                  key={column.id}
                  of={column}
                  sorted={sorting?.id === column.id ? (sorting.descending ? 'descending' : 'ascending') : undefined}
                  onSort={() => setSorting(sortedNext(sorting, column))}
                />
              ))}
            </Table.Tr>
          </Table.Thead>
          <WindowedRows<Row>
            rows={sorted.rows}
            wide={columns.length}
            busy={sorted.busy}
            even={even ?? false}
            row={(row, measured) => (
              <Row
                key={rowId(row)}
                of={row}
                columns={columns as RowProps['columns']}
                places={places}
                onOpen={onOpen as RowProps['onOpen']}
                measure={measured?.measure}
                index={measured?.index}
                called={hasActions ? `${table}${rowId(row).replaceAll(/\s/g, '_')}` : undefined}
              />
            )}
          />
          {columns.some(({ foot }) => foot !== undefined) ? (
            <tfoot role="rowgroup">
              <tr role="row">
                {columns.map((column, at) => (
                  <td key={column.id} role="cell" {...places[at]!.cell}>
                    {column.foot}
                  </td>
                ))}
              </tr>
            </tfoot>
          ) : null}
        </Table>
      </Table.ScrollContainer>
    </>
  );
}

function Head<Row>({ of: { head, right, sortBy }, sorted, onSort }: {
  readonly of: Column<Row>;
  readonly sorted: 'ascending' | 'descending' | undefined;
  readonly onSort: () => void;
}) {
  const Arrow = sorted === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <Table.Th role="columnheader" className={right === true ? 'right' : undefined} aria-sort={sorted}>
      {sortBy !== undefined ? (
        <>
          <button type="button" className="sort-button" onClick={onSort}>
            {head}
            {sorted === undefined ? null : <Arrow size={12} aria-hidden />}
          </button>
          {/* Of the heads that a browser repeats on each sheet it leaves out buttons. */}
          <span className="on-paper">{head}</span>
        </>
      ) : head === '' ? (
        <span className="visually-hidden">Actions</span>
      ) : (
        head
      )}
    </Table.Th>
  );
}

interface RowProps {
  readonly of: object;
  readonly columns: readonly Column<object>[];
  readonly places: readonly ReturnType<typeof placed>[];
  readonly onOpen: ((row: object) => void) | undefined;
  readonly measure: MeasuredRow['measure'];
  readonly index: number | undefined;
  /** What the ids of its cells begin with; undefined: it has no actions, which are named by them. */
  readonly called: string | undefined;
}

/** Plain elements, drawn again only if the row has changed: a live list may change every second. */
const Row = memo(function Row({ of: row, columns, places, onOpen, measure, index, called }: RowProps) {
  const idOf = (at: number): string | undefined => (called !== undefined && places[at]!.names ? `${called}${columns[at]!.id}` : undefined);
  return (
    <tr role="row" ref={measure} data-index={index} {...opening(row, onOpen)}>
      {columns.map((column, at) => (
        <td key={column.id} role="cell" id={idOf(at)} {...places[at]!.cell}>
          {called === undefined || column.head !== '' ? (
            column.cell(row)
          ) : (
            <RowCalled value={columns.flatMap((_, other) => idOf(other) ?? []).join(' ')}>{column.cell(row)}</RowCalled>
          )}
        </td>
      ))}
    </tr>
  );
});

/** The same widths for rows that each lay out themselves. */
function tracksOf(columns: readonly Pick<Column<never>, 'width'>[]): string {
  return columns.map(({ width }) => (width === undefined ? 'minmax(0, 1fr)' : `minmax(${width}, ${Number.parseFloat(width)}fr)`)).join(' ');
}

/** With more columns a table is dense in all but the widest windows. */
const figuresMany = 8;

/** The columns of rows that lay out themselves, and the most that a name has in the others: what the window leaves. */
function narrowSizes<Row>(columns: readonly Column<Row>[]): Record<string, string> {
  const sum = (of: readonly Column<Row>[]): number => of.reduce((rem, { narrow }) => rem + narrow!, 0);
  const names = columns.filter(({ right }) => right !== true);
  const figures = sum(columns.filter(({ right }) => right === true));
  const least = sum(names) / names.length;
  return {
    // What is left goes to the names above all.
    '--narrow-columns': columns.map(({ narrow, right }) => `minmax(${narrow}rem, ${right === true ? narrow : narrow! * 3}fr)`).join(' '),
    '--name': `calc(max(${least}rem, (100vw - var(--beside) - ${figures}rem) / ${names.length}) - 0.75rem)`,
  };
}

/** Where a cell stands in its row, and in the card that the row is on a phone. Roles are explicit because a card is no table to some browsers. */
function placed<Row>({ id, head, right, card }: Column<Row>, [first, ...rest]: readonly Column<Row>[]) {
  const leads = id === first?.id && card === undefined && !rest.some((other) => other.card === 'lead');
  const place = leads ? 'lead' : (card ?? (head === '' ? 'actions' : 'line'));
  return {
    cell: { className: right === true ? `right card-${place}` : `card-${place}`, 'data-head': head },
    /** Whether it says what the row is called. */
    names: place === 'lead' || place === 'under',
  };
}

function opening<Row>(row: Row, onOpen: ((row: Row) => void) | undefined) {
  if (onOpen === undefined) return {};
  return {
    'data-clickable': true,
    tabIndex: 0,
    onClick: (event: MouseEvent) => {
      if (!(event.target as Element).closest('a,button,input')) onOpen(row);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row);
    },
  };
}
