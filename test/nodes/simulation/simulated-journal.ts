/**
 * The journal of one simulated process: rows that outlive it, and their way to the store, batch by batch, from the mark that
 * the store has. After any doubt the mark is asked for again, so that a batch sent twice changes nothing.
 */
import type { JournalRow, SimulatedCall } from './rows.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { World } from './world.ts';

type Unnumbered<Row> = Row extends JournalRow ? Omit<Row, 'seq'> : never;

const batchRows = 40;
/** After so long without an answer the mark is asked for. */
const lateMs = 1_000;

export class SimulatedJournal {
  readonly segment: string;
  readonly rows: JournalRow[] = [];
  readonly #world: World;
  readonly #node: SimulatedNode;
  #mark = 0;
  #markKnown = true;
  #shipping = false;

  constructor(world: World, node: SimulatedNode) {
    this.#world = world;
    this.#node = node;
    this.segment = `seg_${node.name}`;
  }

  get shippedAll(): boolean {
    return this.#mark >= this.rows.length && this.#markKnown;
  }

  write(row: Unnumbered<JournalRow>): void {
    this.rows.push({ seq: this.rows.length + 1, ...row } as JournalRow);
  }

  opened(): SimulatedCall[] {
    return this.rows.flatMap((row) => row.kind === 'opened' ? [row.call] : []);
  }

  ship(): void {
    const world = this.#world;
    if (this.#shipping || !this.#node.alive || this.#node.frozen) return;
    this.#shipping = true;
    const ended = (): void => { this.#shipping = false; };
    if (!this.#markKnown) {
      world.send(this.#node, () => world.store.mark(this.segment), (mark) => {
        this.#mark = mark;
        this.#markKnown = true;
        ended();
      }, { failed: ended, lateMs });
      return;
    }
    const through = Math.min(this.rows.length, this.#mark + batchRows);
    if (through === this.#mark) return ended();
    const rows = this.rows.slice(this.#mark, through);
    const keep = (): void => world.store.ship(this.segment, through, rows, world.scheduler.nowMs);
    if (world.chance.happens(world.rough.shipTwice)) world.send(this.#node, keep, () => {}, { failed: () => {}, lateMs });
    world.send(this.#node, keep, () => {
      this.#mark = through;
      ended();
    }, { lateMs, failed: () => {
      this.#markKnown = false;
      ended();
    } });
  }
}
