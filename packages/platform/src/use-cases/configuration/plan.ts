/**
 * Compares a configuration with an organization: the result is the changes that applying it would make, or every problem with it. Decision
 * 76. Planning changes nothing. A plan is applied change by change, through the use cases that HTTP and the command run.
 */
import type { z } from 'zod';
import { showAllocationRules } from '../allocation/allocation-rules.ts';
import { listAlerts } from '../alerts/alerts.ts';
import { listCaps } from '../caps.ts';
import type { UseCaseContext } from '../context.ts';
import { ownSentencesAlone } from '../input.ts';
import { showOrganization, type ShownOrganization } from '../organizations.ts';
import { priceBook } from '../prices.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { listServiceKeys } from '../service-keys.ts';
import type { UpstreamUrlRules } from '../upstream-url.ts';
import { listWebhooks } from '../webhooks/webhooks.ts';
import { configurationFields, type Configuration } from './configuration.ts';
import { currentNamedUpstreams, currentUpstream } from './current-upstream.ts';
import { planAllocation } from './plan-allocation.ts';
import { planCaps } from './plan-caps.ts';
import { planKeys } from './plan-keys.ts';
import { planSettings } from './plan-settings.ts';
import type { CredentialOf } from './given-credential.ts';
import { planNamedUpstreams } from './plan-named-upstreams.ts';
import { planUpstream } from './plan-upstream.ts';
import { planWebhooks } from './plan-webhooks.ts';
import type { MadeSecret, PlannedChange, Problem, PlannedStep } from './planned-change.ts';

interface Planning {
  /** The document as it was read, not checked yet. */
  readonly document: unknown;
  /** Replaces the organization that the document names; id or name. */
  readonly organization?: string | undefined;
  /** Removes what the document does not name, in the sections that it has. */
  readonly prune: boolean;
  readonly rules: UpstreamUrlRules;
  readonly credentialOf: CredentialOf;
}

export interface ConfigurationPlan {
  readonly organization: Pick<ShownOrganization, 'id' | 'name'>;
  readonly steps: readonly PlannedStep[];
  /** The number of entries that the document does not name and that stay. */
  readonly left: number;
}

/** The plan, or every problem. Refuses `unknown_organization` if one was named beside the document. */
export async function planConfiguration(
  context: UseCaseContext, planning: Planning,
): Promise<ConfigurationPlan | { readonly problems: readonly Problem[] } | AdministrationRefusal> {
  const checked = configurationFields.safeParse(moneyAsText(planning.document), ownSentencesAlone);
  if (!checked.success) return { problems: eachOnce(checked.error.issues.flatMap(problemsOf)) };
  const configuration: Configuration = checked.data;
  const idOrName = planning.organization ?? configuration.organization;
  if (idOrName === undefined) return { problems: [{ path: [], sentence: 'The file names no organization. Add one, or use --org ORG.' }] };
  const organization = await showOrganization(context, idOrName);
  if (isRefusal(organization)) {
    return planning.organization !== undefined ? organization
      : { problems: [{ path: ['organization'], sentence: 'There is no such organization. Create it first: metergate org create NAME' }] };
  }
  return planOn(context, { planning, configuration, organization });
}

async function planOn(
  context: UseCaseContext,
  { planning: { prune, rules: urlRules, credentialOf }, configuration, organization }:
    { readonly planning: Planning; readonly configuration: Configuration; readonly organization: ShownOrganization },
): Promise<ConfigurationPlan | { readonly problems: readonly Problem[] } | AdministrationRefusal> {
  const id = organization.id as Parameters<typeof planKeys>[0]['organization'];
  const [keys, caps, alerts, webhooks] = [
    await listServiceKeys(context, id), await listCaps(context, id), await listAlerts(context, id), await listWebhooks(context, id),
  ];
  const rules = await showAllocationRules(context, id);
  const named = await currentNamedUpstreams(context, id);
  const book = await priceBook(context);
  if (isRefusal(named)) return named;
  if (isRefusal(book)) return book;
  const missing = [keys, caps, alerts, webhooks, rules].find((each) => isRefusal(each));
  if (isRefusal(missing) || isRefusal(keys) || isRefusal(caps) || isRefusal(alerts) || isRefusal(webhooks) || isRefusal(rules)) {
    return missing as AdministrationRefusal;
  }
  const members = new Set((await context.store.members.list(id)).map(({ email }) => email.toLowerCase()));
  const keysPlan = planKeys({ organization: id, keys, entries: configuration.keys, prune, nowMs: context.nowMs });
  const sections = [
    planSettings(organization, configuration.settings),
    keysPlan,
    planCaps({ organization: id, caps, alerts, entries: configuration.caps, referred: keysPlan.referred, members, prune }),
    planWebhooks({ organization: id, webhooks, entries: configuration.webhooks, rules: urlRules, prune }),
    await planUpstream({ organization: id, ...await currentUpstream(context, id), entry: configuration.upstream,
      rules: urlRules, credentialOf, prune }),
    await planNamedUpstreams({ organization: id, ...named, entries: configuration.upstreams, book, rules: urlRules, credentialOf, prune }),
    planAllocation({ organization: id, current: rules, wanted: configuration.allocation }),
  ];
  const problems = sections.flatMap((section) => section.problems);
  if (problems.length > 0) return { problems };
  return {
    organization: { id: organization.id, name: organization.name }, steps: sections.flatMap(({ steps }) => steps),
    left: sections.reduce((sum, { left }) => sum + left, 0),
  };
}

/** What stopped the work, and after how many changes. */
interface Stopped {
  readonly done: number;
  readonly refusal: AdministrationRefusal;
}

/**
 * Carries out the plan in its order. `contextFor` gives the context of each change, for its audit row; `keep` stores a secret before
 * the next change is made. Null: everything is done.
 */
export async function applyPlan(
  { steps }: ConfigurationPlan, contextFor: (change: PlannedChange) => UseCaseContext, keep: (secret: MadeSecret) => Promise<void>,
): Promise<Stopped | null> {
  const made = new Map<string, string>();
  for (const [done, { change, run }] of steps.entries()) {
    const result = await run(contextFor(change), made);
    if (isRefusal(result)) return { done, refusal: result };
    if (result !== null) await keep(result);
  }
  return null;
}

/** Amounts may be written without quotes; they are read as they stand. */
function moneyAsText(document: unknown): unknown {
  if (!isRecord(document)) return document;
  const amounts = (value: unknown, names: readonly string[]): unknown => (!isRecord(value) ? value
    : Object.fromEntries(Object.entries(value).map(([name, each]) =>
      [name, names.includes(name) && typeof each === 'number' ? String(each) : each])));
  const each = (value: unknown, name: string): unknown => (Array.isArray(value) ? value.map((entry) => amounts(entry, [name])) : value);
  const settings = amounts(document['settings'], ['maxRunBudget', 'runCeiling', 'runExposure']);
  return {
    ...document,
    ...('settings' in document ? {
      settings: isRecord(settings) && 'fallbackPrice' in settings
        ? { ...settings, fallbackPrice: amounts(settings['fallbackPrice'], ['input', 'output']) } : settings,
    } : {}),
    ...('keys' in document ? { keys: each(document['keys'], 'maxRunBudget') } : {}),
    ...('caps' in document ? { caps: each(document['caps'], 'limit') } : {}),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A figure of the wrong form can fail several checks that say the same. */
function eachOnce(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** One sentence per field; an unknown field is named, because the file is the operator's own. */
function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => ({ path: [...path, name], sentence: 'There is no such field here.' }));
  }
  if (issue.message !== '') return [{ path, sentence: issue.message }];
  return [{ path, sentence: path.length === 0 ? 'The file must be a map of sections.' : 'This field is missing or has the wrong form.' }];
}
