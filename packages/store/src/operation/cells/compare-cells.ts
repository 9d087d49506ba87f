/**
 * What the directory and a cell say differently of organizations. They do after one of them was restored to an earlier moment than the other
 * (decision 286): every other change is made so that it can be finished.
 */
import { isRefusal } from '../../engine/refusal.ts';
import type { Organization } from '../../settings/organizations.ts';
import type { OpenCells } from './cells.ts';
import { homeCell, type CellDifference } from './directory.ts';
import type { Store } from './one-store.ts';
import { finishOrganization } from './routed-organizations.ts';

interface Found extends CellDifference {
  readonly number: number;
  readonly store: Store;
  readonly known: Organization;
  /** Hashes of its keys in the cell that have no place. */
  readonly hashes: readonly string[];
}

interface Compared {
  readonly cells: OpenCells;
  /** The default cell. */
  readonly home: Store;
}

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

async function differencesOf({ cells, home }: Compared): Promise<Found[]> {
  const places = new Map((await home.directory.places()).map((place) => [place.organization as string, place]));
  const atHome = new Map((await home.organizations.list()).map((each) => [each.id as string, each]));
  const found: Found[] = [];
  for (const { number, name: cell, store: open } of cells.all) {
    if (number === homeCell) continue;
    const store = await open().catch(() => null);
    if (store === null) continue;
    const own = new Map((await store.organizations.list()).map((each) => [each.id as string, each]));
    const add = (what: Found['what'], known: Organization, hashes: readonly string[] = []): void => {
      found.push({ cell, number, what, store, known, hashes, organization: known.id, name: known.name });
    };
    for (const [id, known] of atHome) {
      const place = places.get(id);
      if (place?.cell === number && place.ready && !own.has(id) && await store.organizations.findErased(id) === null) add('lacking', known);
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
      if (!placed.has(hash)) without.set(organization, [...without.get(organization) ?? [], hash]);
    }
  }
  return without;
}

const keysAtOnce = 1_000;

async function mend(compared: Compared, { what, store, known, number, hashes }: Found): Promise<void> {
  const { home, cells } = compared;
  switch (what) {
    case 'lacking': return void await finishOrganization({ cells, home }, known, number);
    case 'erased': return void await store.erasure.begin(known.id);
    case 'unplaced': {
      const place = { id: known.id, createdAtMs: known.createdAtMs, cell: number };
      const taken = await home.organizations.create(known, place);
      // Its name was given to another one since.
      if (isRefusal(taken)) await home.organizations.create({ plan: known.plan, name: `${known.name} ${known.id}` }, place);
      await home.directory.settle(known.id);
      return home.directory.noteKeys(known.id, hashes);
    }
    case 'keys': return home.directory.noteKeys(known.id, hashes);
  }
}

function shown({ cell, what, organization, name }: Found): CellDifference {
  return { cell, what, organization, name };
}
