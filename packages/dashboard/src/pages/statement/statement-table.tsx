/** One table of a statement: the costliest rows with a total that is of all of them. Paper gets every row. */
import { Button, Table, Text } from '@mantine/core';
import { startTransition, useState } from 'react';
import type { PageAmounts } from '@metergate/core/books/allocation/page-amounts.ts';
import type { Shown } from '../../api/client.ts';
import { usePrinting } from '../../parts/printing.ts';
import { OfIncompleteCost } from '../../parts/usage-cost.tsx';
import { nanoOf, wholeCount } from '../../shown/amounts.ts';
import { costSaid, incompleteIn } from '../../shown/incomplete-cost.ts';

export type Row = Shown<'Usage'>;

/** As many as a page shows before it is asked for all. */
const shownFirst = 10;

interface StatementTableProps {
  /** What a row is: `Project`. */
  readonly of: string;
  /** Of every call, costliest first. */
  readonly rows: readonly Row[];
  readonly amounts: PageAmounts;
  readonly name: (row: Row) => string;
}

export function StatementTable({ of, rows, amounts, name }: StatementTableProps) {
  const [all, setAll] = useState(false);
  const printing = usePrinting();
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed" p="md">
        No call in this month.
      </Text>
    );
  }
  const units = amounts.together(rows.map(({ cost }) => nanoOf(cost)));
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  return (
    <>
      <Table role="table" className="data-table statement" horizontalSpacing="sm">
        <caption className="visually-hidden">By {of.toLowerCase()}</caption>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            <Table.Th role="columnheader">{of}</Table.Th>
            <Table.Th role="columnheader" className="right">Calls</Table.Th>
            <Table.Th role="columnheader" className="right">Cost</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {(all || printing ? rows : rows.slice(0, shownFirst)).map((row, index) => (
            <Table.Tr role="row" key={index}>
              <Table.Td role="cell" className="wrap">{name(row)}</Table.Td>
              <Table.Td role="cell" className="right">
                {wholeCount(row.calls)}
                <OfIncompleteCost of={incompleteIn([row])} />
              </Table.Td>
              <Table.Td role="cell" className="right">{costOf(row, amounts, units[index]!)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot role="rowgroup">
          <Table.Tr role="row">
            <Table.Th role="rowheader">Total{rows.length > shownFirst ? ` of ${wholeCount(rows.length)}` : ''}</Table.Th>
            <Table.Th role="cell" className="right">
              {wholeCount(calls)}
              <OfIncompleteCost of={incompleteIn(rows)} />
            </Table.Th>
            <Table.Th role="cell" className="right">${amounts.text(units.reduce((sum, each) => sum + each, 0n))}</Table.Th>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
      {all || rows.length <= shownFirst ? null : (
        <Button className="no-print" m="xs" size="compact-sm" variant="default" onClick={() => startTransition(() => setAll(true))}>
          Show all {wholeCount(rows.length)}
        </Button>
      )}
    </>
  );
}

function costOf(row: Row, amounts: PageAmounts, units: bigint) {
  const said = costSaid(row);
  if (said === 'not_known') return <span className="warn nowrap">not known</span>;
  return (
    <>
      ${amounts.text(units)}
      {said === 'incomplete' ? <span className="warn small"> incomplete</span> : null}
    </>
  );
}
