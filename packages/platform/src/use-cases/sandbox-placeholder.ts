/** The placeholder for a provider key while the sandbox plays the providers. It is not a real key, and a start without the sandbox removes it. */
import type { ProviderConnection } from '@metergate/core/account/settings.ts';

export const sandboxCredential = 'sandbox-placeholder-not-a-key';

/** True for the key that the first start connects the sandbox with. */
export function isPlaceholder(connection: ProviderConnection): boolean {
  return connection.state === 'connected' && connection.credential === sandboxCredential;
}
