/** What calls cost, by the team that pays: the weights by which more is divided among teams. */
import { figureIn, type WholeFigure } from '../../report/usage-sum.ts';

/** By team, in the order of the alphabet; nano-dollars, or any other weights. */
export type Weighted = readonly (readonly [team: string | null, weight: bigint])[];

/** Unallocated comes last. */
export function byTeam(one: string | null, other: string | null): number {
  return one === other ? 0 : one === null ? 1 : other === null ? -1 : one < other ? -1 : 1;
}

/** Costs that are added up one by one. */
export class TeamCosts {
  readonly #costs = new Map<string | null, bigint>();
  #weights: Weighted | null = null;

  add(team: string | null, cost: bigint): void {
    this.#costs.set(team, (this.#costs.get(team) ?? 0n) + cost);
    this.#weights = null;
  }

  /** Adds those costs; gives how many teams they are of. */
  addAll(other: TeamCosts): number {
    for (const [team, cost] of other.#costs) this.add(team, cost);
    return other.#costs.size;
  }

  weights(): Weighted {
    return this.#weights ??= [...this.#costs].toSorted(([one], [other]) => byTeam(one, other));
  }

  /** Whether any team has a cost above 0, so that it can be divided by. */
  get divides(): boolean {
    return this.weights().some(([, cost]) => cost > 0n);
  }
}

/** The costs of all of these together. */
export function costsOf(parts: readonly { readonly team: string | null; readonly figures: readonly WholeFigure[] }[]): Weighted {
  const costs = new TeamCosts();
  for (const { team, figures } of parts) costs.add(team, figureIn(figures, 'cost'));
  return costs.weights();
}
