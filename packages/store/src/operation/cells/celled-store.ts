/**
 * A store with cells as one `Store`: each method goes where `routes` says. As long as there are no cells, each goes straight to the default one.
 */
import type { AuditIntent } from '../../engine/change.ts';
import { isRefusal, refuse } from '../../engine/refusal.ts';
import { nothingCompared, type StoreCell, type Repositories, type Store, type StoreCells } from './one-store.ts';
import { cellAddressProblem, cellNameForm, isCellName } from '../../engine/cell-url.ts';
import type { OpenCells } from './cells.ts';
import { compareCells, mendCells } from './compare-cells.ts';
import { directoryLookMs, homeName, type StoredCell } from './directory.ts';
import { inTurns, cellReach, type CellReach } from './reach.ts';
import { endFormerGuests } from './routed-members.ts';
import { finishErasures, finishOrganizations } from './routed-organizations.ts';
import type { CellRoute } from './route.ts';
import { routes } from './routes.ts';

interface CelledOptions {
  readonly cells: OpenCells;
  /** The default cell. */
  readonly home: Store;
  /** What the store of another cell is turned into before it is asked. */
  readonly acting: (store: Store) => Store;
  /** Makes the schema of a cell, and a store in it. False: there is one that has organizations. */
  readonly makeSchema: (cell: Pick<StoredCell, 'name' | 'schema' | 'address'>) => Promise<boolean>;
}

export function celledStore(options: CelledOptions): Store {
  const { cells, home, acting } = options;
  const reach = cellReach(cells, home, acting);
  const repositories = Object.fromEntries((Object.keys(routes) as (keyof Repositories)[]).map((name) => [name, repositoryOf(reach, name)]));
  return {
    ...repositories as unknown as Repositories,
    engine: home.engine,
    cells: cellsOf(options, reach),
    acting: (intent: AuditIntent) => celledStore({ ...options, home: home.acting(intent), acting: (store) => store.acting(intent) }),
    listen: (told) => home.listen(told),
    checkpoint: () => home.checkpoint(),
    async close() {
      await cells.close();
      await home.close();
    },
  };
}

function cellsOf({ cells, home, makeSchema }: CelledOptions, reach: CellReach): StoreCells {
  return {
    async list() {
      await cells.look();
      if (!cells.several) return [];
      const loads = await home.directory.loads();
      const states = new Map(cells.listed.map((cell) => [cell.number, cell]));
      return inTurns(cells.all, async (cell) => {
        const { state, address, addedAtMs } = states.get(cell.number)!;
        return {
          name: cell.name, state, address, organizations: loads.get(cell.number) ?? 0, away: await awayWhy(cell),
          takesFromMs: addedAtMs + 2 * directoryLookMs,
        };
      });
    },
    async add(name, address = '') {
      if (!isCellName(name) || name === homeName) return refuse('invalid_name', cellNameForm);
      const wrong = address === '' ? null : cellAddressProblem(address);
      if (wrong !== null) return refuse('invalid_setting', wrong);
      if ((await home.directory.cells()).some((cell) => cell.name === name)) return refuse('cell_exists', 'There is already a cell with this name.');
      if (!await makeSchema({ name, schema: name, address })) {
        return refuse('cell_exists', `The schema ${name} holds a store that has organizations: this one's own, or another one's. Choose another `
          + 'name.');
      }
      const added = await home.directory.add({ name, schema: name, address });
      if (!isRefusal(added)) await cells.look();
      return added;
    },
    setState: (name, state) => home.directory.setState(name, state),
    each: () => cells.all.map((cell) => (cell === cells.home ? cell : { ...cell, store: async () => viewOf(await cell.store(), home) })),
    numberOf: async (organization) => (await cells.of(organization)).number,
    async compare() {
      await cells.look();
      return cells.several ? compareCells(reach) : nothingCompared;
    },
    async mend() {
      await cells.look();
      return cells.several ? mendCells(reach) : nothingCompared;
    },
    async keepHouse() {
      await cells.look();
      if (!cells.several) return;
      await finishOrganizations({ cells, home: await cells.home.store() });
      await finishErasures({ cells, home: await cells.home.store() });
      await endFormerGuests({ cells, home: await cells.home.store() });
    },
  };
}

/** A cell with what it has in the default cell: accounts, prices, settings of the deployment. Work is shared out in each cell by itself. */
function viewOf(own: Store, home: Store): Store {
  const names = Object.keys(routes) as (keyof Repositories)[];
  return { ...own, ...Object.fromEntries(names.filter((name) => name !== 'workLeases').map((name) => {
    const fromHome = Object.entries(routes[name]).filter(([, route]) => route === 'home').map(([method]) => method);
    const atHome = home[name] as unknown as AnyRepository;
    return [name, { ...own[name], ...Object.fromEntries(fromHome.map((method) => [method, atHome[method]])) }];
  })) };
}

async function awayWhy(cell: StoreCell): Promise<string | null> {
  try {
    await (await cell.store()).settings.revision();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

type AnyMethod = (...given: unknown[]) => unknown;
type AnyRepository = Readonly<Record<string, AnyMethod>>;

function repositoryOf(reach: CellReach, name: keyof Repositories): AnyRepository {
  const own = reach.home[name] as unknown as AnyRepository;
  const routed = routes[name] as unknown as Readonly<Record<string, CellRoute | ((reach: CellReach, ...given: unknown[]) => unknown)>>;
  const methodOf = (method: string, store: Store): AnyMethod => (store[name] as unknown as AnyRepository)[method]!;
  return Object.fromEntries(Object.entries(routed).map(([method, route]): [string, AnyMethod] => {
    const atHome: AnyMethod = (...given) => own[method]!(...given);
    if (route === 'home' || route === 'each') return [method, atHome];
    const elsewhere: AnyMethod = typeof route === 'function' ? (...given) => route(reach, ...given)
      : routedBy(route, reach, (store) => methodOf(method, store));
    return [method, (...given) => (reach.cells.several ? elsewhere(...given) : atHome(...given))];
  }));
}

/** `of`: the method on a store. */
function routedBy(route: Exclude<CellRoute, 'home' | 'each'>, reach: CellReach, of: (store: Store) => AnyMethod): AnyMethod {
  const known: AnyMethod = (...given) => reach.firstKnown(async (store) => of(store)(...given));
  const organizationIn = (given: unknown): string => (given as { readonly organization: string }).organization;
  const at = async (organization: string, given: readonly unknown[]): Promise<unknown> => of(await reach.of(organization))(...given);
  switch (route) {
    case 'first': return (...given) => at(given[0] as string, given);
    case 'field': return (...given) => at(organizationIn(given[0]), given);
    case 'list': return async (...given) => {
      const [first] = given[0] as readonly unknown[];
      return first === undefined ? of(reach.home)(...given) : at(organizationIn(first), given);
    };
    case 'known': return known;
    case 'stream': return async function* (...given) {
      yield* of(await reach.of(organizationIn(given[0])))(...given) as AsyncGenerator<unknown>;
    };
    default: return (...given) => {
      const within = given[route.within] as string | undefined;
      return within === undefined ? known(...given) : at(within, given);
    };
  }
}
