/** The dependencies of the platform's HTTP, passed once when it starts. */
import type { Provider } from '@metergate/core/wire/wire.ts';
import type { Store } from '@metergate/store/store.ts';
import type { Attempts } from '../auth/attempts.ts';
import type { SignInBounds } from '../auth/sign-in-bounds.ts';
import type { BodyBudget } from './body-budget.ts';
import type { TrustedProxies } from './client-address.ts';
import type { KnownBrowsers } from '../auth/known-browsers.ts';
import type { OidcParts } from '../auth/oidc/oidc-parts.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Askers } from './askers.ts';
import type { Reports } from '../reports/report-client.ts';
import type { UpstreamUrlRules } from '../use-cases/upstream-url.ts';

export interface PlatformParts {
  readonly store: Store;
  readonly clock: () => number;
  readonly randomBytes: (n: number) => Uint8Array;
  /** Runs the operations that read for long; null: they run on this thread, where they block nobody. */
  readonly reports: Reports | null;
  /** Takes bills apart, and reads from the store that is written to; null: that is done on this thread. */
  readonly bills: Reports | null;
  /** As whom requests have their turns. */
  readonly askers: Askers;
  /** What bodies of requests may hold. */
  readonly bodies: BodyBudget;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  readonly browsers: KnownBrowsers;
  readonly signInBounds: SignInBounds;
  /** Signing in by an identity provider; null: only with a password. */
  readonly oidc: OidcParts | null;
  /** Proxies in front whose forwarded client address is trusted. */
  readonly trusted: TrustedProxies;
  /** Where people and links reach it, without a trailing slash. */
  readonly publicUrl: string;
  /** Where callers reach the gateway, without a trailing slash. */
  readonly gatewayUrl: string;
  /** Calls go to the built-in simulated provider. */
  readonly sandbox: boolean;
  /** Base URLs of the named providers, for test calls. */
  readonly providerUrls: Readonly<Record<Provider, string>>;
  readonly upstreamRules: UpstreamUrlRules;
  /** A fault that was answered with 500: for the log. Contains nothing of the request. */
  readonly report: (fault: unknown) => void;
}
