/**
 * The throughput limits of an organization's plan, as the platform shows them. Spec: Limits, `GET /platform/v1/limits`;
 * rules 21 and 22. It shows the published figures; those of a contract plan are set by agreement and not shown.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { planFigures } from '@metergate/core/rate/tier.ts';
import type { Plan } from '@metergate/core/rate/plan.ts';
import type { UseCaseContext } from './context.ts';
import { findOrganization } from './organizations.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';

interface ShownLimits {
  readonly requestsPerMin: number | null;
  readonly tokensPerMin: number | null;
  readonly tier: Plan;
  /** The page that explains them. */
  readonly docs: string;
  readonly note: string | null;
}

/** The rate limits that apply to an organization, and which plan they come from. Refuses `unknown_organization`. */
export async function showLimits(
  context: UseCaseContext, { organization, docs }: { readonly organization: OrganizationId; readonly docs: string },
): Promise<ShownLimits | AdministrationRefusal> {
  const found = await findOrganization(context, organization);
  if (isRefusal(found)) return found;
  const tier = found.plan;
  if (tier === 'enterprise') {
    return { requestsPerMin: null, tokensPerMin: null, tier, docs, note: 'The figures of this plan are set by agreement.' };
  }
  const { requestsPerMinute, tokensPerMinute } = planFigures[tier];
  return { requestsPerMin: requestsPerMinute, tokensPerMin: tokensPerMinute, tier, docs, note: null };
}
