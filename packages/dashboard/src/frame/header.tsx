/** The header: the menu's switch on a phone, the organization, the palette, colors and account. */
import { ActionIcon, Burger, Button, Group, Kbd, Text } from '@mantine/core';
import { Search } from 'lucide-react';
import { Brand } from '../app/brand.tsx';
import { useOrganizations, useSession } from '../app/session.ts';
import { onDemand } from '../parts/on-demand.tsx';
import { AccountButton, OrganizationButton, ThemeButton } from './header-buttons.tsx';
import { MenuOnDemand } from './menu-button.tsx';

const AccountMenu = onDemand(async () => (await import('./account-menu.tsx')).AccountMenu);
const ThemeToggle = onDemand(async () => (await import('./theme-toggle.tsx')).ThemeToggle);
const OrganizationMenu = onDemand(async () => (await import('./organization-menu.tsx')).OrganizationMenu);

interface HeaderProps {
  readonly menuOpened: boolean;
  readonly onMenu: () => void;
  readonly onPalette: () => void;
}

export function Header({ menuOpened, onMenu, onPalette }: HeaderProps) {
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap" className="grow">
        <Burger
          opened={menuOpened}
          onClick={onMenu}
          hiddenFrom="sm"
          size="sm"
          aria-label={menuOpened ? 'Close the menu' : 'Open the menu'}
        />
        <Brand />
        <Organization />
      </Group>
      <Group gap="xs" wrap="nowrap">
        <Button
          visibleFrom="sm"
          variant="default"
          size="xs"
          leftSection={<Search size={14} aria-hidden />}
          rightSection={<Kbd size="xs">Ctrl K</Kbd>}
          onClick={onPalette}>
          Search or go to…
        </Button>
        <ActionIcon hiddenFrom="sm" variant="default" size="md" aria-label="Search or go to" onClick={onPalette}>
          <Search size={16} aria-hidden />
        </ActionIcon>
        <MenuOnDemand menu={ThemeToggle} button={(props) => <ThemeButton {...props} />} />
        <MenuOnDemand menu={AccountMenu} button={(props) => <AccountButton {...props} />} />
      </Group>
    </Group>
  );
}

/** The organization of the session; a menu if the person belongs to several. */
function Organization() {
  const { organization } = useSession();
  if (useOrganizations().length < 2) {
    return (
      <Text size="sm" c="dimmed" className="clip" visibleFrom="xs">
        {organization.name}
      </Text>
    );
  }
  return (
    <MenuOnDemand
      menu={OrganizationMenu}
      button={(props) => <OrganizationButton name={organization.name} {...props} />}
    />
  );
}
