/**
 * The one destination an organization declares itself: declare, enable, disable, remove, show. Spec: Declared upstream; rule 19. The
 * credential goes in and never comes out.
 */
import type { Organization } from '@metergate/store/settings/organizations.ts';
import { upstreamNotDeclared, type KeptUpstream as StoredUpstream } from '@metergate/store/settings/declared-upstreams.ts';
import type { UseCaseContext } from './context.ts';
import { findOrganization } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { parseUpstreamUrl, type UpstreamUrlRules } from './upstream-url.ts';

export interface ShownUpstream {
  readonly organization: string;
  readonly url: string;
  readonly enabled: boolean;
  /** False: the destination needs none. */
  readonly hasCredential: boolean;
  /** `unreadable`: the credential is stored, but it cannot be unsealed now. */
  readonly state: 'connected' | 'unreadable';
}

/** Declares the destination, which replaces an earlier one and starts disabled. An empty credential: none is needed. */
export async function declareUpstream(
  context: UseCaseContext, wanted: { readonly organization: string; readonly url: string; readonly credential: string }, rules: UpstreamUrlRules,
): Promise<ShownUpstream | AdministrationRefusal> {
  const parsed = parseUpstreamUrl(wanted.url, rules);
  if ('refusal' in parsed) return refuseInput('invalid_upstream_url', parsed.refusal);
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  const declaration = { url: parsed.url, credential: wanted.credential.trim() };
  return (await context.store.upstreams.declare(organization.id, declaration)) ?? shown(context, organization);
}

/** Calls may go to the declared upstream again. Refuses `unknown_organization`, `upstream_not_declared`. */
export async function enableUpstream(context: UseCaseContext, idOrName: string): Promise<ShownUpstream | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  return (await context.store.upstreams.enable(organization.id)) ?? shown(context, organization);
}

/** Calls to the declared upstream are refused; the declaration stays. Refuses `unknown_organization`, `upstream_not_declared`. */
export async function disableUpstream(context: UseCaseContext, idOrName: string): Promise<ShownUpstream | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  return (await context.store.upstreams.disable(organization.id)) ?? shown(context, organization);
}

/** Destroys the declaration with its credential. */
export async function removeUpstream(
  context: UseCaseContext, idOrName: string,
): Promise<{ readonly organization: string; readonly removed: true } | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  return (await context.store.upstreams.remove(organization.id)) ?? { organization: organization.id, removed: true };
}

/** Refuses `upstream_not_declared` if there is none. */
export async function showUpstream(context: UseCaseContext, idOrName: string): Promise<ShownUpstream | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  return isRefusal(organization) ? organization : shown(context, organization);
}

async function shown({ store }: UseCaseContext, organization: Organization): Promise<ShownUpstream | AdministrationRefusal> {
  const upstream: StoredUpstream | null = await store.upstreams.show(organization.id);
  if (upstream === null) return upstreamNotDeclared();
  const { url, enabled, hasCredential, state } = upstream;
  return { organization: organization.id, url, enabled, hasCredential, state: state === 'readable' ? 'connected' : 'unreadable' };
}
