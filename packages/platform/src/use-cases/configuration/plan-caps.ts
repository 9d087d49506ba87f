/** Caps with their thresholds: which ones a configuration sets, changes and removes. A cap is identified by its scope, subject and window. */
import type { OrganizationId } from '@metergate/core/id.ts';
import { removeAlert, setAlert, type ShownAlert } from '../alerts/alerts.ts';
import { removeCap, setCap, type ShownCap } from '../caps.ts';
import { isRefusal } from '../refusal.ts';
import type { CapEntry } from './configuration.ts';
import type { KeysPlan } from './plan-keys.ts';
import { differing, doneOr, type FieldChange, type MadeKeys, type Problem, type SectionPlan, type PlannedStep } from './planned-change.ts';

interface PlanningCaps {
  readonly organization: OrganizationId;
  readonly caps: readonly Pick<ShownCap, 'id' | 'scope' | 'key' | 'project' | 'person' | 'label' | 'window' | 'limit' | 'mode'>[];
  readonly alerts: readonly ShownAlert[];
  readonly entries: readonly CapEntry[] | undefined;
  readonly referred: KeysPlan['referred'];
  /** Emails of the organization's members, in lower case. */
  readonly members: ReadonlySet<string>;
  readonly prune: boolean;
}

type KeyReference = Exclude<ReturnType<KeysPlan['referred']>, null>;

/** An entry, its key, and the existing cap; null: none. */
interface Matched {
  readonly entry: CapEntry;
  readonly key: KeyReference | null;
  readonly place: string;
  readonly there: PlanningCaps['caps'][number] | null;
}

/** The steps that make caps and their thresholds match the file. Pure. */
export function planCaps(given: PlanningCaps): SectionPlan {
  const { caps, alerts, entries, prune } = given;
  if (entries === undefined) return { steps: [], problems: [], left: 0 };
  const { matched, problems } = matchedOf(given, entries);
  const named = new Set(matched.map(({ there }) => there?.id));
  const unnamed = caps.filter(({ id }) => !named.has(id));
  return {
    problems, left: prune ? 0 : unnamed.length,
    steps: [
      ...matched.flatMap((each) => {
        const step = setting(given, each, alerts.find(({ cap }) => cap === each.there?.id)?.at ?? null);
        return step === null ? [] : [step];
      }),
      ...(prune ? unnamed.map((cap) => removal(given.organization, cap)) : []),
    ],
  };
}

function matchedOf(
  { caps, referred, members }: PlanningCaps, entries: readonly CapEntry[],
): { readonly matched: Matched[]; readonly problems: Problem[] } {
  const problems: Problem[] = [];
  const matched: Matched[] = [];
  for (const [index, entry] of entries.entries()) {
    const key = entry.key === null ? null : referred(entry.key);
    if (entry.key !== null && key === null) {
      problems.push({ path: ['caps', index, 'key'],
        sentence: 'No key has this id, or not exactly one has this name. Add it under keys, or give its id.' });
      continue;
    }
    if (entry.person !== null && !members.has(entry.person.trim().toLowerCase())) {
      problems.push({ path: ['caps', index, 'person'], sentence: 'There is no member with this email. Invite them first.' });
      continue;
    }
    const place = placeOf(entry, key);
    if (matched.some((each) => each.place === place)) {
      problems.push({ path: ['caps', index], sentence: 'A cap of this scope, subject and window is already in the list.' });
    }
    const there = caps.find((cap) => placeOf(cap, cap.key === null ? null : { id: cap.key }) === place) ?? null;
    matched.push({ entry, key, place, there });
  }
  return { matched, problems };
}

function placeOf(
  { scope, project, person, label, window }: Pick<CapEntry, 'scope' | 'project' | 'person' | 'label' | 'window'>, key: KeyReference | null,
): string {
  return JSON.stringify([scope, key ?? project ?? person?.trim().toLowerCase() ?? label, window]);
}

function setting({ organization }: PlanningCaps, { entry, key, there }: Matched, at: readonly number[] | null): PlannedStep | null {
  const { scope, project, person, label, window, limit, mode, alerts } = entry;
  const current = there === null ? { limit: null, mode: 'refuse', alerts: null } : { limit: there.limit, mode: there.mode, alerts: at };
  const fields = differing(current, { limit, mode, alerts });
  if (fields.length === 0) return null;
  const wanted = { organization, scope, project, person, label, window, limit, mode: mode ?? there?.mode ?? 'refuse' };
  return {
    change: { action: there === null ? 'create' : 'change', kind: 'cap', name: nameOf(entry), fields }, makesSecret: false,
    async run(context, made) {
      const changed = (field: string): boolean => fields.some((each) => each.field === field);
      const cap = there === null || changed('limit') || changed('mode')
        ? await setCap(context, { ...wanted, key: keyId(key, made) }) : there;
      if (isRefusal(cap)) return cap;
      return changed('alerts') ? doneOr(await thresholds(context, { organization, cap: cap.id, fields })) : null;
    },
  };
}

async function thresholds(
  context: Parameters<typeof setAlert>[0],
  { organization, cap, fields }: { readonly organization: OrganizationId; readonly cap: string; readonly fields: readonly FieldChange[] },
): Promise<unknown> {
  const at = fields.find(({ field }) => field === 'alerts')!.to as readonly number[] | null;
  return at === null ? removeAlert(context, cap, organization) : setAlert(context, { organization, cap, at: [...at] });
}

function keyId(key: KeyReference | null, made: MadeKeys): string | null {
  if (key === null) return null;
  return 'id' in key ? key.id : made.get(key.made)!;
}

function nameOf({ scope, key, project, person, label, window }: Pick<CapEntry, 'scope' | 'key' | 'project' | 'person' | 'label' | 'window'>): string {
  return [scope, key ?? project ?? person ?? label, window].filter((word) => word !== null).join(' ');
}

function removal(organization: OrganizationId, cap: PlanningCaps['caps'][number]): PlannedStep {
  return {
    change: { action: 'remove', kind: 'cap', name: nameOf(cap), fields: [{ field: 'limit', from: cap.limit, to: null }] }, makesSecret: false,
    run: async (context) => doneOr(await removeCap(context, cap.id, organization)),
  };
}
