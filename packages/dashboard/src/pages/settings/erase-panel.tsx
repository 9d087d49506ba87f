/** Erases the organization for good, after its name is typed. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { leaveSession, useSession } from '../../app/session.ts';
import { Confirm, useQuestion } from '../../parts/confirm.tsx';
import { useDoing } from '../../parts/doing.ts';
import { Panel } from '../../parts/page.tsx';

export function ErasePanel() {
  const {
    organization: { id, name },
  } = useSession();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const question = useQuestion();
  const erasing = useDoing({
    run: () => ask.DELETE('/platform/v1/organizations/{id}', { params: { path: { id } } }),
    changes: [],
    after: () => void leaveSession(() => navigate({ to: '/sign-in' })),
  });
  return (
    <Panel title="Erase the organization">
      <Stack maw={520}>
        <Text size="sm">
          Keys, sessions, provider keys and every name are destroyed. Records keep only their figures. This cannot be undone.
        </Text>
        <TextInput
          label={`Type ${name} to go on`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
        />
        <Group>
          <Button color="red.9" disabled={typed !== name} onClick={question.open}>
            Erase…
          </Button>
        </Group>
      </Stack>
      <Confirm of={question} title="Erase for good?" act="Erase" doing={erasing}>
        <b className="wrap">{name}</b> is erased now. You are signed out.
      </Confirm>
    </Panel>
  );
}
