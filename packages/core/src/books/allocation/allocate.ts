/**
 * A month's lines and the rules → what each team pays. All figures are split by largest remainders, so they add up to those of the month, to the
 * nano-dollar. docs/allocation.md.
 */
import { addUsage, figureIn, noUsage, usageFigureNames, type UsageFigures, type WholeFigure } from '../../report/usage-sum.ts';
import type { CallsLine } from '../month/month-sums.ts';
import { divideByWeights, roundSum } from './round-together.ts';
import { decide, type AllocationRules, type Decision, type OwnerOf } from './rules.ts';

/** An amount that bills or other prices add to calls of a model. Nano-dollars. */
export interface AllocatedCorrection {
  /** Empty: none is named. */
  readonly model: string;
  readonly wire: string;
  readonly amount: bigint;
}

export interface MonthToAllocate {
  readonly calls: readonly CallsLine[];
  readonly corrections: readonly AllocatedCorrection[];
  /** Calls of months that were closed without them. */
  readonly late: readonly CallsLine[];
  /** Corrections of such a month, with the calls by which they are divided: its own. */
  readonly lateCorrections: readonly { readonly calls: readonly CallsLine[]; readonly corrections: readonly AllocatedCorrection[] }[];
}

/** Of calls of the month's own. `own`: a rule names the team. `split`: it is the team's part of what several pay. */
export interface AllocationLine {
  /** Null: unallocated. */
  readonly team: string | null;
  readonly share: 'own' | 'split';
  readonly project: string;
  readonly model: string;
  readonly figures: UsageFigures;
}

/** Money in nano-dollars. */
export interface TeamMoney {
  readonly team: string | null;
  readonly figures: UsageFigures;
  readonly correction: bigint;
  readonly late: bigint;
  readonly lateCorrection: bigint;
  /** Cost, correction, and both that came late, together. */
  readonly adjustedCost: bigint;
  readonly markup: bigint;
  /** Adjusted cost and markup together, in billionths of the currency; null: none is set. */
  readonly converted: bigint | null;
}

export interface Allocation {
  /** By team, share, project and model. */
  readonly lines: readonly AllocationLine[];
  /** By team, in the order of the alphabet; what is unallocated comes last. */
  readonly teams: readonly TeamMoney[];
}

/** Splits a month. Pure. */
export function allocate(month: MonthToAllocate, rules: AllocationRules, ownerOf: OwnerOf): Allocation {
  const own = new Shares(rules, ownerOf);
  for (const line of month.calls) own.add(line);
  const lines = own.lines();
  const sums = new Map<string | null, Mutable>();
  const sumOf = (team: string | null): Mutable => {
    const known = sums.get(team);
    if (known !== undefined) return known;
    const made = { figures: noUsage(), correction: 0n, late: 0n, lateCorrection: 0n };
    sums.set(team, made);
    return made;
  };
  for (const { team, figures } of lines) addUsage(sumOf(team).figures, figures);
  for (const { team, amount } of own.divided(month.corrections)) sumOf(team).correction += amount;
  const late = new Shares(rules, ownerOf, own);
  for (const line of month.late) late.add(line);
  for (const { team, figures } of late.lines()) sumOf(team).late += figureIn(figures, 'cost');
  for (const { calls, corrections } of month.lateCorrections) {
    const then = new Shares(rules, ownerOf);
    for (const line of calls) then.add(line);
    for (const { team, amount } of then.divided(corrections)) sumOf(team).lateCorrection += amount;
  }
  return { lines, teams: withMarkup([...sums].toSorted(([one], [other]) => byTeam(one, other)), rules) };
}

interface Mutable {
  readonly figures: UsageFigures;
  correction: bigint;
  late: bigint;
  lateCorrection: bigint;
}

function withMarkup(sums: readonly (readonly [string | null, Mutable])[], { markup, currency }: AllocationRules): TeamMoney[] {
  const costs = sums.map(([, { figures, correction, late, lateCorrection }]) => figureIn(figures, 'cost') + correction + late + lateCorrection);
  const markups = roundSum(costs.map((cost) => cost * markup), 1_000_000n);
  const converted = currency === null ? null : roundSum(costs.map((cost, index) => (cost + markups[index]!) * currency.rate), 1_000_000_000n);
  return sums.map(([team, sum], index) => ({
    team, ...sum, adjustedCost: costs[index]!, markup: markups[index]!, converted: converted?.[index] ?? null,
  }));
}

/** Unallocated comes last. */
export function byTeam(one: string | null, other: string | null): number {
  return one === other ? 0 : one === null ? 1 : other === null ? -1 : one < other ? -1 : 1;
}

interface Pool {
  readonly decision: Decision | null;
  readonly project: string;
  readonly model: string;
  readonly wire: string;
  readonly figures: UsageFigures;
}

/** What a team pays of a pool. */
interface Part extends Omit<AllocationLine, 'figures'> {
  readonly wire: string;
  readonly figures: readonly WholeFigure[];
}

type Weighted = readonly (readonly [team: string | null, weight: bigint])[];

/** Calls by who pays for them. What is split is added up before it is split, so that little is rounded. */
class Shares {
  readonly #rules: AllocationRules;
  readonly #ownerOf: OwnerOf;
  /** What each team pays for itself: of these calls, unless they came late. */
  readonly #ownShares: () => Weighted;
  readonly #pools = new Map<string, Pool>();
  /** What it comes to, once all calls are in. */
  #known: Part[] | null = null;

  constructor(rules: AllocationRules, ownerOf: OwnerOf, base?: Shares) {
    this.#rules = rules;
    this.#ownerOf = ownerOf;
    this.#ownShares = () => (base ?? this).#ownCosts();
  }

  add(line: CallsLine): void {
    const decision = decide(this.#rules, line, this.#ownerOf);
    const { project, model, wire, figures } = line;
    const words = decision === null ? null : 'team' in decision ? decision.team
      : [decision.split.kind, decision.split.kind === 'weights' ? decision.split.weights.map(([team, weight]) => [team, String(weight)]) : []];
    const name = JSON.stringify([words, project, model, wire]);
    const pool = this.#pools.get(name);
    if (pool === undefined) this.#pools.set(name, { decision, project, model, wire, figures: [...figures] });
    else addUsage(pool.figures, figures);
  }

  /** By team, share, project and model. */
  lines(): AllocationLine[] {
    const found = new Map<string, AllocationLine>();
    for (const { project, model, team, share, figures } of this.#parts()) {
      const name = JSON.stringify([team ?? 0, share, project, model]);
      const line = found.get(name);
      if (line === undefined) found.set(name, { team, share, project, model, figures: [...figures] });
      else addUsage(line.figures, figures);
    }
    return [...found.values()].toSorted((one, other) => byTeam(one.team, other.team) || byText(one, other));
  }

  /**
   * What each team gets of corrections: by its part of the calls of the same model and provider; where there are none with a cost, of the same
   * provider; then of all.
   */
  divided(corrections: readonly AllocatedCorrection[]): { readonly team: string | null; readonly amount: bigint }[] {
    if (corrections.length === 0) return [];
    const parts = this.#parts();
    const known = new Map<string, Weighted>();
    const weightsOf = (wire: string, model: string): Weighted => {
      const name = JSON.stringify([wire, model]);
      const weights = known.get(name) ?? [
        parts.filter((part) => part.wire === wire && part.model === model), parts.filter((part) => part.wire === wire), parts,
      ].map(costsOf).find((each) => each.some(([, weight]) => weight > 0n)) ?? [[null, 1n] as const];
      known.set(name, weights);
      return weights;
    };
    return corrections.flatMap(({ model, wire, amount }) => {
      const weights = weightsOf(wire, model);
      const amounts = divideByWeights(amount, weights.map(([, weight]) => weight));
      return weights.map(([team], index) => ({ team, amount: amounts[index]! }));
    });
  }

  #parts(): Part[] {
    return this.#known ??= this.#split();
  }

  #split(): Part[] {
    const ownShares = this.#ownShares();
    return [...this.#pools.values()].flatMap(({ decision, figures, ...pool }): Part[] => {
      if (decision === null) return [{ ...pool, team: null, share: 'own', figures }];
      if ('team' in decision) return [{ ...pool, team: decision.team, share: 'own', figures }];
      const weights: Weighted = decision.split.kind === 'weights' ? decision.split.weights : ownShares;
      if (!weights.some(([, weight]) => weight > 0n)) return [{ ...pool, team: null, share: 'split', figures }];
      const split = usageFigureNames.map((name) => divideByWeights(figureIn(figures, name), weights.map(([, weight]) => weight)));
      return weights.map(([team], index) => ({ ...pool, team, share: 'split' as const, figures: split.map((parts) => wholeOf(parts[index]!)) }))
        .filter((part) => part.figures.some((figure) => BigInt(figure) !== 0n));
    });
  }

  /** What each team pays for itself. */
  #ownCosts(): Weighted {
    return costsOf([...this.#pools.values()].flatMap(({ decision, figures }) =>
      decision !== null && 'team' in decision ? [{ team: decision.team, figures }] : []));
  }
}

function costsOf(parts: readonly { readonly team: string | null; readonly figures: readonly WholeFigure[] }[]): Weighted {
  const costs = new Map<string | null, bigint>();
  for (const { team, figures } of parts) costs.set(team, (costs.get(team) ?? 0n) + figureIn(figures, 'cost'));
  return [...costs].toSorted(([one], [other]) => byTeam(one, other));
}

function wholeOf(figure: bigint): WholeFigure {
  const small = Number(figure);
  return Number.isSafeInteger(small) ? small : figure;
}

function byText(one: AllocationLine, other: AllocationLine): number {
  const [a, b] = [one, other].map(({ share, project, model }) => JSON.stringify([share, project, model])) as [string, string];
  return a < b ? -1 : a > b ? 1 : 0;
}
