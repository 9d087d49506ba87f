/** An organization's rules of allocation: shown, set, removed. Rule 24b; docs/allocation.md. */
import { hash } from 'node:crypto';
import type { z } from 'zod';
import { refuseOtherThan, type ThingBefore } from '../changed-meanwhile.ts';
import type { UseCaseContext } from '../context.ts';
import { checkInput } from '../input.ts';
import { findOrganization } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import { allocationCharactersMax, allocationDocument, allocationFields, allocationText, type AllocationDocument } from './rules-fields.ts';

export interface ShownRules {
  /** Null: there are none, and nothing is allocated. */
  readonly allocation: AllocationDocument | null;
  /** SHA-256 of their text, in hexadecimal. */
  readonly hash: string | null;
}

/** Refuses `unknown_organization`. */
export async function showAllocationRules(context: UseCaseContext, idOrName: string): Promise<ShownRules | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  return isRefusal(organization) ? organization : shownRules(await context.store.allocation.find(organization.id));
}

const named = { the: 'The rules', a: 'rules' };

/**
 * Replaces all rules; null removes them. `was`: the hash of those that the change was made from, null where there were none. Refuses
 * `unknown_organization`, `invalid_input`, `changed_meanwhile`.
 */
export async function setAllocationRules(
  context: UseCaseContext, idOrName: string, wanted: z.input<typeof allocationFields> | null, was?: ThingBefore,
): Promise<ShownRules | AdministrationRefusal> {
  const text = wanted === null ? null : checkedRules(wanted);
  if (isRefusal(text)) return text;
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const refusal = await context.store.allocation.set(organization.id, text, refuseOtherThan<string>(was, named, (there) => shownRules(there)));
  return refusal ?? shownRules(text);
}

/** The text of rules that somebody wrote. Refuses `invalid_input`. */
export function checkedRules(wanted: z.input<typeof allocationFields>): string | AdministrationRefusal {
  const checked = checkInput(allocationFields, wanted);
  if (isRefusal(checked)) return checked;
  const text = allocationText(checked.value);
  return text.length <= allocationCharactersMax ? text
    : refuseInput('invalid_input', `The rules are longer than ${allocationCharactersMax} characters.`);
}

function shownRules(text: string | null): ShownRules {
  return { allocation: text === null ? null : allocationDocument(text), hash: text === null ? null : hash('sha256', text, 'hex') };
}
