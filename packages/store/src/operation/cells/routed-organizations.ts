/**
 * Organizations when there are cells. Each has its name and its accounts in the default cell, and everything else in its own. It is made in two
 * steps that can be repeated: its row and its place, then its row in its cell. Until the second is done it is nowhere to be found.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { nameCharactersMax } from '../../engine/names.ts';
import { isRefusal } from '../../engine/refusal.ts';
import type { Organization, Organizations } from '../../settings/organizations.ts';
import { homeCell } from './directory.ts';
import type { OpenCells } from './cells.ts';
import type { Store } from './one-store.ts';
import type { CellReach } from './reach.ts';
import type { RoutesOf } from './route.ts';

export const routedOrganizations: RoutesOf<Organizations> = {
  home: 'home',
  set: 'first',
  async create(reach, wanted) {
    const { home } = reach;
    const cell = await home.directory.next();
    if (cell === homeCell) return home.organizations.create(wanted);
    const begun = await home.organizations.create(wanted, { cell });
    if (isRefusal(begun)) return begun;
    return finishOrganization(home, await storeIn(reach.cells, begun.id, cell), begun);
  },
  list: async ({ everywhere, home }) => {
    const [own, ...others] = await everywhere((store) => store.organizations.list());
    const elsewhere = new Map(others.flat().map((organization) => [organization.id, organization]));
    const placed = new Set((await home.directory.places()).map(({ organization }) => organization));
    return own!.flatMap((organization) => (placed.has(organization.id) ? elsewhere.get(organization.id) ?? [] : [organization]));
  },
  findOnly: async (reach) => whole(reach, await reach.home.organizations.findOnly()),
  find: async (reach, idOrName) => whole(reach, await reach.home.organizations.find(idOrName)),
  findErased: async ({ of }, id) => (await of(id)).organizations.findErased(id),
};

/** The organization as its cell has it. Null: it is being made. */
async function whole({ of, home }: CellReach, known: Organization | null): Promise<Organization | null> {
  if (known === null) return null;
  const own = await of(known.id);
  return own === home ? known : own.organizations.find(known.id);
}

/** Of the cell where this organization is from now on. */
async function storeIn(cells: OpenCells, organization: OrganizationId, cell: number): Promise<Store> {
  return (await cells.noted({ organization, cell, ready: false })).store();
}

/** The second step: the same organization in `own`, the store of its cell. Repeatable. @throws Error where it is refused. */
export async function finishOrganization(home: Store, own: Store, organization: Organization): Promise<Organization> {
  const made = await createNamed(own, organization);
  await home.directory.settle(organization.id);
  return made;
}

/**
 * The same organization in this store, as `Organizations.create` does it with a place. Only after a restore may its name be another one's there
 * (`compare-cells.ts`): then its id is added to it. Repeatable. @throws Error where it is refused.
 */
export async function createNamed(
  { organizations }: Pick<Store, 'organizations'>, { id, name, plan, createdAtMs }: Organization, at: { readonly cell?: number } = {},
): Promise<Organization> {
  const place = { id, createdAtMs, ...at };
  const first = await organizations.create({ name, plan }, place);
  const isTaken = isRefusal(first) && first.refused.code === 'name_taken';
  const made = isTaken ? await organizations.create({ name: nameWithId(name, id), plan }, place) : first;
  if (isRefusal(made)) throw new Error(`the organization ${id} is refused: ${made.refused.code}`);
  return made;
}

/** The name with the id behind it; a long name is cut to make room. */
function nameWithId(name: string, id: OrganizationId): string {
  return `${[...name].slice(0, nameCharactersMax - id.length - 1).join('').trimEnd()} ${id}`;
}

/**
 * Finishes what was begun by a process that ended meanwhile. A cell that is away is left for the next time, and what its cell has erased for
 * `compare-cells.ts`: the default cell was restored then.
 */
export async function finishOrganizations(reach: Pick<CellReach, 'cells' | 'home'>): Promise<void> {
  for (const { organization, cell } of await reach.home.directory.unfinished()) {
    const begun = await reach.home.organizations.find(organization as OrganizationId);
    const own = begun === null ? null : await storeIn(reach.cells, begun.id, cell).catch(() => null);
    if (begun === null || own === null || await own.organizations.findErased(begun.id) !== null) continue;
    await finishOrganization(reach.home, own, begun);
  }
}

/** Finishes erasures that were cut short after their cell had done its step. A cell that is away is left for the next time. */
export async function finishErasures({ cells, home }: Pick<CellReach, 'cells' | 'home'>): Promise<void> {
  for (const place of await home.directory.erasing()) {
    const own = await cells.noted(place).then((cell) => cell.store()).catch(() => null);
    if (own !== null && await own.organizations.findErased(place.organization) !== null) await finishErasure(home, place.organization);
  }
}

/**
 * The second step of an erasure, once its cell has done the first. Repeatable. `home` notes nothing: the trail of its cell tells of it already.
 */
export async function finishErasure(home: Store, organization: OrganizationId): ReturnType<Store['erasure']['begin']> {
  await home.directory.forgetKeys(organization);
  const begun = await home.erasure.begin(organization);
  await home.directory.settle(organization);
  return begun;
}
