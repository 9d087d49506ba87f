/** Management tokens: the credentials that automation presents to the platform. */
import { Button, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus, Ticket } from 'lucide-react';
import { useState } from 'react';
import { ask, type Shown } from '../../api/client.ts';
import { useSession, type SessionRole } from '../../app/session.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { SecretOnce } from '../../parts/copying.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useDoing } from '../../parts/doing.ts';
import { RowButton } from '../../parts/named-by-row.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Submit } from '../../parts/submit.tsx';
import { Moment } from '../../shown/figures.tsx';
import { rolesUpTo } from '../members/invitation-form.tsx';
import { tokensQuery } from './tokens-asks.ts';

type Token = Shown<'ManagementToken'>;
const route = getRouteApi('/shell/tokens');
const changes = ['/platform/v1/tokens'];

export function TokensPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [made, setMade] = useState<string | null>(null);
  const tokens = useQuery(tokensQuery);
  const form = (opened: boolean): void => void navigate({ search: { new: opened ? 'token' : undefined }, replace: true });
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => form(true)}>
      New token
    </Button>
  );
  return (
    <Page
      title="Management tokens"
      actions={tokens.data?.data.length === 0 ? null : add}
      about="For scripts that manage this organization over HTTP. A token never has more rights than its maker.">
      <Panel flush>
        <Loaded of={tokens} height={220}>
          {({ data }) =>
            data.length === 0 ? (
              <Nothing icon={Ticket} title="No token yet" action={add}>
                Create one for each script. Send it as Authorization: Bearer to /platform/v1.
              </Nothing>
            ) : (
              <DataTable caption="Management tokens" rows={data.toReversed()} rowId={(token) => token.id} columns={columns} />
            )
          }
        </Loaded>
      </Panel>
      <Modal opened={search.new === 'token'} onClose={() => form(false)} title="New management token">
        <TokenForm
          onMade={(token) => {
            setMade(token);
            form(false);
          }}
        />
      </Modal>
      <Modal opened={made !== null} onClose={() => setMade(null)} title="Your management token" size="lg" closeOnClickOutside={false}>
        {made === null ? null : <SecretOnce secret={made} name="management token" />}
      </Modal>
    </Page>
  );
}

const columns: readonly Column<Token>[] = [
  {
    id: 'name',
    head: 'Name',
    sortBy: (token) => token.name ?? '',
    cell: (token) => <span className="wrap">{token.name ?? 'unnamed'}</span>,
  },
  { id: 'prefix', card: 'under', head: 'Begins with', cell: (token) => <span className="mono">{token.prefix}…</span> },
  { id: 'role', head: 'Role', sortBy: (token) => token.role, cell: (token) => token.role },
  { id: 'made', head: 'Made', sortBy: (token) => token.createdAt, cell: (token) => <Moment at={token.createdAt} relative /> },
  { id: 'ends', head: 'Ends', cell: (token) => <Moment at={token.expiresAt} none="never" relative /> },
  { id: 'revoke', head: '', right: true, cell: (token) => <Revoke of={token} /> },
];

function Revoke({ of: token }: { readonly of: Token }) {
  const revocation = useQuestion();
  const revoking = useDoing({
    run: () => ask.DELETE('/platform/v1/tokens/{id}', { params: { path: { id: token.id } } }),
    done: 'The token is revoked.',
    changes,
    after: revocation.close,
  });
  if (token.revokedAt !== null) {
    return <StateBadge means="none">Revoked</StateBadge>;
  }
  return (
    <>
      <RowButton onClick={revocation.open}>Revoke…</RowButton>
      <Confirm of={revocation} title="Revoke this token?" act="Revoke" doing={revoking}>
        <b className="wrap">{token.name ?? token.prefix}</b> is refused from now on, for good.
      </Confirm>
    </>
  );
}

function TokenForm({ onMade }: { readonly onMade: (token: string) => void }) {
  const { role: own } = useSession();
  const form = useForm({ initialValues: { name: '', role: 'viewer' as SessionRole, life: '7776000' } });
  const making = useDoing({
    run: async ({ name, role, life }: typeof form.values) =>
      (
        await ask.POST('/platform/v1/tokens', {
          body: { role, name: name.trim() === '' ? null : name.trim(), expiresInSeconds: life === '' ? null : Number(life) },
        })
      ).data!,
    changes,
    after: ({ token }) => onMade(token),
  });
  const lives = [
    { value: '2592000', label: '30 days' },
    { value: '7776000', label: '90 days' },
    { value: '31536000', label: 'A year' },
    { value: '', label: 'Does not expire' },
  ];
  return (
    <form onSubmit={form.onSubmit((values) => making.mutate(values))}>
      <Stack>
        <TextInput label="Name" maxLength={200} data-autofocus {...form.getInputProps('name')} />
        <Select label="Role" data={rolesUpTo(own)} allowDeselect={false} {...form.getInputProps('role')} />
        <Select label="Life" data={lives} allowDeselect={false} {...form.getInputProps('life')} />
        <Submit busy={making.isPending}>Make the token</Submit>
      </Stack>
    </form>
  );
}
