/** Service keys: what callers present. A key is shown once, when it is made. */
import { Button, Drawer, Group, Modal, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Shown } from '../../api/client.ts';
import { useMay, useSession } from '../../app/session.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { KeyForm, type MintedKey } from '../../parts/key-form.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { SecretOnce } from '../../parts/copying.tsx';
import { UsageCost } from '../../parts/usage-cost.tsx';
import { Moment } from '../../shown/figures.tsx';
import { keysQuery } from '../../shown/key-names.ts';
import { KeyMenu } from './key-menu.tsx';
import { KeySheet } from './key-sheet.tsx';
import { isOver, KeyState, type Key } from './key-state.tsx';
import { spentQuery } from './keys-asks.ts';

const route = getRouteApi('/shell/keys');

export function KeysPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay('member');
  const [made, setMade] = useState<MintedKey | null>(null);
  const keys = useQuery({ ...keysQuery, staleTime: 5_000 });
  const form = (opened: boolean): void => void navigate({ search: (old) => ({ ...old, new: opened ? 'key' : undefined }), replace: true });
  const open = (id: string | undefined): void =>
    void navigate({ search: (old) => ({ ...old, id }), replace: true, resetScroll: false });
  const add = may ? (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => form(true)}>
      New key
    </Button>
  ) : null;
  return (
    <Page
      title="Service keys"
      actions={keys.data?.data.length === 0 ? null : add}
      about="What people, services and agents present instead of a provider key. Each is shown once, when it is made.">
      <Loaded of={keys} height={320}>
        {({ data }) =>
          data.length === 0 ? (
            <Panel>
              <Nothing icon={KeyRound} title="No service key yet" action={add}>
                A service key lets a caller through this gateway, and says whose calls they are. Make one for each service or person.
              </Nothing>
            </Panel>
          ) : (
            <KeyList
              keys={data}
              shown={search.tab ?? 'in use'}
              find={search.find ?? ''}
              onShow={(tab) => void navigate({ search: { tab }, replace: true })}
              onOpen={({ id }) => open(id)}
            />
          )
        }
      </Loaded>
      <Drawer opened={search.id !== undefined} onClose={() => open(undefined)} position="right" size="md" title="Service key">
        <Loaded of={keys}>{({ data }) => <Opened of={data.find(({ id }) => id === search.id)} />}</Loaded>
      </Drawer>
      <Modal opened={search.new === 'key' && may} onClose={() => form(false)} title="New service key">
        <KeyForm
          onCancel={() => form(false)}
          onMade={(key) => {
            setMade(key);
            form(false);
          }}
        />
      </Modal>
      <Modal opened={made !== null} onClose={() => setMade(null)} title="Your service key" size="lg" closeOnClickOutside={false}>
        {made === null ? null : <SecretOnce secret={made.key} name="service key" />}
        <Text size="sm" mt="md">
          Next:{' '}
          <Link to="/start" onClick={() => setMade(null)}>
            settings to paste into your SDK or agent
          </Link>
          .
        </Text>
      </Modal>
    </Page>
  );
}

function Opened({ of: key }: { readonly of: Key | undefined }) {
  return key === undefined ? <Text size="sm">There is no such key.</Text> : <KeySheet of={key} />;
}

function KeyList({
  keys,
  shown,
  find,
  onShow,
  onOpen,
}: {
  readonly keys: readonly Key[];
  readonly shown: string;
  /** What is sought at first. */
  readonly find: string;
  readonly onShow: (tab: string) => void;
  readonly onOpen: (key: Key) => void;
}) {
  const [sought, setSought] = useState(find);
  const { email } = useSession();
  const usage = useQuery(useMemo(spentQuery, [])).data?.data;
  const columns = useMemo(() => {
    const all = columnsFor(new Map(usage?.map((row) => [row.key, row])), usage !== undefined);
    return keys.some(({ person }) => person !== null) ? all : all.filter(({ id }) => id !== 'person');
  }, [usage, keys]);
  const rows = keys.filter((key) => (shown === 'all' || !isOver(key)) && (shown !== 'yours' || key.person === email) && isFound(key,
    sought)).toReversed();
  return (
    <Panel
      flush
      title={`${rows.length} ${rows.length === 1 ? 'key' : 'keys'}`}
      actions={
        <Group gap="xs">
          <TextInput
            size="xs"
            w={180}
            type="search"
            placeholder="Name, project, person"
            aria-label="Find keys"
            value={sought}
            onChange={(event) => setSought(event.currentTarget.value)}
          />
          <SegmentedControl
            size="xs"
            aria-label="Which keys"
            value={shown}
            onChange={onShow}
            data={[
              { value: 'in use', label: 'In use' },
              { value: 'yours', label: 'Yours' },
              { value: 'all', label: 'All' },
            ]}
          />
        </Group>
      }>
      <DataTable caption="Service keys" columns={columns} rows={rows} rowId={(key) => key.id} minWidth={860} onOpen={onOpen} />
    </Panel>
  );
}

function isFound({ id, name, project, prefix, person }: Key, sought: string): boolean {
  const word = sought.trim().toLowerCase();
  return [id, name, project, prefix, person].some((text) => text?.toLowerCase().includes(word));
}

/** What each key's calls cost this month. Empty until the figures have come. */
const columnsFor = (spent: ReadonlyMap<string | null | undefined, Shown<'Usage'>>, known: boolean): readonly Column<Key>[] => [
  {
    id: 'name',
    head: 'Name',
    sortBy: (key) => key.name ?? '',
    cell: (key) => (
      <>
        <div>
          <Text span inherit fw={550} className="wrap">
            {key.name ?? (
              <Text span inherit c="dimmed">
                unnamed
              </Text>
            )}
          </Text>
        </div>
        <div className="dim small mono nowrap" title="What the key begins with">{key.prefix}…</div>
      </>
    ),
  },
  { id: 'project', head: 'Project', sortBy: (key) => key.project ?? '', cell: (key) => <span className="wrap">{key.project ?? '–'}</span> },
  { id: 'person', head: 'Belongs to', sortBy: (key) => key.person ?? '', cell: (key) => <span className="wrap">{key.person ?? '–'}</span> },
  { id: 'state', card: 'state', head: 'State', cell: (key) => <KeyState of={key} /> },
  {
    id: 'spent',
    card: 'money',
    head: 'This month',
    right: true,
    sortBy: ({ id }) => Number(spent.get(id)?.cost ?? 0),
    cell: ({ id }) => {
      const sum = spent.get(id);
      return sum === undefined ? <span className="dim">{known ? 'no calls' : ''}</span> : <UsageCost of={sum} />;
    },
  },
  { id: 'made', head: 'Made', sortBy: (key) => key.createdAt, cell: (key) => <Moment at={key.createdAt} relative /> },
  {
    id: 'used',
    head: 'Last used',
    sortBy: (key) => key.lastUsedAt ?? '',
    cell: (key) => <Moment at={key.lastUsedAt} none="never" relative />,
  },
  { id: 'menu', head: '', right: true, cell: (key) => <KeyMenu of={key} /> },
];
