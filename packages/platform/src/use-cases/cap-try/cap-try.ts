/**
 * A trial of a cap before it is set: what it would have refused in the past thirty days. Rules: `cap try`. It changes nothing. Days are
 * taken from their sums; the calls of a day are read only where the limit is reached in it, up to the one that reaches it.
 */
import { CapTrial, type TriedCalls } from '@metergate/core/spend/cap-trial.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { formatDollars, nanoDollars } from '@metergate/core/money.ts';
import { capRules } from '@metergate/core/spend/cap.ts';
import { figureIn } from '@metergate/core/report/usage-sum.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { dayAfter, dayOf } from '@metergate/core/time/utc-day.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';
import type { UsageFilter } from '@metergate/store/usage/usage-query.ts';
import { z } from 'zod';
import { capFields, namesOwnSubject, subjectNamed } from '../caps.ts';
import type { UseCaseContext } from '../context.ts';
import { checkInput } from '../input.ts';
import { findFigures } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';

const triedDays = 30;
const triedMs = triedDays * 86_400_000;

/** The fields of a cap that matter to a trial. */
export const trialFields = z.strictObject({
  scope: capFields.shape.scope, key: capFields.shape.key, project: capFields.shape.project,
  person: capFields.shape.person, label: capFields.shape.label, window: capFields.shape.window,
  limit: capFields.shape.limit,
});

type CapTrialInput = z.input<typeof trialFields> & { readonly organization: string };

export interface ShownTrial {
  readonly wouldRefuse: { readonly calls: number; readonly cost: string };
  /** Windows with refusals, oldest first. */
  readonly windows: readonly {
    readonly startsAt: string; readonly reachedAt: string; readonly refusedCalls: number; readonly refusedCost: string;
  }[];
  /** Calls that were tried, and what they cost. */
  readonly tried: { readonly calls: number; readonly cost: string; readonly since: string };
}

/**
 * What such a cap would have refused of the calls that were recorded. It is not set. Refuses what the fields refuse, `unknown_organization` and
 * `unknown_key`: a mistyped key would otherwise seem to need no cap.
 */
export async function tryCap(
  context: UseCaseContext, { organization: idOrName, ...wanted }: CapTrialInput,
): Promise<ShownTrial | AdministrationRefusal> {
  const checked = checkInput(trialFields, wanted);
  if (isRefusal(checked)) return checked;
  const { scope, key, window, limit } = checked.value;
  if (!namesOwnSubject(checked.value)) return refuseInput('invalid_input', capRules.subject);
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const sinceMs = context.nowMs - triedMs;
  const named = await subjectNamed(context, organization.id, checked.value);
  if (isRefusal(named)) return named;
  const subject = scope === 'organization' ? {} : { [scope]: named.subject! };
  const rows = (await Promise.all((await filtersOf(context, organization.id, subject)).map((filter) => context.store.usageReports.usage({
    organization: organization.id, sinceMs, untilMs: context.nowMs + 1, by: ['day'], filter, rowsMax: triedDays + 2,
  })))).flatMap((found) => found ?? []);
  if (key !== null && rows.length === 0 && await context.store.serviceKeys.find(organization.id, key) === null) {
    return refuseInput('unknown_key', 'This organization has no service key with this id.');
  }
  const days = Array.from(Map.groupBy(rows, ({ subjects }) => Number(subjects[0])), ([dayMs, ofDay]): TriedCalls => ({
    atMs: Math.max(sinceMs, dayMs), calls: ofDay.reduce((sum, { figures }) => sum + Number(figureIn(figures, 'calls')), 0),
    cost: nanoDollars(ofDay.reduce((sum, { figures }) => sum + figureIn(figures, 'cost'), 0n)),
  })).toSorted((one, other) => one.atMs - other.atMs);
  const trial = new CapTrial(window, limit);
  for (const day of days) {
    if (trial.takeTogether(day)) continue;
    trial.takeTogether(await tryOneByOne(context, trial, { ...subject, organization: organization.id, day }));
  }
  const windows = trial.windows();
  return {
    wouldRefuse: {
      calls: windows.reduce((sum, { refusedCalls }) => sum + refusedCalls, 0),
      cost: formatDollars(nanoDollars(windows.reduce((sum, { refusedCost }) => sum + refusedCost, 0n))),
    },
    windows: windows.map(({ startMs, reachedAtMs, refusedCalls, refusedCost }) => ({
      startsAt: isoText(startMs), reachedAt: isoText(reachedAtMs),
      refusedCalls, refusedCost: formatDollars(refusedCost),
    })),
    tried: {
      calls: days.reduce((sum, { calls }) => sum + calls, 0), cost: formatDollars(nanoDollars(days.reduce((sum, { cost }) => sum + cost, 0n))),
      since: isoText(sinceMs),
    },
  };
}

interface TriedSubject {
  readonly key?: string;
  readonly project?: string;
  readonly person?: string;
  readonly label?: string;
}

/** Which reports add up to it: a person's calls are those of their keys. */
async function filtersOf(
  { store }: UseCaseContext, organization: OrganizationId, { person, ...filter }: TriedSubject,
): Promise<readonly UsageFilter[]> {
  if (person === undefined) return [filter];
  return (await store.serviceKeys.list(organization)).filter((key) => key.person === person).map(({ id }) => ({ key: id }));
}

interface DayToTry extends TriedSubject {
  readonly organization: OrganizationId;
  readonly day: TriedCalls;
}

/** The calls of a day in which the limit is reached, up to the one that reaches it; what is left of the day. */
async function tryOneByOne({ store, nowMs }: UseCaseContext, trial: CapTrial, { day, ...of }: DayToTry): Promise<TriedCalls> {
  let { calls, cost }: { calls: number; cost: bigint } = day;
  const toMs = Math.min(dayAfter(dayOf(day.atMs)), nowMs + 1);
  for await (const page of store.callWalk.costs({ ...of, fromMs: day.atMs, toMs })) {
    for (const call of page) {
      trial.take(call);
      calls -= 1;
      cost -= call.cost ?? 0n;
      if (trial.reached) return { atMs: day.atMs, calls, cost: nanoDollars(cost) };
    }
    await othersFirst();
  }
  return { atMs: day.atMs, calls: 0, cost: nanoDollars(0n) };
}
