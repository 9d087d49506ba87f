/** Lets a person who belongs to several organizations switch between them. */
import { Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useRef } from 'react';
import { ask } from '../api/client.ts';
import { beginAnew, useOrganizations, useSession } from '../app/session.ts';
import { OrganizationButton } from './header-buttons.tsx';

export function OrganizationMenu() {
  // The button from before the menu is gone, so the one in its place gets the focus.
  const target = useRef<HTMLButtonElement>(null);
  const { organization } = useSession();
  const navigate = useNavigate();
  const others = useOrganizations();
  const choose = async (id: string): Promise<void> => {
    await ask.POST('/platform/v1/auth/organization', { body: { organization: id } });
    await beginAnew();
    await navigate({ to: '/' });
  };
  return (
    <Menu position="bottom-start" defaultOpened onClose={() => target.current?.focus()}>
      <Menu.Target>
        <OrganizationButton name={organization.name} ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        {others.map(({ id, name }) => (
          <Menu.Item
            key={id}
            rightSection={id === organization.id ? <Check size={14} aria-label="chosen" /> : null}
            onClick={() => void choose(id)}>
            <span className="wrap">{name}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
