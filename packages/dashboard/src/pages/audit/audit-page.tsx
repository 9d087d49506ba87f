/** Who changed what, and when. Newest first, with older rows loaded page by page. */
import { Button, Text } from '@mantine/core';
import { Download, ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import type { Shown } from '../../api/client.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Older, useLongList } from '../../parts/long-list.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { auditWords } from '../../shown/audit-words.ts';
import { MomentInTwo } from '../../shown/figures.tsx';
import { useKeyNames, type KeyNames } from '../../shown/key-names.ts';
import { auditQuery } from './audit-asks.ts';
import { ChangeDetail } from './change-detail.tsx';
import { saveText } from '../../parts/saving.ts';

type Event = Shown<'AuditEvent'>;

export function AuditPage() {
  const { list: events, rows } = useLongList(auditQuery);
  const keys = useKeyNames();
  const columns = useMemo(() => columnsFor(keys), [keys]);
  const save = (
    <Button
      variant="default"
      leftSection={<Download size={16} aria-hidden />}
      disabled={rows.length === 0}
      onClick={() => saveText('audit.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'))}>
      Save what is shown
    </Button>
  );
  return (
    <Page title="Audit" about="Who changed what. Each line was written together with its change." actions={save}>
      <Panel flush>
        <Loaded of={events} height={420}>
          {() =>
            rows.length === 0 ? (
              <Nothing icon={ScrollText} title="Nothing changed yet" />
            ) : (
              <DataTable caption="Changes" wrapped rows={rows} rowId={(event) => event.id} columns={columns} minWidth={820} />
            )
          }
        </Loaded>
        <Older of={events}>Older changes</Older>
      </Panel>
    </Page>
  );
}

const columnsFor = (keys: KeyNames): readonly Column<Event>[] => [
  { id: 'at', card: 'under', head: 'When', width: '9rem', cell: (event) => <MomentInTwo at={event.at} /> },
  {
    id: 'who',
    head: 'Who',
    width: '14rem',
    cell: (event) => (
      <>
        <div className="wrap">{event.actor.name ?? event.actor.kind}</div>
        {event.actor.name === null || event.actor.name === event.actor.kind ? null : <div className="dim small">{event.actor.kind}</div>}
      </>
    ),
  },
  {
    id: 'what',
    card: 'lead',
    head: 'What',
    width: '12rem',
    cell: (event) => (
      <Text span inherit fw={550}>
        {auditWords(event.action)}
      </Text>
    ),
  },
  { id: 'subject', head: 'Of', width: '15rem', cell: ({ subject }) => <Subject id={subject} name={keys.get(subject ?? '')} /> },
  { id: 'detail', head: 'Detail', cell: (event) => <ChangeDetail of={event.detail} /> },
];

/** Names change and may be given twice, so the id stays beside it. */
function Subject({ id, name }: { readonly id: string | null; readonly name: string | undefined }) {
  if (id === null) return '–';
  return (
    <>
      {name === undefined ? null : <div className="wrap">{name}</div>}
      <div className={name === undefined ? 'mono' : 'mono dim small'}>{id}</div>
    </>
  );
}
