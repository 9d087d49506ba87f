/** Views saved by name, the person's own in this organization, wherever they sign in. A view is the address's query. */
import { Button, Group, Menu, Modal, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import { Bookmark, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { exploreSearch, type ExploreSearch } from '../../app/page-search.ts';
import { useDoing } from '../../parts/doing.ts';
import { Submit } from '../../parts/submit.tsx';
import { viewsQuery } from './explore-asks.ts';

const changes = ['/platform/v1/views'];

export function SavedViewsMenu({ search, onOpen }: { readonly search: ExploreSearch; readonly onOpen: (search: ExploreSearch) => void }) {
  const [naming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const views = useQuery(viewsQuery);
  const saving = useDoing({
    run: () => ask.POST('/platform/v1/views', { body: { name: name.trim(), query: defaultStringifySearch(search).slice(1) } }),
    done: 'The view is saved.',
    changes,
    after: () => {
      setNaming(false);
      setName('');
    },
  });
  const removing = useDoing({
    run: (id: string) => ask.DELETE('/platform/v1/views/{id}', { params: { path: { id } } }),
    done: 'The view is removed.',
    changes,
  });
  const known = views.data?.data ?? [];
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Bookmark size={15} aria-hidden />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown miw={220}>
          {known.map((view) => (
            <Group key={view.id} gap={0} wrap="nowrap">
              <Menu.Item onClick={() => onOpen(exploreSearch(defaultParseSearch(`?${view.query}`)))}>
                <span className="wrap">{view.name}</span>
              </Menu.Item>
              <Menu.Item w="auto" c="dimmed" aria-label={`Remove ${view.name}`} onClick={() => removing.mutate(view.id)}>
                <Trash2 size={14} aria-hidden />
              </Menu.Item>
            </Group>
          ))}
          {known.length === 0 ? null : <Menu.Divider />}
          <Menu.Item onClick={() => setNaming(true)}>Save this view…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={naming} onClose={() => setNaming(false)} title="Save this view">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            saving.mutate(undefined);
          }}>
          <Stack>
            <TextInput
              label="Name"
              description="Only you see it, wherever you sign in. Saving under the same name replaces it."
              required
              maxLength={80}
              data-autofocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Submit busy={saving.isPending} disabled={name.trim() === ''}>Save</Submit>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
