/**
 * Baselines as administration sees them: create one with its tap key, show it, rotate the key, retire it, record declared figures. Spec: Tap
 * key, Baseline; rule 20; rules: Interfaces. One logic for the command and for `/platform/v1/assessments`.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { baselinePeriod, baselineStanding, type BaselineState } from '@metergate/core/tap/baseline.ts';
import { tapKeyBytes, tapKeyFrom, tapKeyShownLength } from '@metergate/core/tap/key.ts';
import { tapReport, type TapReport } from '@metergate/core/tap/report.ts';
import { unknownBaseline, type Baseline } from '@metergate/store/tap/baselines.ts';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { moneyField } from './money-field.ts';
import { findOrganization } from './organizations.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';
import { tapPrices } from './tap-prices.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';
import { sha256Of } from './sha256.ts';

/** A tap key in plain text, which is shown only this once. */
export interface ShownTapKey {
  readonly key: string;
  readonly prefix: string;
}

export interface MintedBaseline extends ShownTapKey {
  readonly id: string;
}

export interface ShownBaseline {
  readonly id: string;
  readonly organization: string;
  readonly state: BaselineState;
  /** The first 12 characters of the tap key in use. */
  readonly prefix: string;
  /** The key was shown; it cannot be read again, only rotated. */
  readonly keyRead: boolean;
  readonly createdAt: string;
  /** The day that the seven are counted from, `YYYY-MM-DD`; null while it waits for one. */
  readonly firstDay: string | null;
  /** When its days, or its wait, end; in the past if it is closed. Null: its days are over, and this plan never closes it. */
  readonly closesAt: string | null;
  /** Its days are over, and the organization's plan admits its key again. */
  readonly readmitted: boolean;
  readonly retiredAt: string | null;
}

interface ReportedBaseline extends ShownBaseline {
  readonly report: TapReport;
}

/** Which Baseline, and whose it must be: null for the operator at the command line. */
interface BaselinePlace {
  readonly id: string;
  readonly organization: OrganizationId | null;
}

const amountField = moneyField('A declared figure');

/** Makes the Baseline and shows its key at once, which counts as read. Refuses `baseline_exists`. */
export async function createBaselineWithKey(context: UseCaseContext, idOrName: string): Promise<MintedBaseline | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const { key, stored } = mintedKey(context);
  const made = await context.store.baselines.create({ organization: organization.id, key: stored, unread: null });
  return isRefusal(made) ? made : { id: made.id, key, prefix: made.keyPrefix };
}

/** Makes the Baseline; its key waits to be read, once. Refuses `baseline_exists`. */
export async function createBaseline(context: UseCaseContext, organization: OrganizationId): Promise<ShownBaseline | AdministrationRefusal> {
  const { key, stored } = mintedKey(context);
  const made = await context.store.baselines.create({ organization, key: stored, unread: key });
  return isRefusal(made) ? made : shown(context, made);
}

/** All of an organization's, by id or name, the current one first. */
export async function listBaselines(context: UseCaseContext, idOrName: string): Promise<ShownBaseline[] | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const found = await context.store.baselines.list(organization.id);
  return Promise.all(found.map((each) => shown(context, each)));
}

/** The Baseline with its report as of now: of its seven days, once they have begun. */
export async function showBaseline(context: UseCaseContext, place: BaselinePlace): Promise<ReportedBaseline | AdministrationRefusal> {
  const baseline = await baselineAt(context, place);
  if (isRefusal(baseline)) return baseline;
  const { store } = context;
  const [sums, declared] = await Promise.all([
    store.tapEvents.sums(baseline.id, baseline.organization), store.baselines.declared(baseline.id, baseline.organization),
  ]);
  const report = tapReport({ book: tapPrices().book, period: baselinePeriod(baseline, context.nowMs), ...sums, declared });
  return { ...await shown(context, baseline), report };
}

/** The key, once. Refuses `tap_key_already_shown`. */
export async function readTapKey(context: UseCaseContext, place: BaselinePlace): Promise<ShownTapKey | AdministrationRefusal> {
  const baseline = await baselineAt(context, place);
  if (isRefusal(baseline)) return baseline;
  const read = await context.store.baselines.readKey(baseline.id, baseline.organization);
  return isRefusal(read) ? read : { key: read.key, prefix: read.prefix };
}

/** A new key replaces the one in use, which stops at that moment; shown at once, which counts as read. */
export async function rotateTapKey(context: UseCaseContext, place: BaselinePlace): Promise<ShownTapKey | AdministrationRefusal> {
  const baseline = await baselineAt(context, place);
  if (isRefusal(baseline)) return baseline;
  const { key, stored } = mintedKey(context);
  const rotated = await context.store.baselines.rotateKey(baseline.id, stored, baseline.organization);
  return isRefusal(rotated) ? rotated : { key, prefix: rotated.keyPrefix };
}

/** Ends the tap for good: posts are answered 410 `tap_retired` from now on. */
export async function retireBaseline(context: UseCaseContext, place: BaselinePlace): Promise<ShownBaseline | AdministrationRefusal> {
  const baseline = await baselineAt(context, place);
  if (isRefusal(baseline)) return baseline;
  const retired = await context.store.baselines.retire(baseline.id, baseline.organization);
  return isRefusal(retired) ? retired : shown(context, retired);
}

/** Keeps a figure as it was typed, replacing one of the same name. `usd`: US dollars, decimal text. */
export async function declareFigure(
  context: UseCaseContext, place: BaselinePlace, { name, usd }: { readonly name: string; readonly usd: string },
): Promise<ReportedBaseline | AdministrationRefusal> {
  const amount = checkInput(amountField, usd);
  if (isRefusal(amount)) return amount;
  const baseline = await baselineAt(context, place);
  if (isRefusal(baseline)) return baseline;
  const kept = await context.store.baselines.declare(baseline.id, { name, amount: amount.value }, baseline.organization);
  return isRefusal(kept) ? kept : showBaseline(context, place);
}

function mintedKey({ randomBytes }: UseCaseContext) {
  const key = tapKeyFrom(randomBytes(tapKeyBytes));
  return { key, stored: { hash: sha256Of(key), prefix: key.slice(0, tapKeyShownLength) } };
}

/** Another organization's is refused like one that never existed. */
async function baselineAt({ store }: UseCaseContext, { id, organization }: BaselinePlace): Promise<Baseline | AdministrationRefusal> {
  return await store.baselines.find(id, organization ?? undefined) ?? unknownBaseline();
}

async function shown({ store, nowMs }: UseCaseContext, baseline: Baseline): Promise<ShownBaseline> {
  const plan = (await store.organizations.find(baseline.organization))?.plan ?? 'free';
  const { state, closesAtMs, readmitted } = baselineStanding(baseline, plan, nowMs);
  const { id, organization, keyPrefix, keyUnread, createdAtMs, firstDayMs, retiredAtMs } = baseline;
  return {
    id, organization, state, prefix: keyPrefix, keyRead: !keyUnread,
    createdAt: isoText(createdAtMs),
    firstDay: firstDayMs === null ? null : dayName(firstDayMs),
    closesAt: isoText(closesAtMs), readmitted,
    retiredAt: isoText(retiredAtMs),
  };
}
