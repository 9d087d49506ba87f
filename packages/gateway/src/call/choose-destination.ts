/**
 * Route and organization → destination and credential, or the 400 or 401 that says why not. Spec: Authentication 2 and 3;
 * Endpoints rule 3: no fallback to any other destination, ever.
 */
import type { Route } from '@metergate/core/call/route.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { OrganizationSettings } from '@metergate/core/account/settings.ts';
import { regionOfUpstream } from '@metergate/core/wire/region-in.ts';
import { isMadeAuth, upstreamCredentialHeader } from '@metergate/core/wire/upstream-auth.ts';
import { wires, type CredentialHeader, type Provider } from '@metergate/core/wire/wire.ts';
import { withoutEnding } from '@metergate/core/json/without-ending.ts';
import type { Destinations, GatewayNode } from '../node/gateway-node.ts';
import type { ChosenDestination } from './admitted-call.ts';

/** Where calls can go, and who makes the credentials that are made for each call. */
type Places = Pick<GatewayNode, 'destinations' | 'upstreamCredentials'>;

const nothingBeside: ChosenDestination['beside'] = [];

export function chooseDestination(
  places: Places, { route, method }: { readonly route: Route; readonly method: string }, organization: OrganizationSettings,
): ChosenDestination | Refusal {
  const { destinations } = places;
  if (route.wire !== 'upstream') return namedProvider(destinations, route, organization, route.wire);
  return route.upstream === null ? declaredUpstream(destinations, route, organization)
    : namedUpstream(places, route, organization, route.upstream) ?? unknownUrl(organization, route, method);
}

/** Whoever has declared no upstream by name is answered as at any other path that leads nowhere. */
function unknownUrl({ upstreams }: OrganizationSettings, { path, upstream }: Route, method: string): Refusal {
  return { kind: 'unknown_url', method, path, ...(upstream === null || upstreams.length === 0 ? {} : { undeclared: upstream }) };
}

function namedProvider(
  destinations: Destinations, route: Route, organization: OrganizationSettings, provider: Provider,
): ChosenDestination | Refusal {
  const connection = organization[provider];
  if (connection.state === 'missing') return { kind: 'provider_key_missing', wire: provider };
  if (connection.state === 'unreadable') return { kind: 'provider_key_unavailable', wire: provider };
  return {
    destination: destinations.provider(provider, organization.id),
    target: route.target,
    credential: credentialOf(connection, provider),
    beside: nothingBeside,
    maker: null,
    provider,
    region: destinations.region(provider),
    upstreamHost: null,
    listedAs: null,
    dialect: null,
  };
}

/** The header of each connection in the settings, made once. */
const credentials = new WeakMap<object, CredentialHeader>();

function credentialOf(connection: { readonly credential: string }, provider: Provider): CredentialHeader {
  let made = credentials.get(connection);
  if (made === undefined) credentials.set(connection, made = wires[provider].credentialHeader(connection.credential));
  return made;
}

function declaredUpstream(
  destinations: Destinations, route: Route, organization: OrganizationSettings,
): ChosenDestination | Refusal {
  const { upstream } = organization;
  if (upstream === null) return { kind: 'upstream_not_declared' };
  if (!upstream.enabled) return { kind: 'upstream_not_enabled' };
  if (upstream.credential === null) return { kind: 'provider_key_unavailable', wire: 'upstream' };
  const { basePath, host } = partsOf(upstream.url);
  return {
    destination: destinations.upstream({ organization: organization.id, version: upstream.version, url: upstream.url }),
    target: basePath + route.target,
    credential: upstream.credential === '' ? null : wires.upstream.credentialHeader(upstream.credential),
    beside: nothingBeside,
    maker: null,
    provider: null,
    region: regionOfUpstream({ url: upstream.url, listedAs: null }, route.path),
    upstreamHost: host,
    listedAs: null,
    dialect: null,
  };
}

/** Null: no upstream of this name is declared, so the path leads nowhere. */
function namedUpstream(
  { destinations, upstreamCredentials: credentials }: Places, route: Route, organization: OrganizationSettings, name: string,
): ChosenDestination | Refusal | null {
  const upstream = organization.upstreams.find((each) => each.name === name);
  if (upstream === undefined) return null;
  if (!upstream.enabled) return { kind: 'named_upstream_not_enabled', name };
  if (upstream.credential === null) return { kind: 'provider_key_unavailable', wire: 'upstream' };
  const maker = isMadeAuth(upstream.auth) ? credentials.makerFor(organization.id, upstream) : null;
  if (maker === null && isMadeAuth(upstream.auth)) return { kind: 'provider_key_unavailable', wire: 'upstream' };
  return {
    destination: destinations.upstream({ organization: organization.id, name, version: upstream.version, url: upstream.url }),
    target: partsOf(upstream.url).basePath + route.target,
    credential: upstreamCredentialHeader(upstream.auth, upstream.credential),
    beside: nothingBeside,
    maker,
    provider: null,
    region: regionOfUpstream({ url: upstream.url, listedAs: upstream.provider }, route.path),
    upstreamHost: upstream.url,
    listedAs: upstream.provider,
    dialect: upstream.dialect,
  };
}

/**
 * Why a connection to the route's destination is to carry nothing more: the organization has disconnected the provider, or disabled or removed the
 * upstream, since it began. Null: it has not. One that cannot be unsealed now is none of these: it is not needed for what is connected.
 */
export function withdrawnDestination(
  { wire }: Pick<Route, 'wire'>, organization: Pick<OrganizationSettings, 'upstream' | Provider>,
): Refusal | null {
  if (wire !== 'upstream') return organization[wire].state === 'missing' ? { kind: 'provider_key_missing', wire } : null;
  if (organization.upstream === null) return { kind: 'upstream_not_declared' };
  return organization.upstream.enabled ? null : { kind: 'upstream_not_enabled' };
}

/** Base path (no trailing slash) and host name of a stored declaration, which was normalised when it was declared. */
function partsOf(url: string): { basePath: string; host: string } {
  const parsed = new URL(url);
  return { basePath: withoutEnding(parsed.pathname, '/'), host: parsed.hostname };
}
