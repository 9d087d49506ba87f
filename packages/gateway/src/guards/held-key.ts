/**
 * A service key as the node holds it: with its organization and where both stand with their limits.
 */
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import type { KeyStanding } from './standing.ts';

/** A live key with its organization's settings in force. The same object is returned until one of the two changes. */
export interface HeldKey {
  readonly key: ServiceKeySettings;
  readonly organization: OrganizationSettings;
  /** Where both stand with their limits. The same object for as long as the key is held, whatever its settings. */
  readonly standing: KeyStanding;
}
