/** Views saved by name in this browser. A view is the address's query. */
import { ActionIcon, Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Bookmark, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ExploreSearch } from '../../app/page-search.ts';
import { useSession } from '../../app/session.ts';

interface View {
  readonly name: string;
  readonly search: ExploreSearch;
}

export function SavedViews({ search, onOpen }: { readonly search: ExploreSearch; readonly onOpen: (search: ExploreSearch) => void }) {
  const { organization } = useSession();
  const [views, setViews] = useLocalStorage<readonly View[]>({ key: `metergate-views-${organization.id}`, defaultValue: [] });
  const [naming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const keep = (): void => {
    setViews([...views.filter((view) => view.name !== name.trim()), { name: name.trim(), search }]);
    setNaming(false);
    setName('');
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Bookmark size={15} aria-hidden />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown miw={220}>
          {views.map((view) => (
            <Menu.Item
              key={view.name}
              onClick={() => onOpen(view.search)}
              rightSection={
                <ActionIcon
                  component="span"
                  size="xs"
                  variant="subtle"
                  color="gray"
                  aria-label={`Forget ${view.name}`}
                  onClick={(event) => {
                    event.stopPropagation();
                    setViews(views.filter((each) => each !== view));
                  }}>
                  <Trash2 size={12} aria-hidden />
                </ActionIcon>
              }>
              <span className="wrap">{view.name}</span>
            </Menu.Item>
          ))}
          {views.length === 0 ? null : <Menu.Divider />}
          <Menu.Item onClick={() => setNaming(true)}>Save this view…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={naming} onClose={() => setNaming(false)} title="Save this view">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            keep();
          }}>
          <Stack>
            <TextInput
              label="Name"
              description="Kept in this browser."
              required
              maxLength={80}
              data-autofocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button type="submit">Save</Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
