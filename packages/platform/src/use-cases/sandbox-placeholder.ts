/**
 * What stands in place of a provider key while the sandbox plays the providers. It is never a key, opens nothing at a provider, and
 * a start without the sandbox takes it away.
 */
import type { ProviderConnection } from '@metergate/core/settings.ts';

export const sandboxCredential = 'sandbox-placeholder-not-a-key';

export function isPlaceholder(connection: ProviderConnection): boolean {
  return connection.state === 'connected' && connection.credential === sandboxCredential;
}
