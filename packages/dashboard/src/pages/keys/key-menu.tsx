/** What can be done with one service key. */
import { ActionIcon, Menu, Modal, Text } from '@mantine/core';
import { Ban, Ellipsis, Pause, Pencil, Play, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { useMay, useSession } from '../../app/session.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { SecretOnce } from '../../parts/copying.tsx';
import { useDoing } from '../../parts/doing.ts';
import { useBindingTerms } from '../../parts/own-keys.tsx';
import { Moment } from '../../shown/figures.tsx';
import { KeyRotationForm, type RotatedKey } from './key-rotation-form.tsx';
import { KeySettingsForm } from './key-settings-form.tsx';
import { isOver, type Key } from './key-state.tsx';

const changes = ['/platform/v1/keys', '/platform/v1/audit'];

type Asked = 'change' | 'rotate' | 'disable' | 'revoke';

export function KeyMenu({ of: key }: { readonly of: Key }) {
  const { email } = useSession();
  const bound = useBindingTerms() !== null;
  const may = useMay('member') && (!bound || key.person === email);
  const [open, setOpen] = useState<Asked | null>(null);
  // A list has a menu in each of its rows: what a menu opens is made once it was wanted, and stays, so that it closes as it opened.
  const [wanted, setWanted] = useState(false);
  const opens = (what: Asked) => (): void => {
    setWanted(true);
    setOpen(what);
  };
  const close = (): void => setOpen(null);
  const turning = useTurning(key, close);
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
          <Menu.Item leftSection={<Pencil size={14} aria-hidden />} onClick={opens('change')}>
            Rename, move, change…
          </Menu.Item>
          {isOver(key) ? null : (
            <Menu.Item leftSection={<RefreshCw size={14} aria-hidden />} onClick={opens('rotate')}>
              Rotate…
            </Menu.Item>
          )}
          {key.disabledAt === null ? (
            <Menu.Item leftSection={<Pause size={14} aria-hidden />} onClick={opens('disable')}>
              Disable…
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<Play size={14} aria-hidden />} onClick={() => turning.mutate(false)}>
              Enable
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<Ban size={14} aria-hidden />} onClick={opens('revoke')}>
            Revoke…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {wanted ? <KeyDialogs of={key} open={open} onClose={close} /> : null}
    </>
  );
}

function useTurning(key: Key, after: () => void) {
  return useDoing({
    run: (disabled: boolean) => ask.PATCH('/platform/v1/keys/{id}', { params: { path: { id: key.id } }, body: { disabled } }),
    done: key.disabledAt === null ? 'The key is disabled. It admits nothing within a second.' : 'The key admits calls again.',
    changes,
    after,
  });
}

/** What the items of the menu open. */
function KeyDialogs({ of: key, open, onClose: close }: { readonly of: Key; readonly open: Asked | null; readonly onClose: () => void }) {
  const [rotated, setRotated] = useState<RotatedKey | null>(null);
  const name = key.name ?? key.prefix;
  const turning = useTurning(key, close);
  const revoking = useDoing({
    run: () => ask.DELETE('/platform/v1/keys/{id}', { params: { path: { id: key.id } } }),
    done: 'The key is revoked. Calls with it are refused within a second.',
    changes,
    after: close,
  });
  return (
    <>
      <Modal opened={open === 'change'} onClose={close} title="Change the key">
        <KeySettingsForm of={key} onDone={close} />
      </Modal>
      <Modal opened={open === 'rotate'} onClose={close} title="Rotate the key">
        <KeyRotationForm
          id={key.id}
          onRotated={(made) => {
            setRotated(made);
            close();
          }}
        />
      </Modal>
      <Modal opened={rotated !== null} onClose={() => setRotated(null)} title="New secret" size="lg" closeOnClickOutside={false}>
        {rotated === null ? null : (
          <>
            <SecretOnce secret={rotated.key} name="service key" />
            <Text size="sm" mt="md">
              The secret before it works until <Moment at={rotated.formerUntil} />.
            </Text>
          </>
        )}
      </Modal>
      <Confirm
        of={{ asked: open === 'disable', close }}
        title="Disable this key?"
        act="Disable"
        doing={{ isPending: turning.isPending, mutate: () => turning.mutate(true) }}>
        <b className="wrap">{name}</b> admits nothing within a second, until it is enabled again. Callers that use it get 401.
      </Confirm>
      <Confirm of={{ asked: open === 'revoke', close }} title="Revoke this key?" act="Revoke" doing={revoking}>
        <b className="wrap">{name}</b> stops working within a second, for good. Callers that use it get 401. What it spent stays in the
        reports.
      </Confirm>
    </>
  );
}
