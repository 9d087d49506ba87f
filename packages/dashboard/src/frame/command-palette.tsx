/** Ctrl K: whatever has an id or a name, every page and the usual actions. */
import '@mantine/spotlight/styles.layer.css';
import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useFound } from './found-actions.tsx';
import { navigation, pagesFor } from './navigation.ts';
import { useMay, useSession } from '../app/session.ts';

const [store, spotlight] = createSpotlight();

export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const [member, admin] = [useMay('member'), useMay('admin')];
  const [cameFrom] = useState(() => document.activeElement);
  useEffect(() => {
    spotlight.open();
    // It is gone before it could give the focus back by itself. What was chosen may have taken it already.
    return () => {
      if (cameFrom instanceof HTMLElement && document.activeElement === document.body) cameFrom.focus({ preventScroll: true });
    };
  }, []);
  const doing: SpotlightActionData[] = [
    ...(member
      ? [{ id: 'new-key', label: 'Make a service key', onClick: () => void navigate({ to: '/keys', search: { new: 'key' } }) }]
      : []),
    ...(admin
      ? [
          { id: 'new-cap', label: 'Set a cap', onClick: () => void navigate({ to: '/caps', search: { new: 'cap' } }) },
          { id: 'new-webhook', label: 'Make a webhook', onClick: () => void navigate({ to: '/alerts', search: { new: 'webhook' } }) },
          { id: 'invite', label: 'Invite a member', onClick: () => void navigate({ to: '/members', search: { new: 'invitation' } }) },
          { id: 'grant', label: 'Mint a run grant', onClick: () => void navigate({ to: '/runs', search: { new: 'grant' } }) },
        ]
      : []),
    {
      id: 'unknown',
      label: 'Calls whose cost is unknown or incomplete',
      onClick: () => void navigate({ to: '/calls', search: { lacks: 'any' } }),
    },
    { id: 'light', label: 'Light colors', onClick: () => setColorScheme('light') },
    { id: 'dark', label: 'Dark colors', onClick: () => setColorScheme('dark') },
  ];
  const session = useSession();
  const [words, setWords] = useState('');
  const { group: found, coming } = useFound(words, navigate);
  const pages = navigation
    .flatMap((group) => pagesFor(session, group))
    .map(({ to, name, about, icon: Icon }) => ({
      id: to,
      label: name,
      description: about,
      leftSection: <Icon size={18} aria-hidden />,
      onClick: () => void navigate({ to }),
    }));
  return (
    <Spotlight
      store={store}
      query={words}
      onQueryChange={setWords}
      actions={[
        ...(found.actions.length === 0 ? [] : [found]),
        { group: 'Do', actions: doing },
        { group: 'Go to', actions: pages },
      ]}
      shortcut={null}
      highlightQuery
      scrollable
      maxHeight={420}
      limit={60}
      nothingFound={coming ? 'Looking…' : 'Nothing of that id or name'}
      attributes={{ content: { 'aria-label': 'Find anything' } }}
      classNames={{ action: 'palette-action', actionsList: 'palette-list' }}
      searchProps={{
        placeholder: 'Any id, key, person, project, model, label, run, page or action',
        'aria-label': 'Find anything',
        // What is found comes after the words: then nothing is chosen yet, and the first one is meant.
        onKeyDown: ({ key }) => {
          const list = document.querySelector('.palette-list');
          if (key === 'Enter' && list?.querySelector('[data-selected]') === null) list.querySelector<HTMLElement>('.palette-action')?.click();
        },
      }}
      onSpotlightClose={onClose}
    />
  );
}
