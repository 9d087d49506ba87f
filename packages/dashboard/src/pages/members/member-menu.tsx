/** What can be done with one member. */
import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis, KeyRound, UserMinus } from 'lucide-react';
import { ask, type Shown } from '../../api/client.ts';
import { useMay, useSession } from '../../app/session.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { useDoing } from '../../parts/doing.ts';
import { rolesUpTo } from './invitation-form.tsx';

export function MemberMenu({ of: member, onLink }: { readonly of: Shown<'Member'>; readonly onLink: (url: string) => void }) {
  const { role } = useSession();
  const owner = useMay('owner');
  const removal = useQuestion();
  const removing = useDoing({
    run: () => ask.DELETE('/platform/v1/members/{id}', { params: { path: { id: member.id } } }),
    done: 'The member is removed.',
    changes: ['/platform/v1/members'],
    after: removal.close,
  });
  const linking = useDoing({
    run: async () => (await ask.POST('/platform/v1/members/{id}/password-link', { params: { path: { id: member.id } } })).data!,
    changes: [],
    after: ({ url }) => onLink(url),
  });
  if (!rolesUpTo(role).includes(member.role)) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`What to do with ${member.email}`}>
            <Ellipsis size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {owner ? (
            <Menu.Item leftSection={<KeyRound size={14} aria-hidden />} onClick={() => linking.mutate(undefined)}>
              Make a password link
            </Menu.Item>
          ) : null}
          <Menu.Item color="red" leftSection={<UserMinus size={14} aria-hidden />} onClick={removal.open}>
            Remove…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm of={removal} title="Remove this member?" act="Remove" doing={removing}>
        <b className="wrap">{member.email}</b> can no longer sign in to this organization. Keys that belong to them end; all others go on working
        until they are revoked.
      </Confirm>
    </>
  );
}
