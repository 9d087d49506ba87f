/**
 * Organizations when there are cells. Each has its name and its accounts in the default cell, and everything else in its own. It is made in two
 * steps that can be repeated: its row and its place, then its row in its cell. Until the second is done it is nowhere to be found.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { isRefusal } from '../../engine/refusal.ts';
import type { Organization, Organizations } from '../../settings/organizations.ts';
import { homeCell } from './directory.ts';
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
    return finishOrganization(reach, begun, cell);
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

/** As its cell has it. Null: it is in the making. */
async function whole({ of, home }: CellReach, known: Organization | null): Promise<Organization | null> {
  if (known === null) return null;
  const own = await of(known.id);
  return own === home ? known : own.organizations.find(known.id);
}

/** The second step: the same organization in its cell. Repeatable. */
export async function finishOrganization(
  { cells, home }: Pick<CellReach, 'cells' | 'home'>, { id, name, plan, createdAtMs }: Organization, cell: number,
): Promise<Organization> {
  const own = await cells.noted({ organization: id, cell, ready: false });
  const { organizations } = await own.store();
  const first = await organizations.create({ name, plan }, { id, createdAtMs });
  // Only after a restore: the cell has the name for an organization that the directory does not know (`compare-cells.ts`).
  const made = isRefusal(first) && first.refused.code === 'name_taken'
    ? await organizations.create({ name: `${name} ${id}`, plan }, { id, createdAtMs }) : first;
  if (isRefusal(made)) throw new Error(`an organization is refused by its cell: ${made.refused.code}`);
  await home.directory.settle(id);
  return made;
}

/** Finishes what was begun by a process that ended meanwhile. */
export async function finishOrganizations(reach: Pick<CellReach, 'cells' | 'home'>): Promise<void> {
  for (const { organization, cell } of await reach.home.directory.unfinished()) {
    const begun = await reach.home.organizations.find(organization as OrganizationId);
    if (begun !== null) await finishOrganization(reach, begun, cell);
  }
}
