/**
 * What the directory and a cell say differently of organizations. They do after one of them was restored to an earlier moment than the other
 * (decision 286): every other change is made so that it can be finished.
 */
import { StoreFault } from '../../engine/fault.ts';
import type { Organization } from '../../settings/organizations.ts';
import { homeCell, type CellComparison, type CellDifference, type OrganizationPlace } from './directory.ts';
import type { Store, StoreCell } from './one-store.ts';
import type { CellReach } from './reach.ts';
import { createNamed, finishOrganization } from './routed-organizations.ts';

interface Found extends CellDifference {
  readonly number: number;
  readonly store: Store;
  readonly known: Organization;
  /** Hashes of its keys in the cell that have no place. */
  readonly hashes: readonly string[];
}

/** What is mended is done by the stores that act where the caller acts, so it is in the audit trail. */
type Compared = Pick<CellReach, 'cells' | 'home' | 'at'>;

/** A cell that fails meanwhile is named, and the others are compared. @throws StoreFault where the default cell fails. */
export async function compareCells(compared: Compared): Promise<CellComparison> {
  const { differences, unread } = await differencesOf(compared);
  return { differences: differences.map(shown), unread };
}

/**
 * Makes what the cell lacks anew, without keys, caps and settings, since they are lost; gives a place again to what has none; erases again what was
 * erased. Returns what it mended. Repeatable.
 */
export async function mendCells(compared: Compared): Promise<CellComparison> {
  const { differences, unread } = await differencesOf(compared);
  for (const difference of differences) await mend(compared, difference);
  return { differences: differences.map(shown), unread };
}

interface Look {
  readonly differences: readonly Found[];
  readonly unread: CellComparison['unread'];
}

/** Read twice: what is made or erased in between two reads differs only once. */
async function differencesOf(compared: Compared): Promise<Look> {
  const first = await look(compared);
  if (first.differences.length === 0) return first;
  const once = new Set(first.differences.map(subjectOf));
  const second = await look(compared);
  const both = new Map([...first.unread, ...second.unread].map((each) => [each.cell, each]));
  return { differences: second.differences.filter((found) => once.has(subjectOf(found))), unread: [...both.values()] };
}

function subjectOf({ number, what, organization }: Found): string {
  return `${number} ${what} ${organization}`;
}

async function look({ cells, home, at }: Compared): Promise<Look> {
  const places = new Map((await home.directory.places()).map((place) => [place.organization as string, place]));
  const atHome = new Map((await home.organizations.list()).map((each) => [each.id as string, each]));
  const differences: Found[] = [];
  const unread: { cell: string; why: string }[] = [];
  for (const asked of cells.all) {
    if (asked.number === homeCell) continue;
    try {
      differences.push(...await differencesIn(asked, { home, store: await at(asked), places, atHome }));
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      unread.push({ cell: asked.name, why: error.message });
    }
  }
  return { differences, unread };
}

interface Sides {
  readonly home: Store;
  readonly store: Store;
  /** By organization, as the directory has them. */
  readonly places: ReadonlyMap<string, OrganizationPlace>;
  readonly atHome: ReadonlyMap<string, Organization>;
}

async function differencesIn({ number, name: cell }: StoreCell, { home, store, places, atHome }: Sides): Promise<Found[]> {
  const found: Found[] = [];
  const own = new Map((await store.organizations.list()).map((each) => [each.id as string, each]));
  const add = (what: Found['what'], known: Organization, hashes: readonly string[] = []): void => {
    found.push({ cell, number, what, store, known, hashes, organization: known.id, name: known.name });
  };
  for (const [id, known] of atHome) {
    const place = places.get(id);
    if (place?.cell !== number || own.has(id)) continue;
    if (await store.organizations.findErased(id) !== null) add('erased', known);
    else if (place.ready) add('lacking', known);
  }
  const keys = await hashesWithoutPlace(store, home);
  for (const [id, known] of own) {
    if (atHome.has(id) && places.get(id)?.cell === number) {
      if (keys.has(id)) add('keys', known, keys.get(id));
    } else add(await home.organizations.findErased(id) === null ? 'unplaced' : 'erased', known, keys.get(id));
  }
  return found;
}

/** By organization. */
async function hashesWithoutPlace(store: Store, home: Store): Promise<ReadonlyMap<string, string[]>> {
  const all = await store.directory.ownKeys();
  const without = new Map<string, string[]>();
  for (let from = 0; from < all.length; from += keysAtOnce) {
    const some = all.slice(from, from + keysAtOnce);
    const placed = await home.directory.placesOfKeys(some.map(({ hash }) => hash));
    for (const { hash, organization } of some) {
      if (placed.has(hash)) continue;
      const hashes = without.get(organization);
      if (hashes === undefined) without.set(organization, [hash]);
      else hashes.push(hash);
    }
  }
  return without;
}

const keysAtOnce = 1_000;

async function mend({ home }: Compared, { what, store, known, number, hashes }: Found): Promise<void> {
  switch (what) {
    case 'lacking': return void await finishOrganization(home, store, known);
    case 'erased': {
      // The one that has it erased already refuses.
      await store.erasure.begin(known.id);
      await home.directory.forgetKeys(known.id);
      return void await home.erasure.begin(known.id);
    }
    case 'unplaced': {
      await createNamed(home, known, { cell: number });
      await home.directory.settle(known.id);
      return home.directory.noteKeys(known.id, hashes);
    }
    case 'keys': return home.directory.noteKeys(known.id, hashes);
  }
}

function shown({ cell, what, organization, name }: Found): CellDifference {
  return { cell, what, organization, name };
}
