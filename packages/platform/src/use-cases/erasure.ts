/**
 * Erases an organization for good. Design 3, row 23. The long part runs in slices: the command waits for them, the platform does them in the
 * background.
 */
import type { Store } from '@metergate/store/store.ts';
import type { UseCaseContext } from './context.ts';
import { findOrganization } from './organizations.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';

export interface ErasedOrganization {
  readonly id: string;
  readonly erased: true;
}

/** When it returns nobody gets in and nothing opens; the words in its records go with `finishErasures`. */
export async function eraseOrganization(context: UseCaseContext, idOrName: string): Promise<ErasedOrganization | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const begun = await context.store.erasure.begin(organization.id);
  return isRefusal(begun) ? begun : { id: organization.id, erased: true };
}

/** Goes on with every erasure that was begun until nothing is left; others may work between two slices. */
export async function finishErasures({ erasure }: Pick<Store, 'erasure'>): Promise<void> {
  let done = false;
  while (await erasure.goOn()) {
    done = true;
    await new Promise((resume) => setImmediate(resume));
  }
  if (done) await erasure.settle();
}
