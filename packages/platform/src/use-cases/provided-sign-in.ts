/** An identity provider's claims → the person here, with the roles that the claims name. Rule 16; decision 75. */
import { roleEntriesOf } from '@metergate/core/account/provided-roles.ts';
import { hasRightsOf, type Role } from '@metergate/core/account/role.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { AdmittedPerson } from '@metergate/store/accounts/provided-people.ts';
import type { ProvidedClaims } from '../auth/oidc/provided-claims.ts';
import type { UseCaseContext } from './context.ts';
import { refuseInput, type AdministrationRefusal } from './refusal.ts';

/** Refuses `no_role`, `invalid_email`, `email_not_verified`, `email_taken`. Whoever no longer has a role loses what the provider granted. */
export async function signInProvided(
  { store }: UseCaseContext, issuer: string, { subject, email, emailVerified, roles }: ProvidedClaims,
): Promise<AdmittedPerson | AdministrationRefusal> {
  // A subject is text of at most 255 ASCII characters; anything else identifies nobody.
  if (!/^[\x20-\x7e]{1,255}$/.test(subject)) return refuseInput('no_role', 'The identity provider did not say who this person is.');
  const named = await namedRoles(store, roles);
  if (named.size === 0) {
    await store.providedPeople.withdraw({ issuer, subject });
    return refuseInput('no_role', 'The identity provider gives this person no role here.');
  }
  return store.providedPeople.admit({ issuer, subject, email, emailVerified }, named);
}

/** Existing organizations, each with its role; the id and the name of an organization count as the same. */
async function namedRoles(store: UseCaseContext['store'], claim: unknown): Promise<Map<OrganizationId, Role>> {
  const named = new Map<OrganizationId, Role>();
  for (const { organization: idOrName, role } of roleEntriesOf(claim)) {
    const organization = idOrName === null ? await store.organizations.findOnly() : await store.organizations.find(idOrName);
    if (organization === null) continue;
    const known = named.get(organization.id);
    if (known === undefined || hasRightsOf(role, known)) named.set(organization.id, role);
  }
  return named;
}
