/**
 * The cells of one store: opens each when it is first asked for, again after it was away, and says in which one an organization or a key is.
 * An organization never moves between cells, so a place that was found once is true for good. Decision 210.
 */
import type { StoreCell, Store } from './one-store.ts';
import { StoreFault } from '../../engine/fault.ts';
import { directoryLookMs, homeCell, homeName, type OrganizationPlace, type StoredCell } from './directory.ts';

interface CellsOptions {
  readonly home: Store;
  /** Opens the store of one cell. */
  readonly open: (cell: StoredCell) => Promise<Store>;
  /** Milliseconds that never go back. */
  readonly monotonicMs?: () => number;
}

/** Places that are remembered; beyond that the oldest is asked for again. */
const placesMax = 100_000;

export class OpenCells {
  readonly home: StoreCell;
  readonly directory: Store['directory'];
  readonly #open: CellsOptions['open'];
  readonly #opened = new Map<number, Promise<Store>>();
  /** Of organizations that were asked for. */
  readonly #places = new Map<string, number>();
  /** By number; the default cell first. */
  #all: readonly StoreCell[];
  #listed: readonly StoredCell[] = [];

  readonly #monotonicMs: () => number;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor({ home, open, monotonicMs = () => performance.now() }: CellsOptions) {
    this.home = { number: homeCell, name: homeName, store: async () => home };
    this.directory = home.directory;
    this.#open = open;
    this.#monotonicMs = monotonicMs;
    this.#all = [this.home];
  }

  /** Reads the list of cells. */
  async look(): Promise<void> {
    this.#lookedMs = this.#monotonicMs();
    const listed = await this.directory.cells();
    const known = new Map(this.#all.map((cell) => [cell.number, cell]));
    this.#listed = listed;
    this.#all = [this.home, ...listed.filter(({ number }) => number !== homeCell).map((cell) => known.get(cell.number) ?? this.#cell(cell))];
  }

  /** Whether there are others than the default cell. */
  get several(): boolean {
    return this.#all.length > 1;
  }

  get all(): readonly StoreCell[] {
    return this.#all;
  }

  get listed(): readonly StoredCell[] {
    return this.#listed;
  }

  /** The cell of an organization; the default cell for one that does not exist. @throws StoreFault if the directory cannot be asked. */
  async of(organization: string): Promise<StoreCell> {
    if (!await this.#areSeveral()) return this.home;
    const known = this.#places.get(organization);
    if (known !== undefined) return this.#numbered(known);
    const [place] = await this.directory.placesOf([organization]);
    // What does not exist yet may get a place.
    return place === undefined ? this.home : this.noted(place);
  }

  /** The cells of keys, by hash; those that are left out are in the default cell, or unknown. */
  async ofKeys(hashes: readonly string[]): Promise<ReadonlyMap<string, StoreCell>> {
    if (!await this.#areSeveral()) return new Map();
    const places = await this.directory.placesOfKeys(hashes);
    return new Map(await Promise.all([...places].map(async ([hash, place]) => [hash, await this.noted(place)] as const)));
  }

  async ofKey(hash: string): Promise<StoreCell> {
    return (await this.ofKeys([hash])).get(hash) ?? this.home;
  }

  /** The cell of an organization that was placed; a cell that this process does not know yet is looked up. */
  async noted({ organization, cell }: OrganizationPlace): Promise<StoreCell> {
    if (!this.#places.has(organization)) {
      if (this.#places.size >= placesMax) this.#places.delete(this.#places.keys().next().value!);
      this.#places.set(organization, cell);
    }
    return this.#numbered(cell);
  }

  async close(): Promise<void> {
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.all(opened.map((store) => store.then((each) => each.close(), () => {})));
  }

  /** A process that keeps no house, such as a report thread, learns of the first cell when it asks; of later ones it learns by their numbers. */
  async #areSeveral(): Promise<boolean> {
    if (!this.several && this.#monotonicMs() - this.#lookedMs >= directoryLookMs) await this.look();
    return this.several;
  }

  async #numbered(number: number): Promise<StoreCell> {
    const find = (): StoreCell | undefined => this.#all.find((cell) => cell.number === number);
    if (find() === undefined) await this.look();
    const found = find();
    // The default cell would answer that it knows nothing of the organization.
    if (found === undefined) throw new StoreFault('store_unreadable', `The directory names cell ${number}, and does not list it.`);
    return found;
  }

  #cell(cell: StoredCell): StoreCell {
    const { number, name } = cell;
    return {
      number, name,
      store: () => {
        const known = this.#opened.get(number);
        if (known !== undefined) return known;
        const opening = this.#open(cell);
        this.#opened.set(number, opening);
        // One that was away is tried again by whoever asks next.
        opening.catch(() => void this.#opened.delete(number));
        return opening;
      },
    };
  }
}
