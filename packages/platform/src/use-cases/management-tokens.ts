/**
 * Management tokens: minted here, shown once, kept as a hash. Rule 16.
 * `svc_mgmt_` and 43 base62 characters. A token never exceeds its maker, when it is created or later: if a person made it, their present role
 * bounds it.
 */
import { hasRightsOf, type Role } from '@metergate/core/account/role.ts';
import { newSecret, managementTokenPrefix, type PersonId } from '@metergate/core/id.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { ListPage } from '@metergate/store/engine/list-page.ts';
import { unknownToken, type ManagementToken } from '@metergate/store/accounts/management-tokens.ts';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { lifeEnd } from './life.ts';
import { findOrganization } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { roleField } from './users.ts';
import { sha256Of } from './sha256.ts';

const secretLength = 43;
const prefixLength = managementTokenPrefix.length + 5;

/** Who makes a token; null: the operator. */
interface TokenMaker {
  readonly kind: 'person' | 'token';
  readonly id: string;
  readonly role: Role;
}

interface TokenInput {
  /** Id or name. */
  readonly organization: string;
  readonly role: string;
  readonly name?: string | null;
  /** Its lifetime, milliseconds above 0; null: it does not expire. */
  readonly lifetimeMs?: number | null;
  readonly maker: TokenMaker | null;
}

export interface ShownToken {
  readonly id: string;
  readonly prefix: string;
  readonly name: string | null;
  readonly role: Role;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** A new token, which is shown only this once. */
interface MintedToken extends ShownToken {
  readonly token: string;
}

/**
 * A new management token, shown only this once. Its role is at most its maker's. Refuses `forbidden`, `unknown_organization`, and an invalid role or
 * lifetime.
 */
export async function createToken(context: UseCaseContext, wanted: TokenInput): Promise<MintedToken | AdministrationRefusal> {
  const role = checkInput(roleField, wanted.role as Role);
  if (isRefusal(role)) return role;
  const { maker, name = null, lifetimeMs = null } = wanted;
  if (maker !== null && !hasRightsOf(maker.role, role.value)) return refuseInput('forbidden', 'A token cannot have a role above its maker\'s.');
  const expiresAtMs = lifetimeMs === null ? null : lifeEnd(context.nowMs, lifetimeMs);
  if (isRefusal(expiresAtMs)) return expiresAtMs;
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  // A token made by a token belongs to the person behind that token.
  const madeBy = maker === null ? null
    : maker.kind === 'person' ? maker.id as PersonId : (await context.store.managementTokens.find(maker.id))?.madeBy ?? null;
  const token = newSecret(managementTokenPrefix, secretLength, context.randomBytes);
  const made = await context.store.managementTokens.create({
    organization: organization.id, name, role: role.value, madeBy, expiresAtMs,
    hash: sha256Of(token), prefix: token.slice(0, prefixLength),
  });
  return isRefusal(made) ? made : { ...shownToken(made), token };
}

/** Oldest first, revoked and expired ones included. */
export async function listTokens(
  context: UseCaseContext, idOrName: string, page: ListPage = {},
): Promise<ShownToken[] | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  return (await context.store.managementTokens.list(organization.id, page)).map(shownToken);
}

/**
 * Returns the token as it is now; an already revoked one stays as it was. `organization`: only a token of this one, by id or name; any
 * other is answered like an unknown one; null: any organization's. `by`: the role of the person revoking it, which reaches no higher token;
 * null: the operator.
 */
export async function revokeToken(
  context: UseCaseContext,
  { organization: idOrName, id, by }: { readonly organization: string | null; readonly id: string; readonly by: Role | null },
): Promise<ShownToken | AdministrationRefusal> {
  const organization = idOrName === null ? null : await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const found = await context.store.managementTokens.find(id);
  if (found === null || (organization !== null && found.organization !== organization.id)) return unknownToken();
  if (by !== null && !hasRightsOf(by, found.role)) return refuseInput('forbidden', 'This requires a role at least as high as the token\'s.');
  const revoked = await context.store.managementTokens.revoke(id);
  return isRefusal(revoked) ? revoked : shownToken(revoked);
}

function shownToken({ id, prefix, name, role, createdAtMs, expiresAtMs, revokedAtMs }: ManagementToken): ShownToken {
  return {
    id, prefix, name, role, createdAt: isoText(createdAtMs), expiresAt: isoText(expiresAtMs), revokedAt: isoText(revokedAtMs),
  };
}
