/**
 * What a gateway node must know of an organization to serve its calls: the shape that crosses from store to gateway.
 * Values only; frozen by convention. A newer value replaces an older one whole.
 */
import type { OrganizationId, ServiceKeyId } from './id.ts';

/** Plans of the spec (Limits). */
export const plans = ['free', 'developer', 'team', 'growth', 'scale', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

/** The two named providers. */
export const providers = ['openai', 'anthropic'] as const;
export type Provider = (typeof providers)[number];

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

/** A price the operator set for models that no list knows; nano-dollars per million tokens. */
export interface FallbackPrice {
  readonly inputNanoPerMillion: bigint;
  readonly outputNanoPerMillion: bigint;
}

/** One organization's settings at one revision. */
export interface OrganizationSettings {
  readonly id: OrganizationId;
  readonly plan: Plan;
  readonly openai: ProviderConnection;
  readonly anthropic: ProviderConnection;
  readonly upstream: DeclaredUpstream | null;
  readonly fallbackPrice: FallbackPrice | null;
  /** Overrides how long an abandoned call is read on (design 3, row 8); null: the defaults. Seconds from 0. */
  readonly drainSeconds: number | null;
}

/** A live service key: known, not revoked. Expiry is checked at each call. */
export interface ServiceKeySettings {
  readonly id: ServiceKeyId;
  readonly organization: OrganizationId;
  /** The key's default project (design 3, row 31). */
  readonly project: string | null;
  readonly expiresAtMs: number | null;
}
