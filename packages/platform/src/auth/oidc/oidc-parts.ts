/** What signing in by an identity provider stands on, given once when the platform starts. */
import type { BegunSignIns } from './begun-sign-in.ts';
import type { IdentityProvider } from './identity-provider.ts';

export interface OidcParts {
  readonly provider: IdentityProvider;
  readonly begun: BegunSignIns;
}
