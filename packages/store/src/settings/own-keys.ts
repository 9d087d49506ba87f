/** The terms of own keys as the store keeps them, and the change in which a member makes one. Decision 195. */
import {
  areOwnKeyTerms, beyondTerms, ownKeysMax, withTerms, type OwnKey, type OwnKeyCap, type OwnKeyTerms,
} from '@metergate/core/account/own-keys.ts';
import { beyondHeld, worksAgain, type HeldOwnKey, type OwnKeyChanges } from '@metergate/core/account/held-own-key.ts';
import { idPrefix, newId, type OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { cappedMax } from '@metergate/core/spend/cap.ts';
import type { CalendarWindow } from '@metergate/core/spend/window.ts';
import type { Transaction } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { Schema } from '../schema/schema.ts';
import { beforeFirstCap, tooManyCapped } from './capped-subjects.ts';

const ownKeysForm = `Own keys take 1 to ${ownKeysMax} keys for a member, models or none, a life of at least a second or none, `
  + 'a cap of each key or none, and a cap of each person or none.';

interface Kept {
  readonly keysMax: number;
  readonly models: readonly string[] | null;
  readonly lifetimeMsMax: number | null;
  readonly cap: KeptCap | null;
  /** Left out by versions that did not know it. */
  readonly personCap?: KeptCap | null;
}

/** Nano-dollars as text, so that no digit is lost. */
interface KeptCap {
  readonly window: CalendarWindow;
  readonly limit: string;
}

export function ownKeysText(terms: OwnKeyTerms | null): string | null {
  if (terms === null) return null;
  const { keysMax, models, lifetimeMsMax, cap, personCap } = terms;
  return JSON.stringify({ keysMax, models, lifetimeMsMax, cap: keptCap(cap), personCap: keptCap(personCap) } satisfies Kept);
}

function keptCap(cap: OwnKeyCap | null): KeptCap | null {
  return cap === null ? null : { window: cap.window, limit: String(cap.limit) };
}

export function ownKeysOf(text: string | null): OwnKeyTerms | null {
  if (text === null) return null;
  const { keysMax, models, lifetimeMsMax, cap, personCap = null } = JSON.parse(text) as Kept;
  return { keysMax, models, lifetimeMsMax, cap: ownCapOf(cap), personCap: ownCapOf(personCap) };
}

function ownCapOf(cap: KeptCap | null): OwnKeyCap | null {
  return cap === null ? null : { window: cap.window, limit: nanoDollars(BigInt(cap.limit)) };
}

/** Null: such terms can be kept. */
export function ownKeysRefusal(terms: OwnKeyTerms): StoreRefusal | null {
  return areOwnKeyTerms(terms) ? null : refuse('invalid_setting', ownKeysForm);
}

/** What the terms give a key and its person. */
type OwnKeyCaps = Pick<OwnKeyTerms, 'cap' | 'personCap'>;

/** A person's new key in their organization, as it is about to be made. */
interface OwnKeyWanted extends OwnKey {
  readonly organization: OrganizationId;
  readonly person: string;
}

/**
 * Inside a change: the key as the terms have it, with the caps that it and its person get once it is there. Without terms it is as it was wanted.
 * Refuses `too_many_keys`, also where its caps would be more than there may be, and, for what is beyond the terms, `forbidden`.
 */
export async function ownKeyWithin<Wanted extends OwnKeyWanted>(
  transaction: Transaction<Schema>, wanted: Wanted,
): Promise<{ readonly key: Wanted; readonly caps: OwnKeyCaps } | StoreRefusal> {
  const { organization, createdAtMs } = wanted;
  const terms = await termsOf(transaction, organization);
  if (terms === null) return { key: wanted, caps: { cap: null, personCap: null } };
  const key = withTerms(wanted, terms);
  const beyond = beyondTerms(key, terms);
  if (beyond !== null) return refuse('forbidden', beyond);
  const tooMany = await tooManyRefusal(transaction, { ...wanted, id: null, nowMs: createdAtMs }, terms)
    ?? await tooManyCapsRefusal(transaction, wanted, terms);
  if (tooMany !== null) return tooMany;
  return { key, caps: terms };
}

/** A key of somebody, as it is when they change it. */
interface OwnKeyHeld extends HeldOwnKey {
  readonly id: string;
  readonly organization: OrganizationId;
  /** Whose it is. */
  readonly person: string | null;
  readonly nowMs: number;
}

/**
 * Inside a change: why `person`, whom the terms bind, may not change the key so; null: they may. A key that would work again is counted like a new
 * one. Without terms members change every key, but do not enable another person's.
 */
export async function ownChangeRefusal(
  transaction: Transaction<Schema>, key: OwnKeyHeld, person: string, changes: OwnKeyChanges,
): Promise<StoreRefusal | null> {
  const terms = await termsOf(transaction, key.organization);
  if (terms === null) return enablingRefusal(key, person, changes);
  if (key.person !== person) return notTheirKey();
  const { nowMs } = key;
  const beyond = beyondHeld(key, changes, { person, terms, nowMs });
  if (beyond !== null) return refuse('forbidden', beyond);
  return worksAgain(key, changes, nowMs) ? tooManyRefusal(transaction, { ...key, person }, terms) : null;
}

/** Such a key may have stopped with its person's role, and only an admin makes one for another person. What one disabled oneself one enables. */
function enablingRefusal(key: OwnKeyHeld, person: string, { disabled }: OwnKeyChanges): StoreRefusal | null {
  if (disabled !== false || key.disabledAtMs === null || key.person === null || key.person === person || key.disabledBy === person) return null;
  return refuse('forbidden', 'This is the key of another person, and you did not disable it. They or an admin have to enable it.');
}

/** Inside a change: why `person`, whom the terms bind, may not end or rotate the key; null: it is theirs, or there are no terms. */
export async function ownOnlyRefusal(
  transaction: Transaction<Schema>, key: Pick<OwnKeyHeld, 'organization' | 'person'>, person: string,
): Promise<StoreRefusal | null> {
  return key.person === person || !await hasOwnKeyTerms(transaction, key.organization) ? null : notTheirKey();
}

/** Inside a change: whether the organization has terms of own keys. */
export async function hasOwnKeyTerms(transaction: Transaction<Schema>, organization: OrganizationId): Promise<boolean> {
  return await termsOf(transaction, organization) !== null;
}

/** The one refusal for a key that is not the person's own. */
function notTheirKey(): StoreRefusal {
  return refuse('forbidden', 'Here members change their own keys only. Ask an admin.');
}

async function termsOf(transaction: Transaction<Schema>, organization: OrganizationId): Promise<OwnKeyTerms | null> {
  const { own_keys: text } = await transaction.selectFrom('organization').select('own_keys').where('id', '=', organization).executeTakeFirstOrThrow();
  return ownKeysOf(text);
}

/** Whether the person has as many keys as they may, besides the one of this id. Disabled ones count: they can be enabled again. */
async function tooManyRefusal(
  transaction: Transaction<Schema>, { organization, person, id, nowMs }: {
    readonly organization: OrganizationId; readonly person: string; readonly id: string | null; readonly nowMs: number;
  }, { keysMax }: OwnKeyTerms,
): Promise<StoreRefusal | null> {
  const { count } = await transaction.selectFrom('service_key').select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('organization', '=', organization).where('person', '=', person).where('revoked_at_ms', 'is', null).where('id', '<>', id ?? '')
    .where((where) => where.or([where('expires_at_ms', 'is', null), where('expires_at_ms', '>', BigInt(nowMs))]))
    .executeTakeFirstOrThrow();
  if (Number(count) < keysMax) return null;
  return refuse('too_many_keys', keysMax === 1 ? 'You have a key, and may have only one. Revoke it first.'
    : `You have ${count} keys, and may have no more than ${keysMax}. Revoke one first.`);
}

/** People whose caps are written at once. */
const peopleAtOnce = 500;

/**
 * Inside the change of terms: where a cap of the person is new in them, or has another window, everybody who has a key that works gets it, unless
 * they have a cap of that window. Otherwise only who makes another key would be bound. Refuses `invalid_setting` where more would have caps than may.
 */
export async function capPeopleWithKeys(
  kind: Engine['kind'], transaction: Transaction<Schema>,
  { before, now: { id: organization, ownKeys: terms }, revision, nowMs, randomBytes }: {
    readonly before: OwnKeyTerms | null; readonly now: { readonly id: OrganizationId; readonly ownKeys: OwnKeyTerms | null };
    readonly revision: bigint; readonly nowMs: number; readonly randomBytes: (n: number) => Uint8Array;
  },
): Promise<StoreRefusal | null> {
  const cap = terms?.personCap ?? null;
  if (cap === null || before?.personCap?.window === cap.window) return null;
  const capped = await transaction.selectFrom('cap').select(['subject', 'window']).where('organization', '=', organization)
    .where('scope', '=', 'person').execute();
  const all = new Set(capped.map(({ subject }) => subject));
  const there = new Set(capped.filter(({ window }) => window === cap.window).map(({ subject }) => subject));
  const people = (await transaction.selectFrom('service_key').select('person').distinct().where('organization', '=', organization)
    .where('person', 'is not', null).where('revoked_at_ms', 'is', null)
    .where((where) => where.or([where('expires_at_ms', 'is', null), where('expires_at_ms', '>', BigInt(nowMs))])).execute())
    .flatMap(({ person }) => (person === null || there.has(person) ? [] : [person]));
  for (const person of people) all.add(person);
  if (people.length > 0 && all.size > cappedMax.person) {
    return refuse('invalid_setting', `These terms would cap more people than the ${cappedMax.person} that an organization may have.`);
  }
  if (people.length > 0) await beforeFirstCap(kind, transaction, organization);
  for (let from = 0; from < people.length; from += peopleAtOnce) {
    await transaction.insertInto('cap').values(people.slice(from, from + peopleAtOnce).map((subject) => ({
      id: newId(idPrefix.cap, randomBytes), organization, scope: 'person', subject, window: cap.window, limit_nano: cap.limit, mode: 'refuse',
      made: revision,
    }))).execute();
  }
  return null;
}

/** Whether the key or its person would be one more than may have caps. Without its cap the key is not made. */
async function tooManyCapsRefusal(
  transaction: Transaction<Schema>, { organization, person, createdAtMs }: OwnKeyWanted, { cap, personCap }: OwnKeyTerms,
): Promise<StoreRefusal | null> {
  const tooMany = (cap === null ? null : await tooManyCapped(transaction, { organization, scope: 'key', subject: '' }, createdAtMs))
    ?? (personCap === null ? null : await tooManyCapped(transaction, { organization, scope: 'person', subject: person }, createdAtMs));
  return tooMany === null ? null : refuse('too_many_keys', `${tooMany} Your key would be one more. Ask an admin.`);
}

/**
 * Inside the same change: the caps of a key that was just made, and of its person. A cap that the person has of that window already stays as it is:
 * an admin may have set it.
 */
export async function capOwnKey(
  kind: Engine['kind'], transaction: Transaction<Schema>,
  { organization, key, person, caps: { cap, personCap }, revision, randomBytes }: {
    readonly organization: OrganizationId; readonly key: string; readonly person: string; readonly caps: OwnKeyCaps; readonly revision: bigint;
    readonly randomBytes: (n: number) => Uint8Array;
  },
): Promise<void> {
  const give = async (scope: 'key' | 'person', subject: string, { window, limit }: OwnKeyCap): Promise<void> => {
    await transaction.insertInto('cap').values({
      id: newId(idPrefix.cap, randomBytes), organization, scope, subject, window, limit_nano: limit, mode: 'refuse', made: revision,
    }).execute();
  };
  await beforeFirstCap(kind, transaction, organization);
  if (cap !== null) await give('key', key, cap);
  if (personCap === null) return;
  const there = await transaction.selectFrom('cap').select('id').where('organization', '=', organization).where('scope', '=', 'person')
    .where('subject', '=', person).where('window', '=', personCap.window).executeTakeFirst();
  if (there === undefined) await give('person', person, personCap);
}
