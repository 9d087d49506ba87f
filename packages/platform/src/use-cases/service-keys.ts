/**
 * Service keys: minted here, shown once, kept as a hash. Spec: Authentication 1; rule 17.
 * `svc_live_` and 43 base62 characters, over 256 bits. The stored prefix shows 5 of them: enough to tell keys apart, too few to help
 * guessing.
 */
import { formatDollars } from '@metergate/core/money.ts';
import { newSecret, serviceKeyPrefix, type OrganizationId, type PersonId } from '@metergate/core/id.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { ListPage } from '@metergate/store/engine/list-page.ts';
import type { KeyChanger, ServiceKey } from '@metergate/store/settings/service-keys.ts';
import { checkInput } from './input.ts';
import { moneyField } from './money-field.ts';
import { refuseChanged, type FieldsBefore } from './changed-meanwhile.ts';
import type { UseCaseContext } from './context.ts';
import { lifeEnd } from './life.ts';
import { findOrganization, modelsField } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { sha256Of } from './sha256.ts';

const secretLength = 43;
const prefixLength = serviceKeyPrefix.length + 5;

/** A new key, which is shown only this once. */
export interface MintedServiceKey {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
  /** US dollars, if one was given for it. */
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
  /** It admits no calls until it is enabled again. */
  readonly disabledAt: string | null;
  /** To the minute; null: never used. */
  readonly lastUsedAt: string | null;
  /** US dollars: the most one run of this key may declare. Null: the organization's figure applies. */
  readonly maxRunBudget: string | null;
  /** Models that may be asked for with it; null: all that the organization allows. */
  readonly models: readonly string[] | null;
  /** Email of the member whose key it is; null: nobody's in particular, or of one who has left. */
  readonly person: string | null;
}

export interface ShownRevokedKey extends ShownServiceKey {
  /** It had been revoked before; nothing was changed. */
  readonly alreadyRevoked: boolean;
}

export interface ServiceKeyInput {
  /** Id or name. */
  readonly organization: string;
  readonly name?: string | null;
  /** The default project of calls made with this key. */
  readonly project?: string | null;
  /** The key's lifetime, milliseconds above 0; null: it does not expire. */
  readonly lifetimeMs?: number | null;
  /** US dollars, decimal text. */
  readonly maxRunBudget?: string | null;
  readonly models?: readonly string[] | null;
  /** Email of the member whose key it is to be. */
  readonly person?: string | null;
  /** Given instead of the email if somebody makes a key for themselves: terms of own keys then bind it, whoever they are. */
  readonly own?: PersonId;
  /** The member who makes it, where terms of own keys would bind them. */
  readonly boundMaker?: PersonId | undefined;
}

const budgetField = moneyField('The run budget of a key').nullable();

const graceMsMax = 90 * 86_400_000;

/**
 * A new service key, shown only this once. Refuses `unknown_organization`, an invalid name, project, lifetime or run budget, and an own key
 * beyond its terms.
 */
export async function createServiceKey(context: UseCaseContext, wanted: ServiceKeyInput): Promise<MintedServiceKey | AdministrationRefusal> {
  const { name = null, project = null, lifetimeMs = null } = wanted;
  const expiresAtMs = lifetimeMs === null ? null : lifeEnd(context.nowMs, lifetimeMs);
  if (isRefusal(expiresAtMs)) return expiresAtMs;
  const budget = checkInput(budgetField, wanted.maxRunBudget ?? null);
  if (isRefusal(budget)) return budget;
  const models = checkInput(modelsField, (wanted.models ?? null) as string[] | null);
  if (isRefusal(models)) return models;
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  const person = wanted.own !== undefined ? { id: wanted.own } : wanted.person === undefined || wanted.person === null ? null
    : await context.store.members.findByEmail(organization.id, wanted.person) ?? unknownPerson();
  if (isRefusal(person)) return person;
  const { key, hash, prefix } = mintedSecret(context);
  const made = await context.store.serviceKeys.create({
    organization: organization.id, name, project, expiresAtMs, hash, prefix, maxRunBudget: budget.value,
    models: models.value, person: person?.id ?? null, boundMaker: wanted.own ?? wanted.boundMaker,
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
  const keys = await context.store.serviceKeys.list(organization.id, page);
  const emails = new Map<string, string>();
  for (const { person } of keys) {
    if (person !== null && !emails.has(person)) emails.set(person, await emailOf(context, person) ?? '');
  }
  return keys.map((key) => shownServiceKey(key, key.person === null ? null : emails.get(key.person) || null));
}

/**
 * Returns the key as it is now; a second revocation changes nothing and says so. `within`: only a key of this organization; any
 * other is answered like an unknown one. `by`: who revokes it, whom the terms of own keys may bind.
 */
export async function revokeServiceKey(
  context: UseCaseContext, id: string, within?: OrganizationId, by?: KeyChanger,
): Promise<ShownRevokedKey | AdministrationRefusal> {
  const revoked = await context.store.serviceKeys.revoke(id, within, { by });
  return isRefusal(revoked) ? revoked
    : { ...shownServiceKey(revoked, await emailOf(context, revoked.person)), alreadyRevoked: revoked.alreadyRevoked };
}

/** What is left out stays; null removes it. */
export interface ServiceKeySettingsInput extends Pick<ServiceKeyInput, 'name' | 'project' | 'maxRunBudget' | 'models'> {
  readonly disabled?: boolean;
  /** Its lifetime from now on, milliseconds above 0. */
  readonly lifetimeMs?: number | null;
  /** Fields as they were when the change was made up; if one is not any more, the change is refused. */
  readonly was?: FieldsBefore;
}

/** Which key, and the organization that it must belong to; null for the operator. */
export interface ServiceKeyPlace {
  readonly id: string;
  readonly within: OrganizationId | null;
  /** Who makes the change, whom the terms of own keys may bind; left out: somebody whom nothing binds. */
  readonly by?: KeyChanger | undefined;
}

/** Returns the key as it is now. Refuses `unknown_key`, `key_revoked`, `invalid_name`, `invalid_input`. */
export async function setServiceKey(
  context: UseCaseContext, { id, within, by }: ServiceKeyPlace, wanted: ServiceKeySettingsInput,
): Promise<ShownServiceKey | AdministrationRefusal> {
  const { name, project, disabled, lifetimeMs, maxRunBudget, models, was } = wanted;
  const expiresAtMs = lifetimeMs === undefined || lifetimeMs === null ? lifetimeMs : lifeEnd(context.nowMs, lifetimeMs);
  if (isRefusal(expiresAtMs)) return expiresAtMs;
  const budget = maxRunBudget === undefined ? undefined : checkInput(budgetField, maxRunBudget);
  if (isRefusal(budget)) return budget;
  const patterns = models === undefined ? undefined : checkInput(modelsField, models as string[] | null);
  if (isRefusal(patterns)) return patterns;
  const bounded = {
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }), ...(budget === undefined ? {} : { maxRunBudget: budget.value }),
    ...(patterns === undefined ? {} : { models: patterns.value }),
  };
  const set = await context.store.serviceKeys.set(id, {
    ...(name === undefined ? {} : { name }), ...(project === undefined ? {} : { project }), ...(disabled === undefined ? {} : { disabled }),
    ...bounded, ...(by === undefined ? {} : { by }),
  }, within ?? undefined, (now) => refuseChanged(was, shownServiceKey(now, null)));
  return isRefusal(set) ? set : shownServiceKey(set, await emailOf(context, set.person));
}

/** A rotated key: the new form, shown only this once, and how long the former one works. */
export interface RotatedServiceKey extends MintedServiceKey {
  readonly formerUntil: string;
}

/** A new secret for the same key, which keeps its id, caps and spend. `graceMs`: how long the former secret still works; from 0. */
export async function rotateServiceKey(
  context: UseCaseContext, { id, within, by }: ServiceKeyPlace, graceMs: number,
): Promise<RotatedServiceKey | AdministrationRefusal> {
  if (!(graceMs >= 0 && graceMs <= graceMsMax)) return refuseInput('invalid_input', 'The grace time must be from 0 to 90 days.');
  const { key, hash, prefix } = mintedSecret(context);
  const formerUntilMs = context.nowMs + graceMs;
  const rotated = await context.store.serviceKeys.rotate(id, { by, hash, prefix, formerUntilMs }, within ?? undefined);
  return isRefusal(rotated) ? rotated : { id: rotated.id, key, prefix, formerUntil: isoText(formerUntilMs) };
}

function mintedSecret({ randomBytes }: UseCaseContext) {
  const key = newSecret(serviceKeyPrefix, secretLength, randomBytes);
  return { key, hash: sha256Of(key), prefix: key.slice(0, prefixLength) };
}

/** Null: nobody's, or of somebody who is gone. */
async function emailOf({ store }: UseCaseContext, person: string | null): Promise<string | null> {
  return person === null ? null : (await store.people.get(person as PersonId))?.email ?? null;
}

/** Nobody of the organization has the email that was named. */
export function unknownPerson(): AdministrationRefusal {
  return refuseInput('unknown_member', 'There is no member with this email. Invite them first.');
}

function shownServiceKey(key: ServiceKey, person: string | null): ShownServiceKey {
  const { id, prefix, name, project, createdAtMs, expiresAtMs, revokedAtMs, disabledAtMs, lastUsedAtMs, maxRunBudget, models } = key;
  return {
    id, prefix, name, project,
    createdAt: isoText(createdAtMs),
    expiresAt: isoText(expiresAtMs),
    revokedAt: isoText(revokedAtMs), disabledAt: isoText(disabledAtMs), lastUsedAt: isoText(lastUsedAtMs),
    maxRunBudget: maxRunBudget === null ? null : formatDollars(maxRunBudget),
    models, person,
  };
}
