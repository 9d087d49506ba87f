/** Who changed what, and when. Newest first, with older rows loaded page by page. */
import { Badge, Button, Center, Code, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Download, ScrollText } from 'lucide-react';
import { ask, type Shown } from '../../api/client.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { wordsOf } from '../../shown/audit-words.ts';
import { Moment } from '../../shown/figures.tsx';
import { saveText } from '../../parts/saving.ts';

type Event = Shown<'AuditEvent'>;

export function AuditPage() {
  const events = useInfiniteQuery({
    queryKey: ['get', '/platform/v1/audit', 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      (await ask.GET('/platform/v1/audit', { params: { query: { limit: 100, cursor: pageParam } }, signal })).data!,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const rows = events.data?.pages.flatMap((page) => page.data) ?? [];
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
    <Page title="Audit" about="Every change, written in the change's own transaction." actions={save}>
      <Panel flush>
        <Loaded of={events} height={420}>
          {() =>
            rows.length === 0 ? (
              <Nothing icon={ScrollText} title="Nothing changed yet" />
            ) : (
              <DataTable caption="Changes" rows={rows} rowId={(event) => event.id} columns={columns} minWidth={820} />
            )
          }
        </Loaded>
        {events.hasNextPage ? (
          <Center p="sm">
            <Button variant="default" loading={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
              Older changes
            </Button>
          </Center>
        ) : null}
      </Panel>
    </Page>
  );
}

const columns: readonly Column<Event>[] = [
  { id: 'at', head: 'When', cell: (event) => <Moment at={event.at} /> },
  {
    id: 'who',
    head: 'Who',
    cell: (event) => (
      <Group gap={6} wrap="nowrap">
        <span className="wrap">{event.actor.name ?? event.actor.kind}</span>
        <Badge size="xs" variant="default" c="dimmed">
          {event.actor.kind}
        </Badge>
      </Group>
    ),
  },
  {
    id: 'what',
    head: 'What',
    cell: (event) => (
      <Text span inherit fw={550}>
        {wordsOf(event.action)}
      </Text>
    ),
  },
  { id: 'subject', head: 'Of', cell: (event) => <span className="mono wrap">{event.subject ?? '–'}</span> },
  {
    id: 'detail',
    head: 'Detail',
    cell: (event) =>
      Object.keys(event.detail).length === 0 ? (
        '–'
      ) : (
        <Code className="wrap" bg="var(--page)" c="var(--mantine-color-text)">
          {JSON.stringify(event.detail)}
        </Code>
      ),
  },
];
