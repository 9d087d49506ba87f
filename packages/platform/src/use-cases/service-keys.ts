/**
 * Service keys: minted here, shown once, kept as a hash. Spec: Authentication 1; design 3, row 17.
 * `svc_live_` and 43 base62 characters, over 256 bits. The prefix that is kept shows 5 of them, which tells keys apart and
 * helps nobody to guess one.
 */
import { createHash } from 'node:crypto';
import { formatDollars } from '@metergate/core/money.ts';
import { base62, serviceKeyPrefix, type OrganizationId } from '@metergate/core/id.ts';
import type { ListPage } from '@metergate/store/engine/list-page.ts';
import type { ServiceKey } from '@metergate/store/settings/service-keys.ts';
import { checkInput } from './input.ts';
import { moneyField } from './money-field.ts';
import type { UseCaseContext } from './context.ts';
import { findOrganization } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

const secretLength = 43;
const prefixLength = serviceKeyPrefix.length + 5;

/** A new key; the only time that it is seen. */
export interface MintedServiceKey {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
  /** US dollars, where one was given for it. */
  readonly maxRunBudget?: string;
}

export interface ShownServiceKey {
  readonly id: string;
  readonly prefix: string;
  readonly name: string | null;
  readonly project: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** US dollars: the most one run of this key may declare. Null: the organization's figure holds. */
  readonly maxRunBudget: string | null;
}

export interface RevokedServiceKey extends ShownServiceKey {
  /** It had been revoked before; nothing was changed. */
  readonly alreadyRevoked: boolean;
}

export interface ServiceKeyInput {
  /** Id or name. */
  readonly organization: string;
  readonly name?: string | null;
  /** The default project of calls made with this key. */
  readonly project?: string | null;
  /** The key's life from now on, milliseconds above 0; null: it does not expire. */
  readonly lifetimeMs?: number | null;
  /** US dollars, decimal text. */
  readonly maxRunBudget?: string | null;
}

const budgetField = moneyField('The run budget of a key').nullable();

/** The last instant that a date can name. */
const instantMsMax = 8.64e15;

export async function createServiceKey(context: UseCaseContext, wanted: ServiceKeyInput): Promise<MintedServiceKey | AdministrationRefusal> {
  const { name = null, project = null, lifetimeMs = null } = wanted;
  const expiresAtMs = lifetimeMs === null ? null : context.nowMs + lifetimeMs;
  if (expiresAtMs !== null && !(expiresAtMs > context.nowMs && expiresAtMs <= instantMsMax)) {
    return refuseInput('invalid_input', 'The life of a key must be longer than nothing and end before the year 275000.');
  }
  const budget = checkInput(budgetField, wanted.maxRunBudget ?? null);
  if (isRefusal(budget)) return budget;
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  const key = serviceKeyPrefix + base62(context.randomBytes(2 * secretLength), secretLength);
  const hash = createHash('sha256').update(key).digest('hex');
  const made = await context.store.serviceKeys.create({
    organization: organization.id, name, project, expiresAtMs, hash, prefix: key.slice(0, prefixLength), maxRunBudget: budget.value,
  });
  if (isRefusal(made)) return made;
  const budgetOf = made.maxRunBudget === null ? {} : { maxRunBudget: formatDollars(made.maxRunBudget) };
  return { id: made.id, key, prefix: made.prefix, ...budgetOf };
}

/** Oldest first, revoked and expired ones included. */
export async function listServiceKeys(
  context: UseCaseContext, idOrName: string, page: ListPage = {},
): Promise<ShownServiceKey[] | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  return (await context.store.serviceKeys.list(organization.id, page)).map(shownServiceKey);
}

/**
 * The key as it is after that; a second time changes nothing and says so. `within`: only a key of this organization; any
 * other answers like an unknown one.
 */
export async function revokeServiceKey(
  { store }: UseCaseContext, id: string, within?: OrganizationId,
): Promise<RevokedServiceKey | AdministrationRefusal> {
  const revoked = await store.serviceKeys.revoke(id, within);
  return isRefusal(revoked) ? revoked : { ...shownServiceKey(revoked), alreadyRevoked: revoked.alreadyRevoked };
}

function shownServiceKey({ id, prefix, name, project, createdAtMs, expiresAtMs, revokedAtMs, maxRunBudget }: ServiceKey): ShownServiceKey {
  return {
    id, prefix, name, project,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    revokedAt: revokedAtMs === null ? null : new Date(revokedAtMs).toISOString(),
    maxRunBudget: maxRunBudget === null ? null : formatDollars(maxRunBudget),
  };
}
