/** Rotating a key's secret: the form asks how long the old one still works. */
import { Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ask, type Shown } from '../../api/client.ts';
import { useDoing } from '../../parts/doing.ts';
import { Submit } from '../../parts/submit.tsx';

export type RotatedKey = Shown<'RotatedServiceKey'>;

const graces = [
  { value: '0', label: 'No grace: it stops within a second' },
  { value: '900', label: '15 minutes' },
  { value: '3600', label: 'An hour' },
  { value: '86400', label: 'A day' },
  { value: '604800', label: 'A week' },
  { value: '2592000', label: '30 days' },
];

export function KeyRotationForm({ id, onRotated }: { readonly id: string; readonly onRotated: (key: RotatedKey) => void }) {
  const [grace, setGrace] = useState('86400');
  const rotating = useDoing({
    run: async () =>
      (await ask.POST('/platform/v1/keys/{id}/rotate', { params: { path: { id } }, body: { graceSeconds: Number(grace) } })).data!,
    changes: ['/platform/v1/keys', '/platform/v1/audit'],
    after: onRotated,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rotating.mutate(undefined);
      }}>
      <Stack>
        <Text size="sm">
          The key keeps its id, its name, its caps and what it spent. A secret that an earlier rotation left working stops now.
        </Text>
        <Select
          label="The secret in use still works for"
          description="So that callers have time to switch."
          data={graces}
          value={grace}
          onChange={(value) => setGrace(value ?? grace)}
          allowDeselect={false}
          data-autofocus
        />
        <Submit busy={rotating.isPending}>Rotate the key</Submit>
      </Stack>
    </form>
  );
}
