/**
 * A table of loaded rows: columns sort by their headers, rows open something by click or Enter. TanStack Table sorts; markup and keyboard
 * access are written here once for every page.
 */
import { Table } from '@mantine/core';
import { createColumnHelper, createSortedRowModel, rowSortingFeature, sortFns, tableFeatures, useTable } from '@tanstack/react-table';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo, useMemo, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
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
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });

export function DataTable<Row extends object>({ caption, columns, rows, rowId, onOpen, minWidth = 640 }: DataTableProps<Row>) {
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
      minWidth={minWidth}
      type="native"
      scrollAreaProps={{ tabIndex: 0 }}
      tabIndex={0}
      role="region"
      aria-label={caption}>
      <Table className={fixed ? 'data-table fixed' : 'data-table'} layout={fixed ? 'fixed' : 'auto'} horizontalSpacing="sm">
        <caption className="visually-hidden">{caption}</caption>
        {fixed ? (
          <colgroup>
            {columns.map(({ id, width }) => (
              <col key={id} style={{ width }} />
            ))}
          </colgroup>
        ) : null}
        <Table.Thead>
          {table.getHeaderGroups().map((group) => (
            <Table.Tr key={group.id}>
              {group.headers.map(({ id, column }) => {
                const sorted = column.getIsSorted();
                const { head, right } = byId.get(id)!;
                return (
                  <Table.Th
                    key={id}
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
          row={({ id, original }) => (
            <Row key={id} of={original} columns={columns as RowProps['columns']} onOpen={onOpen as RowProps['onOpen']} />
          )}
        />
        {columns.some(({ foot }) => foot !== undefined) ? (
          <tfoot>
            <tr>
              {columns.map(({ id, foot, right }) => (
                <td key={id} className={right === true ? 'right' : undefined}>
                  {foot}
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
}

/** Plain elements, drawn again only if the row has changed: a live list may change every second. */
const Row = memo(function Row({ of: row, columns, onOpen }: RowProps) {
  return (
    <tr {...opening(row, onOpen)}>
      {columns.map((column) => (
        <td key={column.id} className={column.right === true ? 'right' : undefined}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
});

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
