/** Rows of work that goes on after its answer: read under the lock of their transaction, changed in memory, written back. */
import type { Selectable } from 'kysely';
import { onBoth } from '../../engine/texts.ts';
import type { DeferredWorkTable } from '../../schema/work-schema.ts';
import type { Send } from '../../engine/send.ts';

/** Whose work, and the provider's id of it. */
export interface WorkName {
  readonly organization: string;
  readonly wire: string;
  readonly work: string;
}

/** As in the table. */
export interface Work extends WorkName {
  readonly partOf: string | null;
  readonly beganBy: string | null;
  readonly beganMs: number;
  readonly path: string | null;
  readonly settledBy: string | null;
  readonly settledNumber: number | null;
}

type Row = Pick<Selectable<DeferredWorkTable>, 'part_of' | 'began_by' | 'began_ms' | 'path' | 'settled_by' | 'settled_number'>;

function workNameText({ organization, wire, work }: WorkName): string {
  return `${organization} ${wire} ${work}`;
}

const select = onBoth(`select part_of, began_by, began_ms, path, settled_by, settled_number from deferred_work
  where organization = $1 and wire = $2 and work = $3`);
const latest = 'select coalesce(max(settled_number), 0) as latest from deferred_work';
const write = onBoth(`insert into deferred_work (organization, wire, work, part_of, began_by, began_ms, path, settled_by, settled_number, looks)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)
  on conflict (organization, wire, work) do update set part_of = excluded.part_of, began_by = excluded.began_by, began_ms = excluded.began_ms,
    path = excluded.path, settled_by = excluded.settled_by, settled_number = excluded.settled_number`);

/** The works of one transaction. */
export class Works {
  readonly #kind: 'sqlite' | 'postgres';
  readonly #send: Send;
  readonly #known = new Map<string, Work | null>();
  readonly #changed = new Set<string>();
  #latest: number | null = null;

  constructor(kind: 'sqlite' | 'postgres', send: Send) {
    this.#kind = kind;
    this.#send = send;
  }

  /** Null: nothing is known of it. */
  async find(name: WorkName): Promise<Work | null> {
    const text = workNameText(name);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const [row] = await this.#send<Row>(select[this.#kind], [name.organization, name.wire, name.work]);
    const { organization, wire, work } = name;
    const found = row === undefined ? null : {
      organization, wire, work, partOf: row.part_of, beganBy: row.began_by, beganMs: Number(row.began_ms), path: row.path,
      settledBy: row.settled_by, settledNumber: row.settled_number === null ? null : Number(row.settled_number),
    };
    this.#known.set(text, found);
    return found;
  }

  set(work: Work): void {
    const text = workNameText(work);
    this.#known.set(text, work);
    this.#changed.add(text);
  }

  /** The number of the next settlement. */
  async nextNumber(): Promise<number> {
    this.#latest ??= Number((await this.#send<{ readonly latest: bigint | number }>(latest))[0]!.latest);
    return this.#latest += 1;
  }

  /** Sends all that was changed. */
  write(send: Send): void {
    for (const text of [...this.#changed].sort()) {
      const { organization, wire, work, partOf, beganBy, beganMs, path, settledBy, settledNumber } = this.#known.get(text)!;
      void send(write[this.#kind], [organization, wire, work, partOf, beganBy, beganMs, path, settledBy, settledNumber]);
    }
  }
}
