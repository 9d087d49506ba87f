/** Whatever has an id or a name, found by what somebody knows of it: an id whole, a name in part. Decision 201. */
import type { UseCaseContext } from './context.ts';
import { findFigures } from './organizations.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';
import { listRefusals } from './refusal-log.ts';
import { listServiceKeys, type ShownServiceKey } from './service-keys.ts';
import { listMembers } from './users.ts';

export const foundKinds = ['call', 'refusal', 'run', 'key', 'person', 'project', 'model', 'label'] as const;

interface Found {
  readonly kind: (typeof foundKinds)[number];
  /** What leads to it: an id, or the name itself. */
  readonly id: string;
  readonly name: string;
  /** A word that tells it from others: a key's beginning, a call's model, the code of a refusal; null: there is none. */
  readonly about: string | null;
}

interface FindInput {
  /** Id or name. */
  readonly organization: string;
  readonly text: string;
  /** Whether whoever asks may know who the members are. */
  readonly seesMembers: boolean;
  /** A key as whoever asks may see it. */
  readonly keyAsSeen: (key: ShownServiceKey) => ShownServiceKey;
}

const ofEachKind = 5;
const labelDaysMs = 100 * 86_400_000;

/** Ids first, then names; at most a few of each kind. Refuses `unknown_organization`. */
export async function findAnything(
  context: UseCaseContext, { organization: idOrName, text, ...asker }: FindInput,
): Promise<Found[] | AdministrationRefusal> {
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const sought = text.trim();
  if (sought === '') return [];
  const { id } = organization;
  const names = await context.store.usedNames.holding({ organization: id, text: sought, sinceMs: context.nowMs - labelDaysMs, limit: ofEachKind });
  const named = (kind: Found['kind'], all: readonly string[]): Found[] => all.map((name) => ({ kind, id: name, name, about: null }));
  return [
    ...await callsAndRefusals(context, id, sought),
    ...named('run', names.runs), ...await keysHolding(context, id, sought, asker), ...await peopleHolding(context, id, sought, asker),
    ...named('project', names.projects), ...named('model', names.models), ...named('label', names.labels),
  ];
}

async function callsAndRefusals(context: UseCaseContext, organization: string, text: string): Promise<Found[]> {
  if (!/^req_[0-9a-f]{32}$/.test(text)) return [];
  const call = await context.store.callPages.find(organization as never, text);
  const refused = await listRefusals(context, { organization, filter: { request: text }, limit: 1 });
  return [
    ...(call === null ? [] : [{ kind: 'call', id: call.id, name: call.id, about: call.model } as const]),
    ...(isRefusal(refused) ? [] : refused).map(({ id, code }) => ({ kind: 'refusal', id, name: text, about: code }) as const),
  ];
}

async function keysHolding(
  context: UseCaseContext, organization: string, text: string, { keyAsSeen }: Pick<FindInput, 'keyAsSeen'>,
): Promise<Found[]> {
  const keys = await listServiceKeys(context, organization);
  if (isRefusal(keys)) return [];
  return closest(keys.map(keyAsSeen), text, ({ id, name, prefix, person }) => [name ?? '', id, prefix, person ?? ''])
    .map(({ id, name, prefix }) => ({ kind: 'key', id, name: name ?? id, about: `${prefix}…` }));
}

async function peopleHolding(
  context: UseCaseContext, organization: string, text: string, { seesMembers }: Pick<FindInput, 'seesMembers'>,
): Promise<Found[]> {
  const members = seesMembers ? await listMembers(context, organization) : [];
  if (isRefusal(members)) return [];
  return closest(members, text, ({ id, email }) => [email, id]).map(({ id, email, role }) => ({ kind: 'person', id, name: email, about: role }));
}

/** Those of which one of the texts holds what is sought: the same, then what begins so, then the others. */
function closest<Each>(all: readonly Each[], text: string, textsOf: (each: Each) => readonly string[]): Each[] {
  const word = text.toLowerCase();
  const rank = (each: Each): number => Math.min(...textsOf(each).map((of) => {
    const lower = of.toLowerCase();
    return lower === word ? 0 : lower.startsWith(word) ? 1 : lower.includes(word) ? 2 : Infinity;
  }));
  return all.map((each) => ({ each, at: rank(each) })).filter(({ at }) => at < Infinity)
    .toSorted((one, other) => one.at - other.at).slice(0, ofEachKind).map(({ each }) => each);
}
