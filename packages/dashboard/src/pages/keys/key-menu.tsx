/** What can be done with one service key. */
import { ActionIcon, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Ban, Ellipsis } from 'lucide-react';
import { ask, type Shown } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useDoing } from '../../parts/doing.ts';

type Key = Shown<'ServiceKey'>;

export function KeyMenu({ of: key }: { readonly of: Key }) {
  const may = useMay('member');
  const [asked, revocation] = useDisclosure(false);
  const revoking = useDoing({
    run: () => ask.DELETE('/platform/v1/keys/{id}', { params: { path: { id: key.id } } }),
    done: 'The key is revoked. Calls with it are refused within a second.',
    changes: ['/platform/v1/keys'],
    after: revocation.close,
  });
  const name = key.name ?? key.prefix;
  if (!may || key.revokedAt !== null) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`What to do with ${name}`}>
            <Ellipsis size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="red" leftSection={<Ban size={14} aria-hidden />} onClick={revocation.open}>
            Revoke…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asked}
        title="Revoke this key?"
        act="Revoke"
        busy={revoking.isPending}
        onAct={() => revoking.mutate(undefined)}
        onClose={revocation.close}>
        <b className="wrap">{name}</b> stops working within a second, for good. Callers that use it get 401. What it spent stays in the
        reports.
      </Confirm>
    </>
  );
}
