/** Erases an organization for good: the first part, after which nobody has access. Rule 23. */
import type { UseCaseContext } from './context.ts';
import { findFigures } from './organizations.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';

interface BegunErasure {
  readonly id: string;
  readonly erased: true;
}

/**
 * Once it returns, nobody has access and nothing can be unsealed. `createErasureFinisher` removes the words in its records. Refuses
 * `unknown_organization`, also for one that is erased.
 */
export async function eraseOrganization(context: UseCaseContext, idOrName: string): Promise<BegunErasure | AdministrationRefusal> {
  // One whose erasure was cut short between two cells is erased in its own and not everywhere.
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const begun = await context.store.erasure.begin(organization.id);
  return isRefusal(begun) ? begun : { id: organization.id, erased: true };
}
