/** The current declared upstreams, with their credentials for comparison; the credentials are shown nowhere. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { UseCaseContext } from '../context.ts';
import { listNamedUpstreams, type ShownNamedUpstream } from '../named-upstreams.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { showUpstream, type ShownUpstream } from '../upstreams.ts';

/** The declared upstream and its sealed credential; null for both where none is declared. */
export async function currentUpstream(
  context: UseCaseContext, organization: OrganizationId,
): Promise<{ readonly upstream: ShownUpstream | null; readonly stored: string | null }> {
  const shown = await showUpstream(context, organization);
  if (isRefusal(shown)) return { upstream: null, stored: null };
  const declared = (await context.store.settings.organization(organization))?.upstream ?? null;
  return { upstream: shown, stored: declared?.credential ?? null };
}

/** Those with a name, and their sealed credentials by name. */
export async function currentNamedUpstreams(
  context: UseCaseContext, organization: OrganizationId,
): Promise<{ readonly upstreams: readonly ShownNamedUpstream[]; readonly stored: ReadonlyMap<string, string | null> } | AdministrationRefusal> {
  const upstreams = await listNamedUpstreams(context, organization);
  if (isRefusal(upstreams)) return upstreams;
  const declared = upstreams.length === 0 ? [] : (await context.store.settings.organization(organization))?.upstreams ?? [];
  return { upstreams, stored: new Map(declared.map(({ name, credential }) => [name, credential])) };
}
