/**
 * The exposure taken by organizations' live runs, inside one transaction: locked, read, changed, written back.
 * Rule: whoever creates, spends, tightens or ends runs locks these rows first, in the order of the organizations. So grants and releases of
 * exposure never cross, and transactions cannot deadlock.
 */
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import { onBoth, onEach, wordsFrom, wordsGiven } from '../engine/texts.ts';

interface ExposureRow {
  readonly organization: string;
  readonly taken_nano: string;
}

/** The exposure of some organizations, read under a lock that the transaction holds to its end. */
export class LockedExposure {
  readonly #taken: ReadonlyMap<string, bigint>;
  readonly #shifts = new Map<string, bigint>();

  constructor(rows: readonly ExposureRow[]) {
    this.#taken = new Map(rows.map((row) => [row.organization, BigInt(row.taken_nano)]));
  }

  /** Whole nano-dollars that live runs of the organization take now. */
  taken(organization: string): bigint {
    return this.#taken.get(organization)! + (this.#shifts.get(organization) ?? 0n);
  }

  /** `by` may be below 0. */
  shift(organization: string, by: bigint): void {
    if (by !== 0n) this.#shifts.set(organization, (this.#shifts.get(organization) ?? 0n) + by);
  }

  /** Writes everything back. Call it once, when all is decided. */
  write(engine: Engine['kind'], send: Send): void {
    for (const organization of this.#shifts.keys()) void send(write[engine], [this.taken(organization).toString(), organization]);
  }
}

const write = onBoth('update run_exposure set taken_nano = $1 where organization = $2');
const make = onEach((engine) => `insert into run_exposure (organization, taken_nano) select word, '0' from ${wordsGiven(engine)} as given
  where not exists (select 1 from erased_organization as e where e.organization = word) order by word
  on conflict (organization) do nothing`);
const lock = onEach((engine) => `select organization, taken_nano from run_exposure where organization in ${wordsGiven(engine)}
  order by organization${engine === 'postgres' ? ' for update' : ''}`);

/** Locks the rows of these organizations until the transaction ends, and makes missing ones. An erased organization has none. */
export async function lockExposure(engine: Engine['kind'], send: Send, organizations: Iterable<string>): Promise<LockedExposure> {
  const asked = [...new Set(organizations)].sort();
  if (asked.length === 0) return new LockedExposure([]);
  void send(make[engine], [wordsFrom(engine, asked)]);
  return new LockedExposure(await send<ExposureRow>(lock[engine], [wordsFrom(engine, asked)]));
}

/**
 * The next number of the feed of changed runs, its row locked until the transaction ends, so that changes commit in the order
 * of their numbers. Take it before any exposure.
 */
export async function nextRunChange(send: Send): Promise<bigint> {
  const [row] = await send<{ readonly value: bigint }>('update run_feed set value = value + 1 returning value');
  return row!.value;
}
