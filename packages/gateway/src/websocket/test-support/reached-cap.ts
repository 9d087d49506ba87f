/** A cap that is reached while a connection is open. */
import type { CapId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { Cap } from '@metergate/core/spend/cap.ts';
import { follow } from '../../guards/standing.ts';
import type { SessionNode } from './session-node.ts';

export function reachCap({ key }: SessionNode): void {
  const cap: Cap = { id: 'cap' as CapId, scope: 'organization', subject: null, window: 'month', limit: nanoDollars(0n), mode: 'refuse' };
  follow(key.held!.standing, { ...key.held!.organization, caps: [cap] }, key.held!.key);
}
