/**
 * What the directory and a cell say differently of organizations. They do after one of them was restored to an earlier moment than the other
 * (decision 286): every other change is made so that it can be finished.
 */
import type { Organization } from '../../settings/organizations.ts';
import { homeCell, type CellDifference } from './directory.ts';
import type { Store } from './one-store.ts';
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

/** Of all cells that answer. */
export async function compareCells(compared: Compared): Promise<CellDifference[]> {
  return (await differencesOf(compared)).map(shown);
}

/**
 * Makes what the cell lacks anew, without keys, caps and settings, since they are lost; gives a place again to what has none; erases again what was
 * erased. Returns what it mended. Repeatable.
 */
export async function mendCells(compared: Compared): Promise<CellDifference[]> {
  const differences = await differencesOf(compared);
  for (const difference of differences) await mend(compared, difference);
  return differences.map(shown);
}

/** Read twice: what is made or erased in between two reads differs only once. */
async function differencesOf(compared: Compared): Promise<Found[]> {
  const once = new Set((await differencesNow(compared)).map(subjectOf));
  return once.size === 0 ? [] : (await differencesNow(compared)).filter((found) => once.has(subjectOf(found)));
}

function subjectOf({ number, what, organization }: Found): string {
  return `${number} ${what} ${organization}`;
}

async function differencesNow({ cells, home, at }: Compared): Promise<Found[]> {
  const places = new Map((await home.directory.places()).map((place) => [place.organization as string, place]));
  const atHome = new Map((await home.organizations.list()).map((each) => [each.id as string, each]));
  const found: Found[] = [];
  for (const asked of cells.all) {
    const { number, name: cell } = asked;
    if (number === homeCell) continue;
    const store = await at(asked).catch(() => null);
    if (store === null) continue;
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
