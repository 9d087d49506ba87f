/**
 * A service key's view of itself: the limits on its calls, what is left of them, and the runs that it began. Rule 16a. It shows
 * nothing of any other key.
 */
import { formatDollars, nanoDollars, parseDollars } from '@metergate/core/money.ts';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import type { CapScope } from '@metergate/core/spend/cap.ts';
import type { LackingCount } from '@metergate/core/spend/lacking-calls.ts';
import type { Plan } from '@metergate/core/rate/plan.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { refuse } from '@metergate/store/engine/refusal.ts';
import { listCapsOn, type ShownCap } from './caps.ts';
import type { UseCaseContext } from './context.ts';
import { showLimits } from './limits.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { closeRun, showRun, type ShownRun } from './runs.ts';
import { sha256Of } from './sha256.ts';

/** The key that the request carries. */
export interface PresentedKey {
  readonly id: ServiceKeyId;
  readonly organization: OrganizationId;
  readonly hash: string;
}

type OwnCap = Pick<ShownCap, 'id' | 'window' | 'limit' | 'spent' | LackingCount | 'mode' | 'state' | 'resetsAt'> & {
  readonly scope: Exclude<CapScope, 'project'>;
  /** Of scope `label`: which one. */
  readonly label: string | null;
  /** What is left of the cap, US dollars, at least 0. */
  readonly headroom: string;
};

interface OwnView {
  readonly id: string;
  readonly name: string | null;
  readonly prefix: string;
  readonly project: string | null;
  readonly organization: string;
  readonly expiresAt: string | null;
  readonly maxRunBudget: string | null;
  readonly limits: { readonly requestsPerMin: number | null; readonly tokensPerMin: number | null; readonly tier: Plan };
  /** The caps of the organization, of this key, of its person, and of the labels that were asked for. */
  readonly caps: readonly OwnCap[];
}

/** The live key that is presented, in either header's form; null if there is none. */
export async function keyPresented({ store, nowMs }: UseCaseContext, presented: string): Promise<PresentedKey | null> {
  if (!/^svc_live_[0-9A-Za-z]{32,256}$/.test(presented)) return null;
  const hash = sha256Of(presented);
  const found = await store.settings.keyByHash(hash);
  return found === null || (found.expiresAtMs !== null && found.expiresAtMs <= nowMs) ? null
    : { id: found.id, organization: found.organization, hash };
}

/** What a service key may know of itself: its limits, caps with what is left, and the runs it began. Rule 16a. Refuses `unknown_key`. */
export async function showSelf(
  context: UseCaseContext, { id, organization }: PresentedKey, { docs, labels }: { readonly docs: string; readonly labels: readonly string[] },
): Promise<OwnView | AdministrationRefusal> {
  const key = await context.store.serviceKeys.find(organization, id);
  const limits = await showLimits(context, { organization, docs });
  const caps = await listCapsOn(context, organization, { key: id, labels });
  if (isRefusal(limits)) return limits;
  if (isRefusal(caps)) return caps;
  if (key === null) return refuseInput('unknown_key', 'There is no service key with this id.');
  return {
    id, name: key.name, prefix: key.prefix, project: key.project, organization,
    expiresAt: isoText(key.expiresAtMs),
    maxRunBudget: key.maxRunBudget === null ? null : formatDollars(key.maxRunBudget),
    limits: { requestsPerMin: limits.requestsPerMin, tokensPerMin: limits.tokensPerMin, tier: limits.tier },
    caps: caps.map(({ id: cap, scope, label, window, limit, spent, unknownCalls, unpricedCalls, gapCalls, mode, state, resetsAt }) => ({
      id: cap, scope: scope as OwnCap['scope'], label, window, limit, spent, unknownCalls, unpricedCalls, gapCalls,
      headroom: headroomOf(limit, spent), mode, state, resetsAt,
    })),
  };
}

/**
 * Ends the key, as `metergate logout` asks for. Only a person's own: whoever holds a key that others use too could otherwise end it for them.
 * Refuses `unknown_key`, `forbidden`.
 */
export async function endOwnKey(
  { store }: UseCaseContext, { id, organization }: PresentedKey,
): Promise<{ readonly id: string; readonly revokedAt: string } | AdministrationRefusal> {
  const revoked = await store.serviceKeys.revoke(id, organization, { check: ({ person }) => (person !== null ? null
    : refuse('forbidden', 'This key is no one person\'s own, so it does not end itself. Ask whoever made it.')) });
  return isRefusal(revoked) ? revoked : { id, revokedAt: isoText(revoked.revokedAtMs!) };
}

/** A run with what is left of its budget; null: it has none. */
interface OwnRun extends ShownRun {
  readonly headroom: string | null;
}

/** A run that this key began. Refuses `unknown_run`, for another key's run too. */
export async function showOwnRun(context: UseCaseContext, key: PresentedKey, run: string): Promise<OwnRun | AdministrationRefusal> {
  return await isOwn(context, key, run) ? withHeadroom(await showRun(context, { organization: key.organization, run })) : unknownRun();
}

/** Closes it and returns the run as it is then. Refuses as `showOwnRun` does. */
export async function closeOwnRun(context: UseCaseContext, key: PresentedKey, run: string): Promise<OwnRun | AdministrationRefusal> {
  return await isOwn(context, key, run) ? withHeadroom(await closeRun(context, { organization: key.organization, run })) : unknownRun();
}

function withHeadroom(run: ShownRun | AdministrationRefusal): OwnRun | AdministrationRefusal {
  return isRefusal(run) ? run : { ...run, headroom: run.effective === null ? null : headroomOf(run.effective, run.spent) };
}

async function isOwn({ store }: UseCaseContext, { id, organization }: PresentedKey, run: string): Promise<boolean> {
  // An agent asks right after its first call, whose run may still be on its way from the node.
  await store.runs.get({ organization, id: run });
  return await store.callPages.beganBy(organization, run) === id;
}

function unknownRun(): AdministrationRefusal {
  return refuseInput('unknown_run', 'This key began no run with this id.');
}

function headroomOf(limit: string, spent: string): string {
  const left = parseDollars(limit)! - parseDollars(spent)!;
  return formatDollars(nanoDollars(left > 0n ? left : 0n));
}
