/** Calls that were refused, one by one: found by the id that the caller's error shows, by key, run or reason. What would let them through. */
import { Button, Drawer, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Search, ShieldCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Shown } from '../../api/client.ts';
import type { RefusalsSearch } from '../../app/page-search.ts';
import { CopyableId } from '../../parts/copying.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Older, useLongList } from '../../parts/long-list.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { RefusalHelp } from '../../parts/refusal-help.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { MomentInTwo, Moment } from '../../shown/figures.tsx';
import { useKeyNames, type KeyNames } from '../../shown/key-names.ts';
import { refusalChoices, refusalWords } from '../../shown/refusal-words.ts';
import { refusalLogQuery, refusalQuery } from './refusals-asks.ts';

type Refusal = Shown<'Refusal'>;
const route = getRouteApi('/shell/refusals');

export function RefusalsPage() {
  const search = route.useSearch();
  const { request, key, run, code, id } = search;
  const navigate = route.useNavigate();
  const set = (change: Partial<RefusalsSearch>): void =>
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false });
  const filtered = [request, key, run, code].some((value) => value !== undefined);
  const { list: refusals, rows } = useLongList(refusalLogQuery(search));
  const names = useKeyNames();
  const columns = useMemo(() => columnsOf(names), [names]);
  return (
    <Page
      title="Refusals"
      about="Calls that went nowhere and cost nothing: the newest of each key, for fourteen days. All are counted with the caps.">
      <Group gap="xs">
        <Sought value={request ?? ''} onSeek={(text) => set({ request: text === '' ? undefined : text })} />
        <Select
          size="xs"
          w={190}
          aria-label="Why"
          placeholder="Any reason"
          clearable
          data={refusalChoices}
          value={code ?? null}
          onChange={(value) => set({ code: value ?? undefined })}
        />
        <Select
          size="xs"
          w={190}
          aria-label="Service key"
          placeholder="Any key"
          clearable
          searchable
          limit={100}
          data={[...names].map(([value, label]) => ({ value, label }))}
          value={key ?? null}
          onChange={(value) => set({ key: value ?? undefined })}
        />
        {run === undefined ? null : (
          <Button size="compact-xs" variant="default" onClick={() => set({ run: undefined })} aria-label="Without the filter run">
            Run: {run} ×
          </Button>
        )}
      </Group>
      <Panel flush>
        <Loaded of={refusals} height={360}>
          {() =>
            rows.length === 0 ? (
              <Nothing icon={ShieldCheck} title={filtered ? 'No refused call like this is kept' : 'No call was refused'}>
                {filtered
                  ? 'Of a key the newest thousand are kept, for fourteen days. A call that was forwarded is among the calls.'
                  : 'Calls that a cap, a run budget, a rate limit or a rule refuses stand here one by one.'}
              </Nothing>
            ) : (
              <DataTable<Refusal>
                caption="Refused calls"
                rows={rows}
                rowId={(refusal) => refusal.id}
                columns={columns}
                minWidth={760}
                onOpen={(refusal) => set({ id: refusal.id })}
              />
            )
          }
        </Loaded>
        <Older of={refusals}>Older refusals</Older>
      </Panel>
      <Drawer opened={id !== undefined} onClose={() => set({ id: undefined })} position="right" size="lg" title="Refused call">
        {id === undefined ? null : <RefusalSheet id={id} names={names} />}
      </Drawer>
    </Page>
  );
}

/** Asks when the person is done, not at each letter. */
function Sought({ value, onSeek }: { readonly value: string; readonly onSeek: (text: string) => void }) {
  const [text, setText] = useState(value);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSeek(text.trim());
      }}>
      <TextInput
        size="xs"
        w={330}
        type="search"
        className="mono"
        aria-label="Request id"
        placeholder="Request id from the error, then Enter"
        leftSection={<Search size={14} aria-hidden />}
        maxLength={128}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          if (currentTarget.value === '') onSeek('');
        }}
      />
    </form>
  );
}

function RefusalSheet({ id, names }: { readonly id: string; readonly names: KeyNames }) {
  const refusal = useQuery(refusalQuery(id));
  return (
    <Loaded of={refusal} height={320}>
      {(data) => (
        <Stack>
          <div>
            <Title order={2} fz="lg">
              {refusalWords(data)}
            </Title>
            <Text size="sm" c="dimmed">
              <Moment at={data.refusedAt} />
            </Text>
          </div>
          <RefusalHelp of={data} />
          <Facts
            rows={[
              ['Error code', <span className="mono">{data.code}</span>],
              ['Service key', <Link to="/keys" search={{ id: data.key }}>{names.get(data.key) ?? data.key}</Link>],
              ['Run', data.run === null ? '–' : <Link to="/runs" search={{ run: data.run }} className="wrap">{data.run}</Link>],
              ['x-svc-request-id', <CopyableId id={data.id} name="request id" />],
              ...(data.answerId === data.id ? [] : [['x-request-id', <CopyableId id={data.answerId} name="answer id" />] as const]),
            ]}
          />
          <Text size="sm">
            <Link to="/refusals" search={{ key: data.key }}>
              All refused calls of this key
            </Link>
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}

function columnsOf(names: KeyNames): readonly Column<Refusal>[] {
  return [
    { id: 'at', card: 'under', head: 'When', width: '8.5rem', cell: ({ refusedAt }) => <MomentInTwo at={refusedAt} /> },
    {
      id: 'why',
      card: 'lead',
      head: 'Why',
      width: '17.5rem',
      cell: (refusal) => (
        <>
          <div className="strong">{refusalWords(refusal)}</div>
          <div className="dim small mono">{refusal.code}</div>
        </>
      ),
    },
    { id: 'key', head: 'Service key', cell: ({ key }) => <span title={names.get(key)}>{names.get(key) ?? key}</span> },
    { id: 'run', head: 'Run', cell: ({ run }) => (run === null ? '–' : <Link to="/runs" search={{ run }} title={run}>{run}</Link>) },
    { id: 'id', card: 'wide', head: 'Request id', width: '20rem', cell: ({ id }) => <span className="mono small" title={id}>{id}</span> },
  ];
}
