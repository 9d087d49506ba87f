/**
 * The one destination an organization declares itself: declare, enable, disable, remove, show. Spec: Declared upstream; rule 19. The
 * credential goes in and never comes out.
 */
import type { Organization } from '@metergate/store/settings/organizations.ts';
import { upstreamNotDeclared, type DeclaredVersion, type KeptUpstream as StoredUpstream } from '@metergate/store/settings/declared-upstreams.ts';
import { refuseOtherThan, refuseOtherVersion, type ThingBefore } from './changed-meanwhile.ts';
import type { UseCaseContext } from './context.ts';
import { findOrganization } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { parseUpstreamUrl, type UpstreamUrlRules } from './upstream-url.ts';

export interface ShownUpstream {
  readonly organization: string;
  /** Another one with each declaration, also of the same URL. */
  readonly version: number;
  readonly url: string;
  readonly enabled: boolean;
  /** False: the destination needs none. */
  readonly hasCredential: boolean;
  /** `unreadable`: the credential is stored, but it cannot be unsealed now. */
  readonly state: 'connected' | 'unreadable';
}

interface UpstreamInput {
  readonly organization: string;
  readonly url: string;
  /** Empty or absent: none is needed. Null: the stored one stays, which it does only where the URL stays. */
  readonly credential?: string | null | undefined;
  /** Of the declaration that the change was made from, null where there was none; if that is not so any more, it is refused. */
  readonly was?: ThingBefore | undefined;
}

/** Declares the destination, which replaces an earlier one and starts disabled. Refuses `changed_meanwhile` too. */
export async function declareUpstream(
  context: UseCaseContext, wanted: UpstreamInput, rules: UpstreamUrlRules,
): Promise<ShownUpstream | AdministrationRefusal> {
  const parsed = parseUpstreamUrl(wanted.url, rules);
  if ('refusal' in parsed) return refuseInput('invalid_upstream_url', parsed.refusal);
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  const declaration = { url: parsed.url, credential: wanted.credential === null ? null : (wanted.credential ?? '').trim() };
  const check = refuseOtherThan<DeclaredVersion>(wanted.was, { the: 'The upstream', a: 'an upstream' }, (there) => there);
  return (await context.store.upstreams.declare(organization.id, declaration, check)) ?? shown(context, organization);
}

/**
 * Calls may go to the declared upstream again. `version`: only to this declaration. Refuses `unknown_organization`, `upstream_not_declared`,
 * `changed_meanwhile`.
 */
export async function enableUpstream(
  context: UseCaseContext, idOrName: string, version?: number,
): Promise<ShownUpstream | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  return (await context.store.upstreams.enable(organization.id, (there) => refuseOtherVersion(version, there))) ?? shown(context, organization);
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
  const { version, url, enabled, hasCredential, state } = upstream;
  return { organization: organization.id, version, url, enabled, hasCredential, state: state === 'readable' ? 'connected' : 'unreadable' };
}
