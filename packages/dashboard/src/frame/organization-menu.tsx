/** Lets a person who belongs to several organizations switch between them. */
import { Menu } from '@mantine/core';
import { Check } from 'lucide-react';
import { useRef } from 'react';
import { enterOrganization, useOrganizations, useSession } from '../app/session.ts';
import { OrganizationButton } from './header-buttons.tsx';

export function OrganizationMenu() {
  // The button from before the menu is gone, so the one in its place gets the focus.
  const target = useRef<HTMLButtonElement>(null);
  const { organization } = useSession();
  const others = useOrganizations();
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
            onClick={() => void enterOrganization(id)}>
            <span className="wrap">{name}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
