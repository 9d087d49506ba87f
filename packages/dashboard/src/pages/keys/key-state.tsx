/** Whether a service key admits calls. */
import type { Shown } from '../../api/client.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Moment } from '../../shown/figures.tsx';

export type Key = Shown<'ServiceKey'>;

/** It never admits a call again. */
export function isOver(key: Key): boolean {
  return key.revokedAt !== null || (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now());
}

export function KeyState({ of: key }: { readonly of: Key }) {
  if (isOver(key)) {
    return <StateBadge means="over">{key.revokedAt === null ? 'Expired' : 'Revoked'}</StateBadge>;
  }
  if (key.disabledAt !== null) {
    return <StateBadge means="bad">Disabled</StateBadge>;
  }
  if (key.expiresAt !== null) {
    return <StateBadge means="warn">Ends <Moment at={key.expiresAt} relative /></StateBadge>;
  }
  // What most keys are needs no color.
  return <span className="dim nowrap">In use</span>;
}
