/**
 * Webhooks: which ones a configuration creates, changes and removes. A webhook is identified by its URL; several with one URL by their events
 * too. So a URL's only webhook keeps its id and secret when its events change.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { webhooksMax } from '@metergate/store/alerts/webhooks.ts';
import { isRefusal } from '../refusal.ts';
import type { UpstreamUrlRules } from '../upstream-url.ts';
import { parseWebhookUrl } from '../webhooks/webhook-url.ts';
import { createWebhook, removeWebhook, setWebhook, type ShownWebhook } from '../webhooks/webhooks.ts';
import type { WebhookEntry } from './configuration.ts';
import { doneOr, nothingPlanned, type Problem, type SectionPlan, type PlannedStep } from './planned-change.ts';

interface PlanningWebhooks {
  readonly organization: OrganizationId;
  readonly webhooks: readonly ShownWebhook[];
  readonly entries: readonly WebhookEntry[] | undefined;
  readonly rules: UpstreamUrlRules;
  readonly prune: boolean;
}

interface Wanted extends WebhookEntry {
  readonly index: number;
}

type Events = ShownWebhook['events'];
const sameEvents = (one: Events, other: Events): boolean =>
  JSON.stringify(one?.toSorted() ?? null) === JSON.stringify(other?.toSorted() ?? null);

/** The steps that make webhooks match the file. Pure. */
export function planWebhooks(given: PlanningWebhooks): SectionPlan {
  const { organization, webhooks, entries, rules, prune } = given;
  if (entries === undefined) return nothingPlanned;
  const { wanted, problems } = checked(entries, rules);
  const matches = matched(wanted, webhooks);
  const unnamed = webhooks.filter((each) => !wanted.some(({ url, events }) => url === each.url && sameEvents(events ?? null, each.events))
    && ![...matches.values()].includes(each));
  const steps = [
    ...wanted.flatMap((entry) => stepsOf(given, entry, matches.get(entry) ?? null)),
    ...(prune ? unnamed.map((each) => removal(organization, each)) : []),
  ];
  const made = steps.filter(({ change }) => change.action === 'create').length;
  if (webhooks.length + made - (prune ? unnamed.length : 0) > webhooksMax) {
    problems.push({ path: ['webhooks'], sentence: `An organization has at most ${webhooksMax} webhooks.` });
  }
  return { steps, problems, left: prune ? 0 : unnamed.length };
}

function checked(entries: readonly WebhookEntry[], rules: UpstreamUrlRules): { readonly wanted: Wanted[]; readonly problems: Problem[] } {
  const problems: Problem[] = [];
  const wanted: Wanted[] = [];
  for (const [index, entry] of entries.entries()) {
    const parsed = parseWebhookUrl(entry.url, rules);
    if ('refusal' in parsed) {
      problems.push({ path: ['webhooks', index, 'url'], sentence: parsed.refusal });
      continue;
    }
    if (wanted.some(({ url, events }) => url === parsed.url && sameEvents(events ?? null, entry.events ?? null))) {
      problems.push({ path: ['webhooks', index], sentence: 'A webhook with this URL and these events is already in the list.' });
    }
    wanted.push({ ...entry, url: parsed.url, index });
  }
  return { wanted, problems };
}

/** First matches webhooks that are equal; then, if one is left on each side of a URL, that pair. */
function matched(wanted: readonly Wanted[], webhooks: readonly ShownWebhook[]): Map<Wanted, ShownWebhook> {
  const matches = new Map<Wanted, ShownWebhook>();
  const taken = new Set<string>();
  const take = (entry: Wanted, webhook: ShownWebhook | undefined): void => {
    if (webhook === undefined) return;
    matches.set(entry, webhook);
    taken.add(webhook.id);
  };
  const free = (url: string): ShownWebhook[] => webhooks.filter((each) => each.url === url && !taken.has(each.id));
  for (const entry of wanted) take(entry, free(entry.url).find(({ events }) => sameEvents(events, entry.events ?? null)));
  for (const entry of wanted.filter((each) => !matches.has(each))) {
    const rivals = wanted.filter((each) => each.url === entry.url && !matches.has(each));
    const candidates = free(entry.url);
    if (rivals.length === 1 && candidates.length === 1) take(entry, candidates[0]);
  }
  return matches;
}

function stepsOf(given: PlanningWebhooks, { url, events }: Wanted, there: ShownWebhook | null): PlannedStep[] {
  if (there === null) return [creation(given, url, events ?? null)];
  if (events === undefined || sameEvents(there.events, events)) return [];
  return [{
    change: { action: 'change', kind: 'webhook', name: url, fields: [{ field: 'events', from: there.events, to: events }] }, makesSecret: false,
    run: async (context) => doneOr(await setWebhook(context, there.id, { events: events === null ? null : [...events] }, given.organization)),
  }];
}

function creation({ organization, rules }: PlanningWebhooks, url: string, events: Events): PlannedStep {
  return {
    change: { action: 'create', kind: 'webhook', name: url, fields: events === null ? [] : [{ field: 'events', from: null, to: events }] },
    makesSecret: true,
    async run(context) {
      const made = await createWebhook(context, { organization, url, events: events === null ? null : [...events] }, rules);
      return isRefusal(made) ? made : { kind: 'webhook', name: url, id: made.id, secret: made.secret };
    },
  };
}

function removal(organization: OrganizationId, { id, url, events }: ShownWebhook): PlannedStep {
  return {
    change: { action: 'remove', kind: 'webhook', name: url, fields: [{ field: 'events', from: events, to: null }] }, makesSecret: false,
    run: async (context) => doneOr(await removeWebhook(context, id, organization)),
  };
}
