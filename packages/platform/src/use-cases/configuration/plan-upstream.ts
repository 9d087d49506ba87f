/**
 * The declared upstream: what a configuration declares, switches and removes. The credential comes from where the file says. It is compared
 * with the stored one without being shown, and the stored one is never kept for another URL.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { credentialRefusal } from '@metergate/store/engine/names.ts';
import { isRefusal } from '../refusal.ts';
import { declareUpstream, disableUpstream, enableUpstream, removeUpstream, type ShownUpstream } from '../upstreams.ts';
import { parseUpstreamUrl, type UpstreamUrlRules } from '../upstream-url.ts';
import type { UpstreamEntry } from './configuration.ts';
import { givenCredential, type CredentialOf } from './given-credential.ts';
import { doneOr, nothingPlanned, type FieldChange, type Problem, type SectionPlan, type PlannedStep } from './planned-change.ts';

interface PlanningUpstream {
  readonly organization: OrganizationId;
  readonly upstream: ShownUpstream | null;
  /** The stored credential; null: there is none, or it cannot be read. */
  readonly stored: string | null;
  readonly entry: UpstreamEntry | null | undefined;
  readonly rules: UpstreamUrlRules;
  readonly credentialOf: CredentialOf;
  readonly prune: boolean;
}

/** The steps that make the declared upstream match the file. */
export async function planUpstream(given: PlanningUpstream): Promise<SectionPlan> {
  const { organization, upstream, entry, prune } = given;
  if (entry === undefined || (entry === null && upstream === null)) return nothingPlanned;
  if (entry === null) return prune ? { ...nothingPlanned, steps: [removal(organization, upstream!.url)] } : { ...nothingPlanned, left: 1 };
  const problems: Problem[] = [];
  const parsed = parseUpstreamUrl(entry.url, given.rules);
  if ('refusal' in parsed) problems.push({ path: ['upstream', 'url'], sentence: parsed.refusal });
  const credential = await credentialFor(given, entry, 'url' in parsed ? parsed.url : null);
  if (typeof credential === 'object') problems.push({ path: ['upstream', 'credential'], sentence: credential.sentence });
  if ('refusal' in parsed || typeof credential === 'object') return { ...nothingPlanned, problems };
  return { ...nothingPlanned, steps: stepsOf(given, { url: parsed.url, enabled: entry.enabled, credential }) };
}

/** Empty: no credential is needed. Undefined: the stored one stays. */
async function credentialFor(
  { upstream, credentialOf }: PlanningUpstream, { credential }: UpstreamEntry, url: string | null,
): Promise<string | undefined | { readonly sentence: string }> {
  const found = await givenCredential(credential, {
    stored: upstream?.hasCredential === true, changed: url === null || url === upstream?.url ? null : 'URL', credentialOf,
  });
  if (typeof found !== 'string' || credential === null || credential === undefined) return found;
  const refusal = credentialRefusal("An upstream's credential", found);
  return refusal === null ? found : { sentence: refusal.refused.message };
}

interface Wanted {
  readonly url: string;
  readonly enabled: boolean | undefined;
  readonly credential: string | undefined;
}

function stepsOf(given: PlanningUpstream, { url, enabled, credential }: Wanted): PlannedStep[] {
  const { organization, upstream, stored, rules } = given;
  const asStored = credential === undefined || (upstream !== null && (upstream.hasCredential ? credential === stored : credential === ''));
  const declares = upstream === null || upstream.url !== url || !asStored;
  const enabledBefore = upstream?.enabled ?? false;
  const enabledAfter = enabled ?? enabledBefore;
  const fields: FieldChange[] = [
    ...(upstream?.url === url ? [] : [{ field: 'url', from: upstream?.url ?? null, to: url }]),
    ...(asStored || (upstream === null && credential === '') ? [] : [{
      field: 'credential', from: upstream?.hasCredential === true ? 'stored' : null, to: credential === '' ? null : 'another',
    }]),
    ...(enabledAfter === enabledBefore ? [] : [{ field: 'enabled', from: enabledBefore, to: enabledAfter }]),
  ];
  if (fields.length === 0) return [];
  return [{
    change: { action: upstream === null ? 'create' : 'change', kind: 'upstream', name: url, fields }, makesSecret: false,
    async run(context) {
      const declared = declares ? await declareUpstream(context, { organization, url, credential: credential ?? '' }, rules) : null;
      if (isRefusal(declared)) return declared;
      // A declaration starts disabled.
      const enabledNow = declares ? false : enabledBefore;
      if (enabledNow === enabledAfter) return null;
      return doneOr(await (enabledAfter ? enableUpstream : disableUpstream)(context, organization));
    },
  }];
}

function removal(organization: OrganizationId, url: string): PlannedStep {
  return {
    change: { action: 'remove', kind: 'upstream', name: url, fields: [] }, makesSecret: false,
    run: async (context) => doneOr(await removeUpstream(context, organization)),
  };
}
