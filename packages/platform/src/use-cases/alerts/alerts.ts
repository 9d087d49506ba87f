/**
 * Thresholds of caps as administration sees them. docs/alerts.md. Off unless set.
 */
import type { CapAlert } from '@metergate/store/alerts/cap-alerts.ts';
import { z } from 'zod';
import { refuseOtherThan, type ThingBefore } from '../changed-meanwhile.ts';
import type { UseCaseContext } from '../context.ts';
import { checkInput } from '../input.ts';
import { findOrganization } from '../organizations.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';

export interface ShownAlert {
  readonly id: string;
  readonly cap: string;
  /** Percent of the cap's limit, upwards. */
  readonly at: readonly number[];
}

const atMessage = 'The thresholds must be one to ten whole numbers of percent from 1 to 1000, such as 50,80,100.';

/** Percentages of a limit. */
export const atField = z.array(z.int({ error: atMessage }).min(1, { error: atMessage }).max(1_000, { error: atMessage }), { error: atMessage })
  .min(1, { error: atMessage }).max(10, { error: atMessage });

export const alertFields = z.strictObject({
  cap: z.string({ error: 'The cap must be named by its id.' }).min(1).max(200), at: atField,
});

const named = { the: 'The thresholds of this cap', a: 'a list of thresholds of this cap' };

/**
 * Sets at which percentages of its limit a cap notifies webhooks, replacing earlier ones. `was`: the thresholds that the change was made from, null
 * where there were none. Refuses what the fields refuse, `unknown_organization`, `unknown_cap`, `changed_meanwhile`.
 */
export async function setAlert(
  context: UseCaseContext,
  { organization: idOrName, was, ...wanted }: z.input<typeof alertFields> & { readonly organization: string; readonly was?: ThingBefore },
): Promise<ShownAlert | AdministrationRefusal> {
  const checked = checkInput(alertFields, wanted);
  if (isRefusal(checked)) return checked;
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const at = [...new Set(checked.value.at)].toSorted((one, other) => one - other);
  const set = await context.store.capAlerts.set({ organization: organization.id, cap: checked.value.cap, at },
    refuseOtherThan<CapAlert>(was, named, ({ at: there }) => ({ at: there })));
  return isRefusal(set) ? set : shownAlert(set);
}

/** The thresholds of each cap that has any. Refuses `unknown_organization`. */
export async function listAlerts(context: UseCaseContext, idOrName: string): Promise<ShownAlert[] | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  return isRefusal(organization) ? organization : (await context.store.capAlerts.list(organization.id)).map(shownAlert);
}

/** By its id or its cap's. `within`: of this organization only. */
export async function removeAlert(
  context: UseCaseContext, id: string, within?: string,
): Promise<{ readonly id: string; readonly removed: true } | AdministrationRefusal> {
  const organization = within === undefined ? undefined : await findOrganization(context, within);
  if (isRefusal(organization)) return organization;
  const removed = await context.store.capAlerts.remove(id, organization?.id);
  return isRefusal(removed) ? removed : { id: removed.id, removed: true };
}

function shownAlert({ id, cap, at }: CapAlert): ShownAlert {
  return { id, cap, at };
}
