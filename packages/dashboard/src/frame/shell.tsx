/** The frame around every page of a session: menu, organization, command palette, theme, and signing in again where a session ends. */
import { ActionIcon, AppShell, Burger, Button, Group, Kbd, NavLink, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from '../app/brand.tsx';
import { navigation } from './navigation.ts';
import { OrganizationMenu } from './organization-menu.tsx';
import { useSession, type Role } from '../app/session.ts';
import { SignInAgain } from './sign-in-again.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }));
const ranks: readonly Role[] = ['viewer', 'member', 'admin', 'owner'];

export function Shell() {
  const [menuOpened, menu] = useDisclosure(false);
  const [paletteOpened, palette] = useDisclosure(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    menu.close();
  }, [path]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      palette.open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 228, breakpoint: 'sm', collapsed: { mobile: !menuOpened } }}
      padding={{ base: 'sm', sm: 'lg' }}>
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <AppShell.Header className="no-print">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" className="grow">
            <Burger
              opened={menuOpened}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={menuOpened ? 'Close the menu' : 'Open the menu'}
            />
            <Brand />
            <OrganizationMenu />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button
              visibleFrom="sm"
              variant="default"
              size="xs"
              leftSection={<Search size={14} aria-hidden />}
              rightSection={<Kbd size="xs">Ctrl K</Kbd>}
              onClick={palette.open}>
              Search or go to…
            </Button>
            <ActionIcon hiddenFrom="sm" variant="default" size="md" aria-label="Search or go to" onClick={palette.open}>
              <Search size={16} aria-hidden />
            </ActionIcon>
            <ThemeToggle />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className="no-print">
        <ScrollArea type="auto" p="xs" h="100%">
          <Menu />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      <Notifications position="bottom-right" autoClose={4_000} />
      <SignInAgain />
      <Suspense>{paletteOpened && <CommandPalette onClose={palette.close} />}</Suspense>
    </AppShell>
  );
}

function Menu() {
  const { role } = useSession();
  return (
    <nav aria-label="Pages">
      {navigation.map((group) => {
        const pages = group.pages.filter((page) => ranks.indexOf(role) >= ranks.indexOf(page.role ?? 'viewer'));
        return pages.length === 0 ? null : (
          <div key={group.name}>
            <Text component="h2" className="nav-heading">
              {group.name}
            </Text>
            {pages.map(({ to, name, icon: Icon }) => (
              <NavLink
                key={to}
                component={Link}
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                className="nav-link"
                label={name}
                leftSection={<Icon size={16} aria-hidden />}
              />
            ))}
          </div>
        );
      })}
    </nav>
  );
}
