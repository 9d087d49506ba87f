/** The organization that the session is for; a menu where the person belongs to several. */
import { Button, Menu, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Check, ChevronsUpDown } from 'lucide-react';
import { api, ask } from '../api/client.ts';
import { beginAnew, useSession } from '../app/session.ts';

export function OrganizationMenu() {
  const { organization } = useSession();
  const navigate = useNavigate();
  const { data } = api.useQuery('get', '/platform/v1/organizations', {}, { staleTime: 60_000 });
  const others = data?.data ?? [];
  const choose = async (id: string): Promise<void> => {
    await ask.POST('/platform/v1/auth/organization', { body: { organization: id } });
    await beginAnew();
    await navigate({ to: '/' });
  };
  if (others.length < 2) {
    return (
      <Text size="sm" c="dimmed" className="clip" visibleFrom="xs">
        {organization.name}
      </Text>
    );
  }
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          size="compact-sm"
          maw={220}
          rightSection={<ChevronsUpDown size={14} aria-hidden />}
          aria-label={`Organization: ${organization.name}`}>
          <span className="clip">{organization.name}</span>
        </Button>
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
