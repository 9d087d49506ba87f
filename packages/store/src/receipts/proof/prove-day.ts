/**
 * One day of an organization, compared with its records. Batches may commit between the reading of sums and of records, and on PostgreSQL behind a
 * number that was read: so a difference counts only if a second look, some time later, finds exactly the same.
 */
import type { Engine } from '../../engine/engine.ts';
import { derivedDay, provedPlaceName, storedDay, type Day, type ProvedSum, type ProvedSums } from './day-sums.ts';

/** A sum that is not that of its records. */
export interface SumDifference {
  readonly kept: ProvedSum;
  readonly derived: ProvedSum;
}

export interface Looking {
  /** Awaited after each slice; false ends the look. */
  readonly between: () => Promise<boolean>;
  /** Lets what is under way commit. */
  readonly later: () => Promise<unknown>;
}

/** Null: the look was ended. */
export async function proveDay(engine: Engine, day: Day, { between, later }: Looking): Promise<readonly SumDifference[] | null> {
  const first = await lookAt(engine, day, between);
  if (first === null || first.length === 0) return first;
  await later();
  const second = await lookAt(engine, day, between);
  if (second === null) return null;
  const same = new Set(first.map(textOf));
  return second.filter((difference) => same.has(textOf(difference)));
}

async function lookAt(engine: Engine, day: Day, between: Looking['between']): Promise<readonly SumDifference[] | null> {
  const { sums, ...records } = await storedDay(engine, day);
  const derived = await derivedDay(engine, { ...day, ...records }, between);
  return derived === null ? null : differencesOf(sums, derived);
}

function differencesOf(kept: ProvedSums, derived: ProvedSums): SumDifference[] {
  const differences: SumDifference[] = [];
  for (const name of new Set([...kept.keys(), ...derived.keys()])) {
    const [one, other] = [kept.get(name), derived.get(name)];
    const nothing = (like: ProvedSum): ProvedSum => ({ ...like, figures: like.figures.map(() => 0n), hours: null });
    const difference = { kept: one ?? nothing(other!), derived: other ?? nothing(one!) };
    if (difference.kept.figures.some((figure, index) => figure !== difference.derived.figures[index])) differences.push(difference);
  }
  return differences;
}

function textOf({ kept, derived }: SumDifference): string {
  return `${provedPlaceName(kept)} ${kept.figures.join()} ${derived.figures.join()}`;
}
