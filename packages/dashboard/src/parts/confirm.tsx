/** Asks for confirmation before an action that cannot be undone. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function Confirm({
  opened,
  title,
  children,
  act,
  busy,
  onAct,
  onClose,
}: {
  readonly opened: boolean;
  readonly title: string;
  readonly children: ReactNode;
  readonly act: string;
  readonly busy: boolean;
  readonly onAct: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack>
        <Text component="div" size="sm">
          {children}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Leave it
          </Button>
          <Button color="red.9" loading={busy} onClick={onAct}>
            {act}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
