/** Ctrl K: every page and the usual actions, by name. */
import '@mantine/spotlight/styles.layer.css';
import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { navigation, pagesFor } from './navigation.ts';
import { useMay, useSession } from '../app/session.ts';

const [store, spotlight] = createSpotlight();

export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const [member, admin] = [useMay('member'), useMay('admin')];
  useEffect(() => {
    spotlight.open();
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
      actions={[
        { group: 'Do', actions: doing },
        { group: 'Go to', actions: pages },
      ]}
      shortcut={null}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound="Nothing of that name"
      searchProps={{ placeholder: 'Page or action', 'aria-label': 'Page or action' }}
      onSpotlightClose={onClose}
    />
  );
}
