/** Whether a service key admits calls. */
import { Badge } from '@mantine/core';
import type { Shown } from '../../api/client.ts';
import { Moment } from '../../shown/figures.tsx';

export type Key = Shown<'ServiceKey'>;

/** It never admits a call again. */
export function isOver(key: Key): boolean {
  return key.revokedAt !== null || (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now());
}

export function KeyState({ of: key }: { readonly of: Key }) {
  if (isOver(key)) {
    return (
      <Badge color="gray" variant="light" c="dimmed">
        {key.revokedAt === null ? 'Expired' : 'Revoked'}
      </Badge>
    );
  }
  if (key.disabledAt !== null) {
    return (
      <Badge variant="light" color="red" c="var(--bad)">
        Disabled
      </Badge>
    );
  }
  if (key.expiresAt !== null) {
    return (
      <Badge variant="light" color="yellow" c="var(--warn)">
        Ends <Moment at={key.expiresAt} relative />
      </Badge>
    );
  }
  return (
    <Badge variant="light" c="var(--good)" color="green">
      In use
    </Badge>
  );
}
