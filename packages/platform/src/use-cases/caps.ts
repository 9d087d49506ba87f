/**
 * Spend caps as administration sees them: set, list with what was spent, remove. Spec: Budget cap; rules 4 and 8; rules: Interfaces.
 * Money as decimal US dollars with nine places, times in ISO 8601 UTC; absent is null.
 */
import type { OrganizationId, PersonId, ServiceKeyId } from '@metergate/core/id.ts';
import { isLabel } from '@metergate/core/call/labels.ts';
import { forecastOf, paceSince } from '@metergate/core/spend/forecast.ts';
import { formatDollars } from '@metergate/core/money.ts';
import { capModes, capRules, capScopes, type Cap, type CapMode, type CapScope } from '@metergate/core/spend/cap.ts';
import { noLackingCalls, type LackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import { calendarWindows, windowAt, type CalendarWindow } from '@metergate/core/spend/window.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { ListPage, ListPlace } from '@metergate/store/engine/list-page.ts';
import type { CapStanding } from '@metergate/store/settings/caps.ts';
import { z } from 'zod';
import { refuseOtherThan, type ThingBefore } from './changed-meanwhile.ts';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { moneyField } from './money-field.ts';
import { findFigures, findOrganization } from './organizations.ts';
import { unknownPerson } from './service-keys.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

export const capStates = ['open', 'reached', 'shown'] as const;
type CapState = (typeof capStates)[number];

export interface ShownCap extends LackingCalls {
  readonly id: string;
  readonly scope: CapScope;
  /** Id of the service key that a cap of scope `key` is about. */
  readonly key: string | null;
  /** What a cap of scope `project` is about. */
  readonly project: string | null;
  /** Email of the member that a cap of scope `person` is about; null too for those who may not know it. */
  readonly person: string | null;
  /** What a cap of scope `label` is about. */
  readonly label: string | null;
  readonly window: CalendarWindow;
  readonly limit: string;
  /** `refuse`: 402 once it is reached. `pause`: 429 with the time until it resets. */
  readonly mode: CapMode;
  /** In the current window. */
  readonly spent: string;
  /** `reached`: it refuses now. `shown`: it is reached or not, and refuses nothing (projects; keys, where key caps are not enforced). */
  readonly state: CapState;
  /** Null: it never resets. */
  readonly resetsAt: string | null;
  /** When it is reached at the pace of the last seven days; null: not at this pace, or it resets before. Reached: the moment of asking. */
  readonly forecastAt: string | null;
  /** The pace of the last seven days. */
  readonly pacePerDay: string;
}

export interface CapInput {
  /** Id or name. */
  readonly organization: string;
  readonly scope: string;
  /** With scope `key`, and only then. */
  readonly key?: string | null;
  /** With scope `project`, and only then. */
  readonly project?: string | null;
  /** With scope `person`, and only then: the email or the id of a member. */
  readonly person?: string | null;
  /** With scope `label`, and only then. */
  readonly label?: string | null;
  readonly window: string;
  /** US dollars, decimal text. */
  readonly limit: string;
  /** `refuse` by default. */
  readonly mode?: string;
  /** Limit and mode as they were when the change was made up, null where there was no such cap; if that is not so any more, the change is refused. */
  readonly was?: ThingBefore;
}

/** The fields of a cap but for its organization: what the command and the platform's HTTP check alike. */
export const capFields = z.strictObject({
  scope: z.enum(capScopes, { error: capRules.scope }),
  key: z.string({ error: 'The key of a cap must be the id of a service key.' }).nullable().default(null)
    .meta({ description: 'With scope key, and only then: the id of the service key' }),
  project: z.string({ error: 'The project of a cap must be text.' }).nullable().default(null)
    .meta({ description: 'With scope project, and only then' }),
  person: z.string({ error: 'The person of a cap must be the email of a member.' }).nullable().default(null)
    .meta({ description: 'With scope person, and only then: the email of a member. The cap is on all their keys' }),
  label: z.string({ error: 'The label of a cap must be text.' }).refine(isLabel, { error: capRules.label }).nullable().default(null)
    .meta({ description: 'With scope label, and only then: one label, as calls have it' }),
  window: z.enum(calendarWindows, { error: capRules.window }),
  limit: moneyField('The limit of a cap'),
  mode: z.enum(capModes, { error: capRules.mode }).default('refuse'),
});

/** The fields that name what a cap is about, by scope; the organization needs none. */
const namings = ['key', 'project', 'person', 'label'] as const;
type Naming = (typeof namings)[number];
type CapNaming = { readonly scope: CapScope } & { readonly [Name in Naming]: string | null };

/** Whether what it is about is named by the field of its scope, and by no other. */
export function namesOwnSubject(named: CapNaming): boolean {
  return namings.every((name) => (named[name] !== null) === (named.scope === name));
}

/** What is named, as the store knows it. Refuses `unknown_member`. */
export async function subjectNamed(
  { store }: UseCaseContext, organization: OrganizationId, { scope, key, project, person, label }: CapNaming,
): Promise<{ readonly subject: string | null } | AdministrationRefusal> {
  if (scope !== 'person') return { subject: key ?? project ?? label };
  const member = await store.members.findByEmail(organization, person!);
  return member === null ? unknownPerson() : { subject: member.id };
}

/** Makes the cap; one of the same scope, subject and window gets this limit and mode and keeps its id. */
export async function setCap(
  context: UseCaseContext, { organization: idOrName, was, ...wanted }: CapInput,
): Promise<ShownCap | AdministrationRefusal> {
  const checked = checkInput(capFields, wanted as z.input<typeof capFields>);
  if (isRefusal(checked)) return checked;
  const { scope, window, limit, mode } = checked.value;
  if (!namesOwnSubject(checked.value)) return refuseInput('invalid_input', capRules.subject);
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const named = await subjectNamed(context, organization.id, checked.value);
  if (isRefusal(named)) return named;
  const set = await context.store.caps.set({ organization: organization.id, ...named, scope, window, limit, mode },
    refuseOtherThan<Cap>(was, { the: 'This cap', a: 'such a cap' }, ({ limit: there, mode: how }) => ({ limit: formatDollars(there), mode: how })));
  if (isRefusal(set)) return set;
  // Somebody may have removed it since; then it is shown as it was set.
  const standing = await context.store.caps.find(organization.id, set.id, context.nowMs)
    ?? { cap: set, spent: 0n as CapStanding['spent'], ...noLackingCalls };
  return shownCap(context, organization, standing);
}

/** In the order they were made. Of an erased organization, which only its id finds, those that were not for a project. */
export async function listCaps(context: UseCaseContext, idOrName: string): Promise<ShownCap[] | AdministrationRefusal> {
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const standings = await context.store.caps.list(organization.id, context.nowMs);
  return Promise.all(standings.map((standing) => shownCap(context, organization, standing)));
}

/** A cap without what is foreseen of it. */
type CapWithoutForecast = Omit<ShownCap, 'forecastAt' | 'pacePerDay'>;

/** What binds the calls of a key with these labels, in the order they were made, however many others there are. Nobody's email is in it. */
export async function listCapsOn(
  context: UseCaseContext, id: OrganizationId, of: { readonly key: ServiceKeyId; readonly labels: readonly string[] },
): Promise<CapWithoutForecast[] | AdministrationRefusal> {
  const organization = await findFigures(context, id);
  if (isRefusal(organization)) return organization;
  return (await context.store.caps.on(id, of, context.nowMs)).map((standing) => withoutForecast(context, organization, standing));
}

/** A page of the same list, each cap with its place in it. */
export async function pageCaps(
  context: UseCaseContext, organization: OrganizationId, page: ListPage,
): Promise<readonly { readonly item: ShownCap; readonly place: ListPlace }[] | AdministrationRefusal> {
  const found = await findOrganization(context, organization);
  if (isRefusal(found)) return found;
  const standings = await context.store.caps.list(organization, context.nowMs, page);
  return Promise.all(standings.map(async (standing) => ({ item: await shownCap(context, found, standing), place: standing.place })));
}

/** `within`: only a cap of this organization, by id or name; any other answers like an unknown one. Refuses `unknown_cap`. */
export async function removeCap(
  context: UseCaseContext, id: string, within?: string,
): Promise<{ readonly id: string; readonly removed: true } | AdministrationRefusal> {
  const organization = within === undefined ? undefined : await findOrganization(context, within);
  if (isRefusal(organization)) return organization;
  const removed = await context.store.caps.remove(id, organization?.id);
  return isRefusal(removed) ? removed : { id: removed.id, removed: true };
}

type CapOwner = { readonly id: OrganizationId; readonly enforceKeyCaps: boolean };

async function shownCap(context: UseCaseContext, owner: CapOwner, standing: Omit<CapStanding, 'place'>): Promise<ShownCap> {
  const { store, nowMs } = context;
  const { cap: { scope, subject, window, limit }, spent } = standing;
  const days = await store.spentDays.of(owner.id, { scope, subject, sinceMs: paceSince(nowMs) });
  const { atMs, pacePerDay } = forecastOf(days, { spent, limit, endMs: windowAt(window, nowMs).endMs, nowMs });
  return {
    ...withoutForecast(context, owner, standing),
    person: scope === 'person' ? (await store.people.get(subject as PersonId))?.email ?? null : null,
    forecastAt: isoText(atMs),
    pacePerDay: formatDollars(pacePerDay),
  };
}

function withoutForecast(
  { nowMs }: UseCaseContext, { enforceKeyCaps }: CapOwner, { cap, spent, unknownCalls, unpricedCalls, gapCalls }: Omit<CapStanding, 'place'>,
): CapWithoutForecast {
  const { id, scope, subject, window, limit, mode } = cap;
  const { endMs } = windowAt(window, nowMs);
  const refuses = scope !== 'project' && (scope !== 'key' || enforceKeyCaps);
  return {
    id, scope,
    key: scope === 'key' ? subject : null,
    project: scope === 'project' ? subject : null,
    person: null,
    label: scope === 'label' ? subject : null,
    window,
    limit: formatDollars(limit),
    mode,
    spent: formatDollars(spent),
    unknownCalls, unpricedCalls, gapCalls,
    state: !refuses ? 'shown' : spent >= limit ? 'reached' : 'open',
    resetsAt: isoText(endMs),
  };
}
