/** People of the organization, their roles, and invitations to it. */
import { Button, Modal, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { membersQuery } from '../../api/asked-often.ts';
import { ask, queries, Refused, type Shown } from '../../api/client.ts';
import { useSession, type SessionRole } from '../../app/session.ts';
import { CodeBlock } from '../../parts/copying.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { useDoing } from '../../parts/doing.ts';
import { RowButton } from '../../parts/named-by-row.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Moment } from '../../shown/figures.tsx';
import { InvitationForm, rolesUpTo } from './invitation-form.tsx';
import { MemberMenu } from './member-menu.tsx';
import { invitationsQuery } from './members-asks.ts';

type Member = Shown<'Member'>;
type Invitation = Shown<'Invitation'>;
const route = getRouteApi('/shell/members');
const changes = ['/platform/v1/members', '/platform/v1/invitations'];

export function MembersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [link, setLink] = useState<{ readonly url: string; readonly title: string } | null>(null);
  const members = useQuery(membersQuery);
  const invitations = useQuery(invitationsQuery);
  const form = (opened: boolean): void => void navigate({ search: { new: opened ? 'invitation' : undefined }, replace: true });
  return (
    <Page
      title="Members"
      about="Who signs in here, and what they may do."
      actions={
        <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={() => form(true)}>
          Invite
        </Button>
      }>
      <Panel flush title="Members">
        <Loaded of={members} height={220}>
          {({ data }) => (
            <DataTable
              caption="Members"
              rows={data}
              rowId={(member) => member.id}
              columns={memberColumns((url) => setLink({ url, title: 'Password link' }))}
            />
          )}
        </Loaded>
      </Panel>
      {(invitations.data?.data.length ?? 0) === 0 ? null : (
        <Panel flush title="Open invitations">
          <DataTable caption="Open invitations" rows={invitations.data!.data} rowId={(each) => each.id} columns={invitationColumns} />
        </Panel>
      )}
      <Modal opened={search.new === 'invitation'} onClose={() => form(false)} title="Invite someone">
        <InvitationForm
          onMade={(url) => {
            setLink({ url, title: 'Invitation' });
            form(false);
          }}
        />
      </Modal>
      <Modal opened={link !== null} onClose={() => setLink(null)} title={link?.title} size="lg" closeOnClickOutside={false}>
        <Stack>
          <Text size="sm">Send them this link. It works once and is shown only once. Anyone who has it can use it.</Text>
          <CodeBlock name="link" code={link?.url ?? ''} />
        </Stack>
      </Modal>
    </Page>
  );
}

function memberColumns(onLink: (url: string) => void): readonly Column<Member>[] {
  return [
    { id: 'email', head: 'Email', sortBy: (member) => member.email, cell: (member) => <span className="wrap">{member.email}</span> },
    { id: 'role', head: 'Role', sortBy: (member) => member.role, cell: (member) => <RoleChoice of={member} /> },
    { id: 'since', head: 'Member since', sortBy: (member) => member.createdAt, cell: (member) => <Moment at={member.createdAt} /> },
    { id: 'menu', head: '', right: true, cell: (member) => <MemberMenu of={member} onLink={onLink} /> },
  ];
}

function RoleChoice({ of: member }: { readonly of: Member }) {
  const { role: own } = useSession();
  // The role that was shown when the list was opened: the page may read another one while somebody chooses.
  const [shown, setShown] = useState(member.role);
  const setting = useDoing({
    run: (role: SessionRole) =>
      ask.PATCH('/platform/v1/members/{id}', { params: { path: { id: member.id } }, body: { role, was: { role: shown } } }),
    done: 'The role is set.',
    changes: [...changes, '/platform/v1/auth/session'],
    // The row then shows the role that somebody else gave meanwhile.
    failed: (fault) => {
      if (fault instanceof Refused && fault.code === 'changed_meanwhile') {
        void queries.invalidateQueries({ queryKey: ['get', '/platform/v1/members'] });
      }
    },
  });
  const roles = rolesUpTo(own);
  if (!roles.includes(member.role)) return <>{member.role}</>;
  return (
    <Select
      size="xs"
      w={120}
      aria-label={`Role of ${member.email}`}
      data={roles}
      value={member.role}
      allowDeselect={false}
      disabled={setting.isPending}
      onDropdownOpen={() => setShown(member.role)}
      onChange={(role) => {
        if (role !== null && role !== member.role) setting.mutate(role as SessionRole);
      }}
    />
  );
}

const invitationColumns: readonly Column<Invitation>[] = [
  { id: 'email', head: 'For', cell: (each) => <span className="wrap">{each.email ?? 'Whoever has the link'}</span> },
  { id: 'role', head: 'Role', cell: (each) => each.role },
  { id: 'ends', head: 'Ends', cell: (each) => <Moment at={each.expiresAt} relative /> },
  { id: 'withdraw', head: '', right: true, cell: (each) => <Withdraw id={each.id} /> },
];

function Withdraw({ id }: { readonly id: string }) {
  const withdrawing = useDoing({
    run: () => ask.DELETE('/platform/v1/invitations/{id}', { params: { path: { id } } }),
    done: 'The link no longer works.',
    changes,
  });
  return (
    <RowButton loading={withdrawing.isPending} onClick={() => withdrawing.mutate(undefined)}>
      Withdraw
    </RowButton>
  );
}
