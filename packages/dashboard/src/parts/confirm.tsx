/** Asks for confirmation before an action that cannot be undone. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';

/** Whether a person is being asked. */
interface OpenQuestion {
  readonly asked: boolean;
  readonly open: () => void;
  readonly close: () => void;
}

export function useQuestion(): OpenQuestion {
  const [asked, { open, close }] = useDisclosure(false);
  return { asked, open, close };
}

interface ConfirmProps {
  readonly of: Pick<OpenQuestion, 'asked' | 'close'>;
  readonly title: string;
  /** What the button says. */
  readonly act: string;
  /** What is done then; it closes the question itself. */
  readonly doing: { readonly isPending: boolean; readonly mutate: (input: undefined) => void };
  readonly children: ReactNode;
}

export function Confirm({ of: { asked, close }, title, act, doing, children }: ConfirmProps) {
  return (
    <Modal opened={asked} onClose={close} title={title}>
      <Stack>
        <Text component="div" size="sm">
          {children}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            Leave it
          </Button>
          <Button color="red.9" loading={doing.isPending} onClick={() => doing.mutate(undefined)}>
            {act}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
