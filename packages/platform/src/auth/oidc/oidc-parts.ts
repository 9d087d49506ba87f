/** The dependencies of signing in by an identity provider, passed once when the platform starts. */
import type { BegunSignIns } from './begun-sign-in.ts';
import type { KeptIdTokens } from './kept-id-token.ts';
import type { IdentityProvider } from './identity-provider.ts';

export interface OidcParts {
  readonly provider: IdentityProvider;
  readonly begun: BegunSignIns;
  readonly idTokens: KeptIdTokens;
}
