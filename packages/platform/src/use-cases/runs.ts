/**
 * Runs and run-budget grants as administration sees them: listed, shown, closed; minted. Spec: Run; rules 13 and 15; rules: Interfaces.
 * Money as decimal US dollars with nine places, times in ISO 8601 UTC; absent is null.
 */
import { formatDollars } from '@metergate/core/money.ts';
import type { ClampReason, Run, RunState } from '@metergate/core/run/run.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { LackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import { z } from 'zod';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { moneyField } from './money-field.ts';
import { lifeEnd } from './life.ts';
import { dollarsOrNull, findOrganization } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

export interface ShownRun extends LackingCalls {
  readonly id: string;
  readonly state: RunState;
  /** As declared. */
  readonly budget: string | null;
  /** In force. */
  readonly effective: string | null;
  /** Why the budget in force is below the declared one. */
  readonly clampReason: ClampReason | null;
  readonly spent: string;
  readonly startedAt: string;
  readonly expiresAt: string | null;
  readonly endedAt: string | null;
}

/** A run, with the organization by id or name. */
export interface RunPlace {
  readonly organization: string;
  readonly run: string;
}

interface RunsQuery {
  /** Id or name. */
  readonly organization: string;
  /** At most this many, newest first: 1 to 10,000, which is the default. */
  readonly limit?: number;
  /** Continues after this run of the list. */
  readonly after?: { readonly startedAtMs: number; readonly id: string };
}

const runsLimitMax = 10_000;

interface GrantInput extends RunPlace {
  /** US dollars, decimal text, above 0, at most six places. */
  readonly max: string;
  /** How long a run can be created with it, from now on; milliseconds above 0. */
  readonly lifetimeMs: number;
}

const limitField = z.int({ error: `The limit must be a whole number from 1 to ${runsLimitMax}.` })
  .min(1, { error: 'The limit must be at least 1.' }).max(runsLimitMax, { error: `The limit must be at most ${runsLimitMax}.` });

/** Newest first. */
export async function listRuns(context: UseCaseContext, query: RunsQuery): Promise<ShownRun[] | AdministrationRefusal> {
  const limit = checkInput(limitField, query.limit ?? runsLimitMax);
  if (isRefusal(limit)) return limit;
  const organization = await findOrganization(context, query.organization);
  if (isRefusal(organization)) return organization;
  const runs = await context.store.runs.list({
    organization: organization.id, limit: limit.value, ...(query.after === undefined ? {} : { after: query.after }),
  });
  return runs.map(shownRun);
}

/** Refuses `unknown_run`. */
export async function showRun(context: UseCaseContext, place: RunPlace): Promise<ShownRun | AdministrationRefusal> {
  const organization = await findOrganization(context, place.organization);
  if (isRefusal(organization)) return organization;
  const run = await context.store.runs.get({ organization: organization.id, id: place.run });
  return run === null ? refuseInput('unknown_run', 'There is no run with this id.') : shownRun(run);
}

/** Returns the run as it is now; one that had already ended stays as it ended. Refuses `unknown_run`. */
export async function closeRun(context: UseCaseContext, place: RunPlace): Promise<ShownRun | AdministrationRefusal> {
  const organization = await findOrganization(context, place.organization);
  if (isRefusal(organization)) return organization;
  const closed = await context.store.runs.close({ organization: organization.id, id: place.run });
  return isRefusal(closed) ? closed : shownRun(closed);
}

/** A grant for one run of one organization. Refuses `invalid_input`, `invalid_grant`. */
export async function mintGrant(context: UseCaseContext, wanted: GrantInput): Promise<{ readonly grant: string } | AdministrationRefusal> {
  const max = checkInput(moneyField('The maximum of a grant'), wanted.max);
  if (isRefusal(max)) return max;
  const expiresAtMs = lifeEnd(context.nowMs, wanted.lifetimeMs);
  if (isRefusal(expiresAtMs)) return expiresAtMs;
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  const minted = await context.store.grants.mint({ organization: organization.id, run: wanted.run, max: max.value, expiresAtMs });
  return isRefusal(minted) ? minted : { grant: minted.grant };
}

/** With money and times as text. */
export function shownRun(run: Run): ShownRun {
  return {
    id: run.id, state: run.state, budget: dollarsOrNull(run.declared), effective: dollarsOrNull(run.effective), clampReason: run.clampReason,
    spent: formatDollars(run.spent), unknownCalls: run.unknownCalls, unpricedCalls: run.unpricedCalls, gapCalls: run.gapCalls,
    startedAt: isoText(run.startedAtMs), expiresAt: isoText(run.expiresAtMs), endedAt: isoText(run.endedAtMs),
  };
}
