/**
 * A machine signs in for a person: `metergate login` begins, the person allows it on a page, and the machine takes a key of theirs.
 * Rule 16; decision 196. What the machine sends and what addresses show lets nobody else take the key: that takes the verifier, which leaves the
 * machine only with the taking itself, and, where a browser was opened on it, the code that this browser brings back.
 */
import { createHash } from 'node:crypto';
import { hasRightsOf } from '@metergate/core/account/role.ts';
import { newSecret, type OrganizationId, type PersonId } from '@metergate/core/id.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import type { Decider, MachineSignIn } from '@metergate/store/accounts/machine-sign-ins.ts';
import type { Actor } from './actor.ts';
import type { UseCaseContext } from './context.ts';
import { shownOwnKeys, type ShownOwnKeyTerms } from './own-keys.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { createServiceKey, type MintedServiceKey } from './service-keys.ts';

const signInLifeMs = 600_000;
/** How often a machine may ask whether it was allowed. */
const askEveryMs = 2_000;

interface MachineAsking {
  /** SHA-256 of its verifier, base64url. */
  readonly challenge: string;
  /** Its name, as it says. */
  readonly machine: string;
  /** Where on itself it waits for its browser; null: a person types a code. */
  readonly port: number | null;
  readonly address: string;
}

interface BegunMachineSignIn {
  readonly id: string;
  /** What the person types; null with a port. */
  readonly userCode: string | null;
  /** The page, below the platform's address. */
  readonly path: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
}

export async function beginMachineSignIn(context: UseCaseContext, asking: MachineAsking): Promise<BegunMachineSignIn | AdministrationRefusal> {
  const { challenge, port, address } = asking;
  const userCode = port === null ? newUserCode(context.randomBytes) : null;
  const begun = await context.store.machineSignIns.begin({
    challenge, port, address, userCode, machine: shownName(asking.machine), expiresAtMs: context.nowMs + signInLifeMs,
  });
  if (isRefusal(begun)) return begun;
  return {
    id: begun.id, userCode: userCode === null ? null : `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
    path: port === null ? '/connect' : `/connect?id=${begun.id}`, expiresInSeconds: signInLifeMs / 1_000, intervalSeconds: askEveryMs / 1_000,
  };
}

/** What the page shows of a sign-in before the person decides. */
interface ShownSignIn {
  readonly id: string;
  readonly machine: string;
  readonly address: string;
  readonly startedAt: string;
  readonly expiresAt: string;
  /** It waits for the browser of the machine that began it. */
  readonly byBrowser: boolean;
  readonly state: MachineSignIn['state'];
  /** Whether the caller's role lets them make a key. */
  readonly mayAllow: boolean;
  /** What bounds the key; null: nothing but the organization's own settings. */
  readonly terms: ShownOwnKeyTerms | null;
}

export async function showMachineSignIn(context: UseCaseContext, actor: Actor, id: string): Promise<ShownSignIn | AdministrationRefusal> {
  return shown(context, actor, () => context.store.machineSignIns.find(id));
}

/** By what the person typed, in any case and with any separators. */
export async function findMachineSignIn(context: UseCaseContext, actor: Actor, typed: string): Promise<ShownSignIn | AdministrationRefusal> {
  const userCode = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return shown(context, actor, async () => userCode.length === userCodeLength ? context.store.machineSignIns.findByUserCode(userCode) : null);
}

/** Where the browser goes on, on the machine itself; null: the machine asks by itself. */
interface DecidedSignIn {
  readonly returnTo: string | null;
}

export async function allowMachineSignIn(context: UseCaseContext, actor: Actor, id: string): Promise<DecidedSignIn | AdministrationRefusal> {
  const decider = deciderOf(actor);
  if (isRefusal(decider)) return decider;
  const code = newSecret('', 43, context.randomBytes);
  // The code counts where there is a browser to carry it.
  const there = await context.store.machineSignIns.find(id);
  const allowed = await context.store.machineSignIns.allow({ id, ...decider, codeHash: (there?.port ?? null) === null ? null : digest(code, 'hex') });
  return isRefusal(allowed) ? allowed : returning(allowed, `code=${code}`);
}

/** The machine learns that it was refused. */
export async function refuseMachineSignIn(context: UseCaseContext, actor: Actor, id: string): Promise<DecidedSignIn | AdministrationRefusal> {
  const decider = deciderOf(actor);
  if (isRefusal(decider)) return decider;
  const refused = await context.store.machineSignIns.refuse({ id, ...decider });
  return isRefusal(refused) ? refused : returning(refused, 'refused=1');
}

function returning({ id, port }: MachineSignIn, brings: string): DecidedSignIn {
  return { returnTo: port === null ? null : `http://127.0.0.1:${port}/?id=${id}&${brings}` };
}

/** What the machine gets: the key, and where to use it. */
interface TakenKey extends MintedServiceKey {
  readonly name: string;
  readonly organization: { readonly id: OrganizationId; readonly name: string };
  readonly person: string;
  readonly expiresAt: string | null;
  readonly models: readonly string[] | null;
  /** The named providers that the organization has a key for. */
  readonly providers: readonly string[];
  /** Its enabled upstreams, whose provider is known where that is not null. */
  readonly upstreams: readonly { readonly name: string; readonly provider: string | null }[];
}

interface KeyTaking {
  readonly id: string;
  readonly verifier: string;
  /** What its browser brought; null: nothing. */
  readonly code: string | null;
}

/** Makes the key, once. Null: nobody has decided yet. Refuses `unknown_sign_in`, `sign_in_over`, and what making an own key refuses. */
export async function takeMachineKey(context: UseCaseContext, { id, verifier, code }: KeyTaking): Promise<TakenKey | null | AdministrationRefusal> {
  const taken = await context.store.machineSignIns.take({
    id, challenge: digest(verifier, 'base64url'), codeHash: code === null ? null : digest(code, 'hex'),
  });
  if (taken === null || isRefusal(taken)) return taken;
  const { organization, person, machine, address } = taken;
  // The role that is in force now, not the one at which it was allowed.
  const member = await context.store.members.find(organization, person);
  if (member === null || !hasRightsOf(member.role, 'member')) return refuseInput('forbidden', 'A key of your own needs the role member.');
  const name = `${machine} (metergate login)`;
  const by = { actor: { kind: 'person', id: person, name: member.email }, detail: { name, machine, address } } as const;
  const acting = { ...context, store: context.store.acting(by) };
  const made = await createServiceKey(acting, { organization, name, own: person as PersonId });
  return isRefusal(made) ? made : withItsPlace(context, organization, { made, name, person: member.email });
}

async function withItsPlace(
  { store }: UseCaseContext, id: OrganizationId, { made, name,
    person }: { readonly made: MintedServiceKey; readonly name: string; readonly person: string },
): Promise<TakenKey> {
  const key = await store.serviceKeys.find(id, made.id);
  const organization = await store.organizations.find(id);
  const states = await Promise.all((['openai', 'anthropic'] as const).map(async (provider) =>
    ({ provider, state: (await store.providers.state(id, provider)).state })));
  const upstreams = await store.namedUpstreams.list(id);
  return {
    ...made, name, person, organization: { id, name: organization?.name ?? id },
    expiresAt: isoText(key?.expiresAtMs ?? null), models: key?.models ?? null,
    providers: states.filter(({ state }) => state === 'connected').map(({ provider }) => provider),
    upstreams: upstreams.filter(({ enabled }) => enabled).map(({ name: each, url, provider }) => ({ name: each, provider: provider
      ?? hostProvider(url) })),
  };
}

/** Only the one whose own client is set up by name. */
function hostProvider(url: string): string | null {
  return URL.parse(url)?.hostname === 'generativelanguage.googleapis.com' ? 'google' : null;
}

async function shown(
  context: UseCaseContext, actor: Actor, find: () => Promise<MachineSignIn | null>,
): Promise<ShownSignIn | AdministrationRefusal> {
  const decider = deciderOf(actor);
  if (isRefusal(decider)) return decider;
  const found = await find();
  if (found === null || !mayBeSeenBy(found, decider)) return unknown();
  const organization = await context.store.organizations.find(actor.organization);
  const { id, machine, address, port, createdAtMs, expiresAtMs, state } = found;
  return {
    id, machine, address, startedAt: isoText(createdAtMs), expiresAt: isoText(expiresAtMs),
    byBrowser: port !== null, state, mayAllow: hasRightsOf(actor.role, 'member'),
    // They bind admins too here: the key is the person's own.
    terms: shownOwnKeys(organization?.ownKeys ?? null),
  };
}

/** An open one is nobody's yet: whoever was shown its id or its code may decide it. */
function mayBeSeenBy({ decidedBy }: MachineSignIn, { organization, person }: Decider): boolean {
  return decidedBy === null || (decidedBy.organization === organization && decidedBy.person === person);
}

/** A token stands for no person, and has no key of its own. So nothing is looked up for it. */
function deciderOf({ kind, id, organization }: Actor): Decider | AdministrationRefusal {
  return kind === 'person' ? { organization, person: id as PersonId }
    : refuseInput('forbidden', 'Only a person who is signed in can let a machine sign in.');
}

function unknown(): AdministrationRefusal {
  return refuseInput('unknown_sign_in', 'There is no such sign-in, or its time is over. Begin again on the machine.');
}

function digest(text: string, as: 'hex' | 'base64url'): string {
  return createHash('sha256').update(text).digest(as);
}

const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;

/** Eight of twenty letters, which make no words and are not taken for one another: over 34 bits, for ten minutes. */
function newUserCode(randomBytes: (n: number) => Uint8Array): string {
  let code = '';
  while (code.length < userCodeLength) {
    for (const byte of randomBytes(userCodeLength * 2)) {
      if (byte < 240 && code.length < userCodeLength) code += userCodeLetters[byte % userCodeLetters.length];
    }
  }
  return code;
}

/** A name that a page and a list can show on one line. */
function shownName(machine: string): string {
  const name = machine.replaceAll(/[^\p{L}\p{N} ._-]/gu, '').trim().slice(0, 60);
  return name === '' ? 'a machine' : name;
}
