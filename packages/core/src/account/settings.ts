/**
 * The settings of an organization that a gateway node needs to serve its calls, as the store sends them. Values only; frozen by convention. A
 * newer value replaces an older one completely.
 */
import type { OrganizationId, PersonId, ServiceKeyId } from '../id.ts';
import type { NanoDollars } from '../money.ts';
import type { AgreedFigures } from '../rate/tier.ts';
import type { ModelPatterns } from '../call/allowed-models.ts';
import type { WrongBaseUrlRule } from '../call/wrong-base-url.ts';
import type { GrantKey } from '../run/grant.ts';
import type { Cap } from '../spend/cap.ts';
import type { UnmeteredPolicy } from '../usage/unmetered.ts';
import type { UpstreamDialect } from '../usage/dialect-names.ts';
import type { Provider } from '../wire/wire.ts';
import type { Plan } from '../rate/plan.ts';
import type { UpstreamAuth } from '../wire/upstream-auth.ts';

/** A provider key as the node holds it. `unreadable`: stored, but it cannot be unsealed now. */
export type ProviderConnection =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable' }
  | { readonly state: 'connected'; readonly credential: string };

/** The organization's own destination (spec: Declared upstream). */
export interface DeclaredUpstream {
  /** Scheme, host, port and path, without a trailing `/v1` or slash: `https://llm.example.com/base`. */
  readonly url: string;
  readonly enabled: boolean;
  /** Changes with each declaration: connections are never shared across it. */
  readonly version: number;
  /** Empty: the destination needs none. Null: stored, but it cannot be unsealed now. */
  readonly credential: string | null;
}

/** A destination that the organization declared by name; `credential` and `version` as above. Decision 150. */
export interface NamedUpstream extends DeclaredUpstream {
  readonly name: string;
  readonly auth: UpstreamAuth;
  /** What it speaks where its paths and answers do not tell; null: nothing was declared. */
  readonly dialect: UpstreamDialect | null;
  /** The provider of the price list whose prices apply; null: its host tells. */
  readonly provider: string | null;
}

/** A price that the operator set for models that no list knows; nano-dollars per million tokens. */
export interface FallbackPrice {
  readonly inputNanoPerMillion: bigint;
  readonly outputNanoPerMillion: bigint;
}

/** What an organization's runs may spend (rule 12). Null: no bound. Nano-dollars from 0. */
export interface RunPolicy {
  /** The most one run may declare; a key's own figure takes precedence over it, and a grant lifts it. */
  readonly maxRunBudget: NanoDollars | null;
  /** The most any one run may have, with or without a grant. */
  readonly runCeiling: NanoDollars | null;
  /** The most that all live runs together may still spend. */
  readonly runExposure: NanoDollars | null;
}

/** The key of each named provider. */
type ConnectionsByProvider = { readonly [P in Provider]: ProviderConnection };

/** One organization's settings at one revision. */
export interface OrganizationSettings extends ConnectionsByProvider {
  readonly id: OrganizationId;
  readonly plan: Plan;
  readonly upstream: DeclaredUpstream | null;
  /** Those declared by name, few, in the order of their names. */
  readonly upstreams: readonly NamedUpstream[];
  readonly fallbackPrice: FallbackPrice | null;
  /** Overrides how long an abandoned call is read on (rule 8); null: the defaults. Seconds from 0. */
  readonly drainSeconds: number | null;
  /** Figures agreed for Enterprise; null if none were set. */
  readonly agreedFigures: AgreedFigures | null;
  /** Every cap of the organization, including those that are only shown. In the order they were made. */
  readonly caps: readonly Cap[];
  /** Key caps refuse only if the organization says so (rule 4). */
  readonly enforceKeyCaps: boolean;
  readonly runPolicy: RunPolicy;
  /** What it says of work whose cost is not known at its end; null: it allows all of it. */
  readonly unmetered: UnmeteredPolicy | null;
  /** What becomes of calls meant for the second provider that would go to the first (rule 3e). */
  readonly wrongBaseUrl: WrongBaseUrlRule;
  /** Models that may be asked for (rule 6g); null: all. */
  readonly models: ModelPatterns;
  /** Public keys that its run grants may be signed with. */
  readonly grantKeys: readonly GrantKey[];
}

/** A live service key: known, not revoked. Expiry is checked at each call. */
export interface ServiceKeySettings {
  readonly id: ServiceKeyId;
  readonly organization: OrganizationId;
  /** The key's default project (rule 31). */
  readonly project: string | null;
  readonly expiresAtMs: number | null;
  /** The most one run of this key may declare; null: the organization's figure applies. */
  readonly maxRunBudget: NanoDollars | null;
  /** The member whose key it is; null: nobody's in particular. */
  readonly person: PersonId | null;
  /** Models that may be asked for with it, as far as its organization allows them; null: all of those. */
  readonly models: ModelPatterns;
}
