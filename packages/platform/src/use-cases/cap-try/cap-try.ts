/**
 * A cap before it is armed: what it would have refused in the past thirty days. Design 5, `cap try`. It changes nothing.
 */
import { setImmediate as othersFirst } from 'node:timers/promises';
import { CapTrial } from '@metergate/core/forecast/cap-trial.ts';
import { formatDollars, nanoDollars } from '@metergate/core/money.ts';
import { z } from 'zod';
import { capFields } from '../caps.ts';
import type { UseCaseContext } from '../context.ts';
import { checkInput } from '../input.ts';
import { findFigures } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';

export const triedDays = 30;
const triedMs = triedDays * 86_400_000;

/** The fields of a cap that matter to a trial. */
export const trialFields = z.strictObject({
  scope: capFields.shape.scope, key: capFields.shape.key, project: capFields.shape.project, window: capFields.shape.window,
  limit: capFields.shape.limit,
});

export type CapTrialInput = z.input<typeof trialFields> & { readonly organization: string };

export interface ShownTrial {
  readonly wouldRefuse: { readonly calls: number; readonly cost: string };
  /** Windows with refusals, oldest first. */
  readonly windows: readonly {
    readonly startsAt: string; readonly reachedAt: string; readonly refusedCalls: number; readonly refusedCost: string;
  }[];
  /** Calls that were tried, and what they cost. */
  readonly tried: { readonly calls: number; readonly cost: string; readonly since: string };
}

export async function tryCap(
  context: UseCaseContext, { organization: idOrName, ...wanted }: CapTrialInput,
): Promise<ShownTrial | AdministrationRefusal> {
  const checked = checkInput(trialFields, wanted);
  if (isRefusal(checked)) return checked;
  const { scope, key, project, window, limit } = checked.value;
  if ((key !== null) !== (scope === 'key') || (project !== null) !== (scope === 'project')) {
    return refuseInput('invalid_input', 'A cap of a key must name the key, a cap of a project the project, a cap of the organization neither.');
  }
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const trial = new CapTrial(window, limit);
  const sinceMs = context.nowMs - triedMs;
  let calls = 0;
  let cost = 0n;
  for await (const page of context.store.callWalk.walk({ organization: organization.id, fromMs: sinceMs, toMs: context.nowMs + 1 })) {
    for (const { record } of page) {
      if ((key !== null && record.key !== key) || (project !== null && record.project !== project)) continue;
      calls += 1;
      cost += record.cost ?? 0n;
      trial.take(record);
    }
    await othersFirst();
  }
  const windows = trial.windows();
  return {
    wouldRefuse: {
      calls: windows.reduce((sum, { refusedCalls }) => sum + refusedCalls, 0),
      cost: formatDollars(nanoDollars(windows.reduce((sum, { refusedCost }) => sum + refusedCost, 0n))),
    },
    windows: windows.map(({ startMs, reachedAtMs, refusedCalls, refusedCost }) => ({
      startsAt: new Date(startMs).toISOString(), reachedAt: new Date(reachedAtMs).toISOString(),
      refusedCalls, refusedCost: formatDollars(refusedCost),
    })),
    tried: { calls, cost: formatDollars(nanoDollars(cost)), since: new Date(sinceMs).toISOString() },
  };
}
