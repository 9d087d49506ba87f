/** A run's story: what it was given, what it spent step by step, when its budget fell, what refused its calls. Decision 200. */
import { formatDollars } from '@metergate/core/money.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { UseCaseContext } from './context.ts';
import { findOrganization } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { listRefusals, type ShownRefusal } from './refusal-log.ts';
import { shownRun, type RunPlace, type ShownRun } from './runs.ts';

interface ShownStory {
  readonly run: ShownRun;
  /** Id of the key of its first call; null: not known any more. */
  readonly key: string | null;
  readonly stepSeconds: number;
  /** Calls that started in each step, the earliest first. Steps without calls are left out. */
  readonly steps: readonly { readonly at: string; readonly calls: number; readonly cost: string; readonly failedCalls: number }[];
  /** When its newest call that was forwarded started. */
  readonly lastCallAt: string | null;
  /** Each time its budget fell, or was named first. */
  readonly lowerings: readonly { readonly at: string; readonly from: string | null; readonly to: string }[];
  /** The newest, newest first. */
  readonly refusals: readonly ShownRefusal[];
  readonly moreRefusals: boolean;
  /** Records from before this moment were removed for their age. */
  readonly recordsGoneBefore: string | null;
}

const refusalsMax = 100;

/** Refuses `unknown_organization` and `unknown_run`. */
export async function showStory(
  context: UseCaseContext, { organization: idOrName, run: id }: RunPlace,
): Promise<ShownStory | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const { runs } = context.store;
  // `get` waits for a run that its node began just now.
  const story = await runs.get({ organization: organization.id, id }) === null ? null : await runs.story({ organization: organization.id, id });
  if (story === null) return refuseInput('unknown_run', 'There is no run with this id.');
  const refused = await listRefusals(context, { organization: organization.id, filter: { run: id }, limit: refusalsMax + 1 });
  if (isRefusal(refused)) return refused;
  const key = story.beganBy ?? await context.store.callPages.beganBy(organization.id, id);
  return {
    run: shownRun(story.run), key, stepSeconds: story.stepMs / 1_000,
    steps: story.steps.map(({ atMs, calls, cost, failedCalls }) => ({ at: isoText(atMs), calls, cost: formatDollars(cost), failedCalls })),
    lastCallAt: isoText(story.lastCallMs),
    lowerings: story.lowerings.map(({ atMs, from, to }) => (
      { at: isoText(atMs), from: from === null ? null : formatDollars(from), to: formatDollars(to) })),
    refusals: refused.slice(0, refusalsMax), moreRefusals: refused.length > refusalsMax,
    recordsGoneBefore: isoText(story.recordsGoneBeforeMs),
  };
}
