/** Who is signed in, and the way out. */
import { Menu, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { KeyRound, LogOut } from 'lucide-react';
import { useRef } from 'react';
import { ask } from '../api/client.ts';
import { leaveSession, useSession } from '../app/session.ts';
import { AccountButton } from './header-buttons.tsx';

export function AccountMenu() {
  // The button from before the menu is gone, so the one in its place gets the focus.
  const target = useRef<HTMLButtonElement>(null);
  const session = useSession();
  const navigate = useNavigate();
  const leave = async (): Promise<void> => {
    const { data } = await ask.POST('/platform/v1/auth/sign-out');
    const goOnTo = data?.goOnTo;
    // Otherwise the identity provider's own session would let the next person in without asking.
    await leaveSession(() => (typeof goOnTo === 'string' ? location.assign(goOnTo) : navigate({ to: '/sign-in' })));
  };
  return (
    <Menu position="bottom-end" defaultOpened onClose={() => target.current?.focus()}>
      <Menu.Target>
        <AccountButton ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        <Text px="sm" py={6} size="sm" maw={260} className="wrap">
          {session.email}
          <Text span c="dimmed" size="xs" display="block">
            {session.role} of {session.organization.name}
          </Text>
        </Text>
        <Menu.Divider />
        <Menu.Item component={Link} to="/settings" search={{ tab: 'you' } as never} leftSection={<KeyRound size={14} aria-hidden />}>
          Account and security
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={14} aria-hidden />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
