/** When caps were reached, from the audit trail: from then until their reset, calls were refused. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Shown } from '../../api/client.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/page.tsx';
import { Money, Moment } from '../../shown/figures.tsx';
import { useKeyNames, type KeyNames } from '../../shown/key-names.ts';
import { CapSubject } from './cap-facts.tsx';
import { reachedQuery } from './caps-asks.ts';

type Row = Shown<'AuditEvent'>;

/** For those who may see the audit. Hidden if no cap was reached. */
export function ReachedPanel({ caps }: { readonly caps: readonly Shown<'Cap'>[] }) {
  const names = useKeyNames();
  const reached = useQuery({ ...reachedQuery, refetchInterval: 10_000 });
  const columns = useMemo(() => columnsOf(caps, names), [caps, names]);
  const rows = reached.data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Panel flush title="Reached lately" about="From then on calls were refused, until the cap was raised or its window started again.">
      <DataTable<Row> caption="Caps reached lately" rows={rows} rowId={({ id }) => id} columns={columns} />
    </Panel>
  );
}

function columnsOf(caps: readonly Shown<'Cap'>[], names: KeyNames): readonly Column<Row>[] {
  return [
    {
      id: 'cap',
      head: 'Cap of',
      cell: ({ subject }) => {
        const cap = caps.find((each) => each.id === subject);
        return cap === undefined ? (
          <>
            A cap that is removed, <span className="mono wrap">{subject}</span>
          </>
        ) : (
          <span>
            <CapSubject cap={cap} names={names} />, {cap.window}
          </span>
        );
      },
    },
    { id: 'at', head: 'Reached', cell: ({ at }) => <Moment at={at} relative /> },
    {
      id: 'limit',
      head: 'Limit then',
      right: true,
      cell: ({ detail }) => <Money amount={typeof detail['limit'] === 'string' ? detail['limit'] : null} />,
    },
  ];
}
