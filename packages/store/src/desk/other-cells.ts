/**
 * The cells besides the default one, as a node serves them (decision 210). Each is brought up by itself and again after it was away; until then its
 * questions are answered `failed`, and its rows wait in the journal. What the gateway thread asks goes to the cell of its organization.
 */
import type { OpenCells } from '../operation/cells/cells.ts';
import type { StoreCell } from '../operation/cells/one-store.ts';
import { homeCell, type OrganizationPlace } from '../operation/cells/directory.ts';
import type { CallSink } from '../journal/call-sink.ts';
import type { Store } from '../store.ts';
import type { CellDesks } from './cell-desks.ts';
import type { CellJournal } from './cell-journal.ts';
import type { FromStore, ToStore } from './protocol.ts';
import type { Repeat } from './repeat.ts';
import type { Shipping } from './shipping.ts';
import { together } from './together.ts';

interface OtherCellsOptions {
  readonly cells: OpenCells;
  /** The desks of the default cell, once they are there. */
  readonly home: () => CellDesks;
  /** The journal's part of a cell. */
  readonly journalOf: (cell: StoreCell, sink: CallSink) => CellJournal;
  /** Ships it from now on. */
  readonly ship: (cell: StoreCell, journal: CellJournal) => Shipping;
  /** Begins in a cell that answers: this node is known there, and its desks work. */
  readonly begin: (cell: StoreCell, store: Store, journal: CellJournal) => Promise<CellDesks>;
  readonly post: (message: FromStore) => void;
  /** Repeats a task, and reports when it begins to fail and works again. */
  readonly told: (task: () => Promise<unknown>, pauseMs: number) => Repeat;
}

export interface OtherCell {
  readonly cell: StoreCell;
  readonly journal: CellJournal;
  /** Null: the journal is not recovered yet. */
  shipping: Shipping | null;
  /** Null: it was away since this process began. */
  desks: CellDesks | null;
  /** Under way; null: it is there, or is not being tried. */
  bringing: Promise<void> | null;
  /** Ends once it is there. */
  trying: Repeat | null;
}

type Question = Extract<ToStore, { readonly kind: 'ask' }>;

const tryPauseMs = 1_000;
/** Hashes of one question to the directory. */
const keysAtOnce = 200;

export class OtherCells {
  readonly #options: OtherCellsOptions;
  /** The places of all organizations that have one, except those that were made after the last look. */
  readonly #places = new Map<string, number>();
  /** Organizations in which something was changed: they may be new. Null: the next look is the first one, at all. */
  #changed: Set<string> | null = null;
  readonly #others = new Map<number, OtherCell>();
  readonly #ask: (message: Question) => Promise<void>;
  /** The journal is recovered. */
  #begun = false;

  constructor(options: OtherCellsOptions) {
    this.#options = options;
    this.#ask = together<Question>(keysAtOnce, (asked) => this.#askTogether(asked));
  }

  /** The cell of an organization; the default cell's number if it has no place. */
  cellOf(organization: string): number {
    return this.#places.get(organization) ?? homeCell;
  }

  /** An organization of which this process holds something is in that cell: what it spends goes there. */
  note({ organization, cell }: Omit<OrganizationPlace, 'ready'>): void {
    this.#places.set(organization, cell);
  }

  /** Learns of the cells and places that there are now. @throws StoreFault */
  async look(): Promise<void> {
    const { cells } = this.#options;
    await cells.look();
    if (!cells.several) return;
    const changed = this.#changed;
    for (const place of await (changed === null ? cells.directory.places() : cells.directory.placesOf([...changed]))) this.note(place);
    if (this.#changed === changed) this.#changed = new Set();
    for (const cell of cells.all) if (cell.number !== homeCell && !this.#others.has(cell.number)) this.#add(cell);
  }

  /** The journal is recovered: ships it, and tries each cell once; those that are away are tried again until they are there. */
  async begin(): Promise<void> {
    this.#begun = true;
    for (const other of this.#others.values()) this.#startShipping(other);
    await Promise.all(this.all.map((other) => this.#bringUp(other).catch(() => this.#keepTrying(other))));
  }

  hear(message: ToStore): void {
    const { cells, home } = this.#options;
    if (!cells.several) return home().hear(message);
    switch (message.kind) {
      case 'ask': return void this.#ask(message);
      case 'open_run': return this.#hearAt(this.cellOf(message.run.organization), message);
      case 'confirm_run': return this.#hearAt(this.cellOf(message.organization), message);
      case 'claim': return this.#hearAt(message.claims.length === 0 ? homeCell : this.cellOf(message.claims[0]!.subject.organization), message);
      case 'refusals': {
        for (const [cell, counts] of Map.groupBy(message.counts, ({ organization }) => this.cellOf(organization))) {
          this.#hearAt(cell, { ...message, counts, entries: message.entries.filter(({ organization }) => this.cellOf(organization) === cell) });
        }
        return;
      }
      case 'nudge': for (const { shipping } of this.#others.values()) shipping?.look(null);
        return;
      case 'ship_now': this.#others.get(message.cell)?.shipping?.look(0);
    }
  }

  /** Somebody changed something. */
  nudge(what: 'runs' | 'settings'): void {
    for (const { desks } of this.#others.values()) desks?.nudge(what);
  }

  /** Something was changed in the directory's cell, in these organizations: perhaps there is a new cell, or one has a place now. */
  async lookAndTry(changed: readonly string[] = []): Promise<void> {
    // If a look fails, the next one looks these up.
    if (this.#changed !== null) this.#changed = new Set([...this.#changed, ...changed]);
    await this.look();
    if (this.#begun) for (const other of this.#others.values()) if (other.desks === null) this.#keepTrying(other);
  }

  /** How many do not answer, or did not yet. */
  get away(): number {
    return this.all.filter(({ desks }) => desks === null || !desks.answers).length;
  }

  get all(): readonly OtherCell[] {
    return [...this.#others.values()];
  }

  #add(cell: StoreCell): void {
    const other: OtherCell = {
      cell, journal: this.#options.journalOf(cell, sinkOf(cell)), shipping: null, desks: null, bringing: null, trying: null,
    };
    this.#others.set(cell.number, other);
    if (this.#begun) this.#startShipping(other);
  }

  #startShipping(other: OtherCell): void {
    other.shipping ??= this.#options.ship(other.cell, other.journal);
  }

  #bringUp(other: OtherCell): Promise<void> {
    if (other.desks === null) other.bringing ??= this.#begin(other).finally(() => { other.bringing = null; });
    return other.bringing ?? Promise.resolve();
  }

  async #begin(other: OtherCell): Promise<void> {
    const { cell, journal } = other;
    other.desks = await this.#options.begin(cell, await cell.store(), journal);
  }

  /** Until it succeeds; the first failure is reported. */
  #keepTrying(other: OtherCell): void {
    other.trying ??= this.#options.told(async () => {
      await this.#bringUp(other);
      // Not awaited: this is the run that it waits for.
      void other.trying?.stop();
    }, tryPauseMs);
  }

  #hearAt(cell: number, message: ToStore): void {
    const desks = cell === homeCell ? this.#options.home() : this.#others.get(cell)?.desks ?? null;
    if (desks !== null) return desks.hear(message);
    if ('number' in message) this.#fail(message.number);
  }

  async #askTogether(asked: readonly Question[]): Promise<void> {
    try {
      const found = await this.#options.cells.directory.placesOfKeys(asked.map(({ hash }) => hash));
      for (const place of found.values()) {
        this.note(place);
        if (place.cell !== homeCell && !this.#others.has(place.cell)) await this.lookAndTry();
      }
      for (const message of asked) this.#hearAt(found.get(message.hash)?.cell ?? homeCell, message);
    } catch {
      for (const { number } of asked) this.#fail(number);
    }
  }

  #fail(number: number): void {
    this.#options.post({ kind: 'failed', number });
  }
}

/** The cell's own sink, whenever it is there. */
function sinkOf(cell: StoreCell): CallSink {
  return {
    ship: async (batch) => (await cell.store()).calls.ship(batch),
    mark: async (...given) => (await cell.store()).calls.mark(...given),
    recorded: async (openings) => (await cell.store()).calls.recorded(openings),
  };
}

/** No segment has as many rows. */
const beyondAnyRow = 2 ** 32;

/**
 * What recovery asks where a segment may be in several cells: how far any of them has it, and what any has a record of. A cell that is away may have
 * more than the file only if the machine lost power since; what is closed in the file is then numbered above anything that it can have.
 */
export function knownInAll(cells: OpenCells): Pick<CallSink, 'mark' | 'recorded'> {
  const asked = <Answer>(ask: (store: Store) => Promise<Answer>, away: Answer): Promise<Answer[]> => Promise.all(cells.all.map(async (cell) => {
    const answer = cell.store().then(ask);
    return cell === cells.home ? answer : answer.catch(() => away);
  }));
  return {
    mark: async (...given) => Math.max(...await asked((store) => store.calls.mark(...given), beyondAnyRow)),
    async recorded(openings) {
      const found = await asked((store) => store.calls.recorded(openings), new Set<string>());
      return new Set(found.flatMap((each) => [...each]));
    },
  };
}
