/** Where an organization's work is asked for, as whom, and at whose prices: a named provider, or one of its upstreams. Decisions 138 and 231. */
import type { PricedCall } from '@metergate/core/price/cost.ts';
import type { DeclaredUpstream, NamedUpstream, OrganizationSettings } from '@metergate/core/account/settings.ts';
import { regionIn, regionOfUpstream } from '@metergate/core/wire/region-in.ts';
import { isMadeAuth, upstreamCredentialHeader } from '@metergate/core/wire/upstream-auth.ts';
import { providers, wires, type CredentialHeader, type Provider, type Wire } from '@metergate/core/wire/wire.ts';
import { withoutEnding } from '@metergate/core/json/without-ending.ts';
import { isPlaceholder } from '../use-cases/sandbox-placeholder.ts';

export interface AskedSeller extends Pick<PricedCall, 'provider' | 'upstreamHost' | 'region'> {
  readonly wire: Wire;
  /** Without a slash at its end; what is asked for stands behind it. */
  readonly url: string;
  /** The organization chose the address, so the guard judges it. */
  readonly isGuarded: boolean;
  readonly credential: CredentialHeader | null;
  readonly listedAs: string | null;
}

/** What the operator decides. */
export interface SellerRules {
  readonly providerUrls: Readonly<Record<Provider, string>>;
  /** The sandbox plays the named providers. */
  readonly sandbox: boolean;
}

/** Null: nothing can be asked of it now. `seller` as in `FollowedWork`. */
export function askedSellerOf(seller: string, organization: OrganizationSettings, { providerUrls, sandbox }: SellerRules): AskedSeller | null {
  const provider = providers.find((each) => each === seller);
  if (provider === undefined) return upstreamOf(seller, organization);
  const connection = organization[provider];
  if (connection.state !== 'connected' || (isPlaceholder(connection) && !sandbox)) return null;
  const url = providerUrls[provider];
  return {
    wire: provider, url, isGuarded: false, credential: wires[provider].credentialHeader(connection.credential), provider, upstreamHost: null,
    listedAs: null, region: regionIn(url, wires[provider].host),
  };
}

function upstreamOf(seller: string, { upstream, upstreams }: OrganizationSettings): AskedSeller | null {
  if (seller === 'upstream') return upstream === null ? null : askedUpstream(upstream, new URL(upstream.url).hostname, null);
  const named = upstreams.find(({ name }) => seller === `upstream ${name}`);
  return named === undefined ? null : askedUpstream(named, named.url, named);
}

function askedUpstream({ enabled, credential, url }: DeclaredUpstream, upstreamHost: string, named: NamedUpstream | null): AskedSeller | null {
  const auth = named?.auth ?? 'bearer';
  // What is made for each call is made by gateways alone.
  if (!enabled || credential === null || isMadeAuth(auth)) return null;
  return {
    wire: 'upstream', url: withoutEnding(url, '/'), isGuarded: true, credential: upstreamCredentialHeader(auth, credential), provider: null,
    upstreamHost, listedAs: named?.provider ?? null, region: regionOfUpstream({ url, listedAs: named?.provider ?? null }, ''),
  };
}
