/**
 * A table of loaded rows: columns sort by their headers, rows open something by click or Enter. TanStack Table sorts; markup and keyboard
 * access are written here once for every page.
 */
import { Table } from '@mantine/core';
import { createColumnHelper, createSortedRowModel, rowSortingFeature, sortFns, tableFeatures, useTable } from '@tanstack/react-table';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo, useMemo, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import type { MeasuredRow } from './rows-in-window.tsx';
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
  /** Width of the column, such as `6rem`. If one column has a width, widths never depend on the content, and long lines of a cell are clipped. */
  readonly width?: string;
}

export interface DataTableProps<Row> {
  /** What the table holds, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly minWidth?: number;
  /** Long text of a column with a width breaks into lines; otherwise it is clipped. */
  readonly wrapped?: boolean;
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });

export function DataTable<Row extends object>({ caption, columns, rows, rowId, onOpen, minWidth = 640, wrapped = false }: DataTableProps<Row>) {
  const shaped = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return helper.columns(
      columns.map((column) =>
        helper.accessor((row) => column.sortBy?.(row) ?? '', {
          id: column.id,
          enableSorting: column.sortBy !== undefined,
          sortDescFirst: column.right === true,
        }),
      ),
    );
  }, [columns]);
  const table = useTable({ features, columns: shaped, data: rows as Row[], getRowId: rowId });
  const byId = new Map(columns.map((column) => [column.id, column]));
  // Where only the rows near the screen are in the document, widths must not follow them.
  const fixed = rows.length > wholeMax || columns.some(({ width }) => width !== undefined);
  return (
    <Table.ScrollContainer
      className="data-table-frame"
      minWidth={minWidth}
      type="native"
      scrollAreaProps={{ tabIndex: 0 }}
      tabIndex={0}
      role="region"
      aria-label={caption}>
      <Table
        role="table"
        className={fixed && !wrapped ? 'data-table cards fixed' : 'data-table cards'}
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
          {table.getHeaderGroups().map((group) => (
            <Table.Tr key={group.id} role="row">
              {group.headers.map(({ id, column }) => {
                const sorted = column.getIsSorted();
                const { head, right } = byId.get(id)!;
                return (
                  <Table.Th
                    key={id}
                    role="columnheader"
                    className={right === true ? 'right' : undefined}
                    aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined}>
                    {column.getCanSort() ? (
                      <button type="button" className="sort-button" onClick={column.getToggleSortingHandler()}>
                        {head}
                        {sorted === 'asc' ? (
                          <ArrowUp size={12} aria-hidden />
                        ) : sorted === 'desc' ? (
                          <ArrowDown size={12} aria-hidden />
                        ) : null}
                      </button>
                    ) : head === '' ? (
                      <span className="visually-hidden">Actions</span>
                    ) : (
                      head
                    )}
                  </Table.Th>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Thead>
        <WindowedRows<Row>
          rows={table.getRowModel().rows}
          wide={columns.length}
          row={({ id, original }, measured) => (
            <Row
              key={id}
              of={original}
              columns={columns as RowProps['columns']}
              onOpen={onOpen as RowProps['onOpen']}
              measure={measured?.measure}
              index={measured?.index}
            />
          )}
        />
        {columns.some(({ foot }) => foot !== undefined) ? (
          <tfoot role="rowgroup">
            <tr role="row">
              {columns.map((column) => (
                <td key={column.id} role="cell" {...placed(column, columns)}>
                  {column.foot}
                </td>
              ))}
            </tr>
          </tfoot>
        ) : null}
      </Table>
    </Table.ScrollContainer>
  );
}

interface RowProps {
  readonly of: object;
  readonly columns: readonly Column<object>[];
  readonly onOpen: ((row: object) => void) | undefined;
  readonly measure: MeasuredRow['measure'] | undefined;
  readonly index: number | undefined;
}

/** Plain elements, drawn again only if the row has changed: a live list may change every second. */
const Row = memo(function Row({ of: row, columns, onOpen, measure, index }: RowProps) {
  return (
    <tr role="row" ref={measure} data-index={index} {...opening(row, onOpen)}>
      {columns.map((column) => (
        <td key={column.id} role="cell" {...placed(column, columns)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
});

/** Where a cell stands in its row, and in the card that the row is on a phone. Roles are explicit because a card is no table to some browsers. */
function placed<Row>({ id, head, right, card }: Column<Row>, [first, ...rest]: readonly Column<Row>[]) {
  const leads = id === first?.id && card === undefined && !rest.some((other) => other.card === 'lead');
  const place = leads ? 'lead' : (card ?? (head === '' ? 'actions' : 'line'));
  return { className: right === true ? `right card-${place}` : `card-${place}`, 'data-head': head };
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
