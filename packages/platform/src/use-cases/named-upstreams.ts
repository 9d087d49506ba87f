/**
 * The destinations that an organization declares by name, beside the one without: declare, enable, disable, remove, show, list. Decision 150. A
 * credential goes in and never comes out.
 */
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import { upstreamNameForm } from '@metergate/core/call/named-upstream.ts';
import type { NewNamedUpstream, KeptNamedUpstream as StoredUpstream } from '@metergate/store/settings/named-upstreams.ts';
import { namedUpstreamNotDeclared, type DeclaredNamed } from '@metergate/store/settings/named-upstreams.ts';
import { refuse, type StoreRefusal } from '@metergate/store/engine/refusal.ts';
import type { Organization } from '@metergate/store/settings/organizations.ts';
import { refuseOtherThan, refuseOtherVersion, type ThingBefore } from './changed-meanwhile.ts';
import type { UseCaseContext } from './context.ts';
import { findOrganization } from './organizations.ts';
import { priceBook } from './prices.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { storedCredentialOf } from './upstream-credential.ts';
import type { ShownUpstream } from './upstreams.ts';
import { parseNamedUpstreamUrl, type UpstreamUrlRules } from './upstream-url.ts';

export interface ShownNamedUpstream extends Omit<NewNamedUpstream, 'credential'>, Omit<ShownUpstream, 'url'> {
  /** The provider of the price list whose prices its calls have: the declared one, else the one its host belongs to. Null: the list knows none. */
  readonly pricedAs: string | null;
}

/** Which of an organization's upstreams. */
export interface NamedUpstreamPlace {
  readonly organization: string;
  readonly name: string;
}

interface NamedUpstreamInput extends Omit<NewNamedUpstream, 'credential'>, NamedUpstreamPlace {
  /** Empty or absent: none is needed. Null: the stored one stays, which it does only where URL and auth stay. */
  readonly credential?: string | null | undefined;
  readonly was?: ThingBefore | undefined;
}

type Answer = Promise<ShownNamedUpstream | AdministrationRefusal>;

/**
 * Declares one, which replaces an earlier one of its name and starts disabled. `was`: version of the declaration that the change was made from, null
 * where there was none; `changed_meanwhile` if that is not so any more.
 */
export async function declareNamedUpstream(context: UseCaseContext, wanted: NamedUpstreamInput, rules: UpstreamUrlRules): Answer {
  const parsed = parseNamedUpstreamUrl(wanted.url, rules);
  if ('refusal' in parsed) return refuseInput('invalid_upstream_url', parsed.refusal);
  const book = await priceBook(context);
  if (isRefusal(book)) return book;
  const problem = problemWithUpstream(wanted, book);
  if (problem !== null) return refuseInput('invalid_setting', problem.sentence);
  const organization = await findOrganization(context, wanted.organization);
  if (isRefusal(organization)) return organization;
  const { name, auth, dialect, provider } = wanted;
  // Whether there is one that may stay, the store decides.
  const credential = wanted.credential === null ? { text: null }
    : storedCredentialOf({ auth, credential: wanted.credential ?? '', url: parsed.url }, rules);
  if ('problem' in credential) return refuseInput('invalid_credential', credential.problem);
  const check = refuseOtherThan<DeclaredNamed>(wanted.was, { the: 'This upstream', a: 'an upstream of this name' }, ({ version }) => ({ version }));
  const declaration = { name, url: parsed.url, credential: credential.text, auth, dialect, provider };
  return (await context.store.namedUpstreams.declare(organization.id, declaration, check)) ?? shown(context, organization, name);
}

/** What is wrong, and with which field; null: nothing. */
export function problemWithUpstream(
  { name, provider }: Pick<NewNamedUpstream, 'name' | 'provider'>, book: PriceBook,
): { readonly field: 'name' | 'provider'; readonly sentence: string } | null {
  if (!upstreamNameForm.test(name)) {
    return { field: 'name', sentence: "An upstream's name must have 1 to 32 characters: lower-case letters, digits and hyphens." };
  }
  if (provider === null || book.listedSeller(provider, '') !== null) return null;
  return {
    field: 'provider',
    sentence: 'The provider must be one of the price list, by its id there, such as google. Each price shows it: metergate prices show MODEL.',
  };
}

/**
 * Calls may go to it again. `version`: only to this declaration. Refuses `changed_meanwhile`, and `credential_missing` where its auth takes a
 * credential and none is stored; these four refuse `unknown_organization`, `upstream_not_declared`.
 */
export function enableNamedUpstream(context: UseCaseContext, place: NamedUpstreamPlace, version?: number): Answer {
  return change(context, place, ({ id }) => context.store.namedUpstreams.enable(id, place.name,
    (there) => refuseOtherVersion(version, there) ?? refuseWithoutCredential(place.name, there)));
}

function refuseWithoutCredential(name: string, declared: DeclaredNamed): StoreRefusal | null {
  const lacking = lackingCredential(name, declared);
  return lacking === null ? null : refuse('credential_missing', lacking);
}

/**
 * A sentence if calls would go out without the credential that the auth takes; null: they would not. The destination refuses such calls, and that
 * looks like a fault of the caller's.
 */
export function lackingCredential(name: string, { auth, hasCredential }: Omit<DeclaredNamed, 'version'>): string | null {
  return hasCredential || auth === 'none' ? null
    : `The upstream "${name}" is declared with auth ${auth} and has no credential. Declare it again with one, or with auth none.`;
}

/** Calls to it are refused; the declaration stays. */
export function disableNamedUpstream(context: UseCaseContext, place: NamedUpstreamPlace): Answer {
  return change(context, place, ({ id }) => context.store.namedUpstreams.disable(id, place.name));
}

/** Destroys the declaration with its credential. */
export async function removeNamedUpstream(
  context: UseCaseContext, { organization: idOrName, name }: NamedUpstreamPlace,
): Promise<{ readonly organization: string; readonly name: string; readonly removed: true } | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  return (await context.store.namedUpstreams.remove(organization.id, name)) ?? { organization: organization.id, name, removed: true };
}

export async function showNamedUpstream(context: UseCaseContext, { organization: idOrName, name }: NamedUpstreamPlace): Answer {
  const organization = await findOrganization(context, idOrName);
  return isRefusal(organization) ? organization : shown(context, organization, name);
}

/** In the order of their names. Refuses `unknown_organization`. */
export async function listNamedUpstreams(context: UseCaseContext, idOrName: string): Promise<ShownNamedUpstream[] | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  return isRefusal(organization) ? organization : listed(context, organization);
}

async function change(
  context: UseCaseContext, place: NamedUpstreamPlace, work: (organization: Organization) => Promise<StoreRefusal | null>,
): Answer {
  const organization = await findOrganization(context, place.organization);
  if (isRefusal(organization)) return organization;
  return (await work(organization)) ?? shown(context, organization, place.name);
}

async function shown(context: UseCaseContext, organization: Organization, name: string): Answer {
  const all = await listed(context, organization);
  return isRefusal(all) ? all : all.find((each) => each.name === name) ?? namedUpstreamNotDeclared(name);
}

async function listed(context: UseCaseContext, organization: Organization): Promise<ShownNamedUpstream[] | AdministrationRefusal> {
  const book = await priceBook(context);
  if (isRefusal(book)) return book;
  return (await context.store.namedUpstreams.list(organization.id)).map((upstream: StoredUpstream) => {
    const { name, version, url, auth, dialect, provider, enabled, hasCredential, state } = upstream;
    const seller = provider === null ? book.upstreamSeller(url) : book.listedSeller(provider, url);
    return {
      organization: organization.id, name, version, url, auth, dialect, provider, pricedAs: seller?.provider?.id ?? null, enabled, hasCredential,
      state: state === 'readable' ? 'connected' as const : 'unreadable' as const,
    };
  });
}
