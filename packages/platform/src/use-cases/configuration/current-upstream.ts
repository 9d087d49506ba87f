/** The current declared upstream, with its credential for comparison; the credential is shown nowhere. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { UseCaseContext } from '../context.ts';
import { isRefusal } from '../refusal.ts';
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
