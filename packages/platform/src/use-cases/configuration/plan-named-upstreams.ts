/**
 * Upstreams with a name: which ones a configuration declares, changes and removes. An upstream is identified by its name. Credentials are handled as
 * those of the one without a name: compared without being shown, and never kept for another URL, or to be shown in another way.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import { namedUpstreamsMax } from '@metergate/store/settings/named-upstreams.ts';
import { isRefusal } from '../refusal.ts';
import {
  declareNamedUpstream, disableNamedUpstream, enableNamedUpstream, lackingCredential, problemWithUpstream, removeNamedUpstream,
  type ShownNamedUpstream,
} from '../named-upstreams.ts';
import { storedCredentialOf } from '../upstream-credential.ts';
import { parseNamedUpstreamUrl, type UpstreamUrlRules } from '../upstream-url.ts';
import type { NamedUpstreamEntry } from './configuration.ts';
import { givenCredential, type CredentialOf } from './given-credential.ts';
import { differing, doneOr, nothingPlanned, type FieldChange, type Problem, type SectionPlan, type PlannedStep } from './planned-change.ts';

interface PlanningNamedUpstreams {
  readonly organization: OrganizationId;
  readonly upstreams: readonly ShownNamedUpstream[];
  /** Stored credentials by name; null: there is none, or it cannot be read. */
  readonly stored: ReadonlyMap<string, string | null>;
  readonly entries: readonly NamedUpstreamEntry[] | undefined;
  readonly book: PriceBook;
  readonly rules: UpstreamUrlRules;
  readonly credentialOf: CredentialOf;
  readonly prune: boolean;
}

/** The steps that make the named upstreams match the file. */
export async function planNamedUpstreams(given: PlanningNamedUpstreams): Promise<SectionPlan> {
  const { organization, upstreams, entries, prune } = given;
  if (entries === undefined) return nothingPlanned;
  const [steps, problems]: [PlannedStep[], Problem[]] = [[], []];
  for (const [index, entry] of entries.entries()) {
    const first = entries.findIndex(({ name }) => name === entry.name);
    const found = first === index ? await planEntry(given, entry) : { field: 'name', sentence: 'An upstream with this name is already in the list.' };
    if ('sentence' in found) problems.push({ path: ['upstreams', index, found.field], sentence: found.sentence });
    else steps.push(...found.steps);
  }
  const unnamed = upstreams.filter(({ name }) => !entries.some((entry) => entry.name === name));
  const made = steps.filter(({ change }) => change.action === 'create').length;
  if (upstreams.length + made - (prune ? unnamed.length : 0) > namedUpstreamsMax) {
    problems.push({ path: ['upstreams'], sentence: `An organization may declare ${namedUpstreamsMax} upstreams by name.` });
  }
  const removals = prune ? unnamed.map(({ name }) => removal(organization, name)) : [];
  // Those that go make room first.
  return { steps: [...removals, ...steps], problems, left: prune ? 0 : unnamed.length };
}

async function planEntry(
  given: PlanningNamedUpstreams, entry: NamedUpstreamEntry,
): Promise<{ readonly steps: PlannedStep[] } | { readonly field: string; readonly sentence: string }> {
  const there = given.upstreams.find(({ name }) => name === entry.name) ?? null;
  const { name } = entry;
  const wanted = {
    auth: entry.auth ?? there?.auth ?? 'bearer', dialect: entry.dialect === undefined ? there?.dialect ?? null : entry.dialect,
    provider: entry.provider === undefined ? there?.provider ?? null : entry.provider,
  };
  const parsed = parseNamedUpstreamUrl(entry.url, given.rules);
  if ('refusal' in parsed) return { field: 'url', sentence: parsed.refusal };
  const { url } = parsed;
  const problem = problemWithUpstream({ name, provider: wanted.provider }, given.book);
  if (problem !== null) return { field: problem.field, sentence: problem.sentence };
  const changed = there === null ? null : there.url !== url ? 'URL' as const : there.auth !== wanted.auth ? 'auth' as const : null;
  const credential = await givenCredential(entry.credential, { stored: there?.hasCredential === true, changed, credentialOf: given.credentialOf });
  if (typeof credential === 'object') return { field: 'credential', ...credential };
  const kept = given.stored.get(name) ?? null;
  if (credential === undefined && kept === null) return { field: 'credential', sentence: 'The stored credential cannot be read. Say what it is.' };
  const stored = storedCredentialOf({ auth: wanted.auth, credential: credential ?? kept!, url }, given.rules);
  if ('problem' in stored) return { field: 'credential', sentence: stored.problem };
  const steps = stepsOf(given, { ...wanted, name, url, credential: stored.text, enabled: entry.enabled }, there);
  const lacking = lackingCredential(name, { auth: wanted.auth, hasCredential: stored.text !== '' });
  const enables = steps.length > 0 && (entry.enabled ?? there?.enabled ?? false);
  return enables && lacking !== null ? { field: 'credential', sentence: lacking } : { steps };
}

type Wanted = Pick<ShownNamedUpstream, 'name' | 'url' | 'auth' | 'dialect' | 'provider'> & {
  readonly credential: string; readonly enabled: boolean | undefined;
};

function stepsOf({ organization, stored, rules }: PlanningNamedUpstreams, wanted: Wanted, there: ShownNamedUpstream | null): PlannedStep[] {
  const { name, url, auth, dialect, provider, credential } = wanted;
  const current = there ?? { url: null, auth: null, dialect: null, provider: null };
  const asStored = credential === (there?.hasCredential === true ? stored.get(name) : '');
  const declared: FieldChange[] = [
    ...differing({ url: current.url, auth: current.auth, dialect: current.dialect, provider: current.provider }, { url, auth, dialect, provider }),
    ...(asStored ? [] : [{
      field: 'credential', from: there?.hasCredential === true ? 'stored' : null, to: credential === '' ? null : 'another',
    }]),
  ];
  const declares = there === null || declared.length > 0;
  const enabledBefore = there?.enabled ?? false;
  const enabledAfter = wanted.enabled ?? enabledBefore;
  const fields = [...declared, ...(enabledAfter === enabledBefore ? [] : [{ field: 'enabled', from: enabledBefore, to: enabledAfter }])];
  if (fields.length === 0) return [];
  return [{
    change: { action: there === null ? 'create' : 'change', kind: 'upstream', name, fields }, makesSecret: false,
    async run(context) {
      const done = declares ? await declareNamedUpstream(context, { organization, name, url, credential, auth, dialect, provider }, rules) : null;
      if (isRefusal(done)) return done;
      // A declaration starts disabled.
      const enabledNow = declares ? false : enabledBefore;
      if (enabledNow === enabledAfter) return null;
      return doneOr(await (enabledAfter ? enableNamedUpstream : disableNamedUpstream)(context, { organization, name }));
    },
  }];
}

function removal(organization: OrganizationId, name: string): PlannedStep {
  return {
    change: { action: 'remove', kind: 'upstream', name, fields: [] }, makesSecret: false,
    run: async (context) => doneOr(await removeNamedUpstream(context, { organization, name })),
  };
}
