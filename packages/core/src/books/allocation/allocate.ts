/**
 * A month's lines and the rules → what each team pays. All figures are split by largest remainders, so they add up to those of the month, to the
 * nano-dollar. docs/allocation.md.
 */
import { addUsage, figureIn, noUsage, usageFigureNames, type UsageFigures, type WholeFigure } from '../../report/usage-sum.ts';
import type { CallsLine } from '../month/month-sums.ts';
import { CorrectionShares } from './correction-shares.ts';
import { divideByWeights, roundSum } from './round-together.ts';
import { ruleIndex, type RuleIndex } from './rule-index.ts';
import type { AllocationRules, Decision, OwnerOf } from './rules.ts';
import { byTeam, costsOf, type Weighted } from './team-costs.ts';
import { Slices, type Slicewise } from '../slices.ts';

/** An amount that bills or other prices add to calls of a model. Nano-dollars. */
interface AllocatedCorrection {
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
interface AllocationLine {
  /** Null: unallocated. */
  readonly team: string | null;
  readonly share: 'own' | 'split';
  readonly project: string;
  readonly model: string;
  readonly figures: UsageFigures;
}

/** Money in nano-dollars. */
interface TeamMoney {
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

/** The most parts that splitting may make of a month: of what is split, by rule, project, model and provider, times the teams. */
export const splitPartsMax = 100_000;

/** Splits a month. Pure. `too_many_parts`: what is split would make more than `splitPartsMax`. */
export function* allocate(month: MonthToAllocate, rules: AllocationRules, ownerOf: OwnerOf): Slicewise<Allocation | 'too_many_parts'> {
  const slices = new Slices();
  const by: SharesBy = { index: yield* ruleIndex(rules, ownerOf, slices), slices };
  const own = new Shares(by);
  yield* own.addAll(month.calls);
  const late = new Shares(by, own);
  yield* late.addAll(month.late);
  const before: { readonly shares: Shares; readonly corrections: readonly AllocatedCorrection[] }[] = [];
  for (const { calls, corrections } of month.lateCorrections) {
    const shares = new Shares(by);
    yield* shares.addAll(calls);
    before.push({ shares, corrections });
  }
  const all = [own, late, ...before.map(({ shares }) => shares)];
  if (all.reduce((sum, shares) => sum + shares.splitParts, 0) > splitPartsMax) return 'too_many_parts';
  const lines = yield* own.lines();
  const sums = new Map<string | null, Mutable>();
  const sumOf = (team: string | null): Mutable => {
    const known = sums.get(team);
    if (known !== undefined) return known;
    const made = { figures: noUsage(), correction: 0n, late: 0n, lateCorrection: 0n };
    sums.set(team, made);
    return made;
  };
  for (const { team, figures } of lines) addUsage(sumOf(team).figures, figures);
  yield* own.divide(month.corrections, (team, amount) => { sumOf(team).correction += amount; });
  for (const { team, figures } of yield* late.lines()) sumOf(team).late += figureIn(figures, 'cost');
  for (const { shares, corrections } of before) {
    yield* shares.divide(corrections, (team, amount) => { sumOf(team).lateCorrection += amount; });
  }
  return { lines, teams: withMarkup([...sums].toSorted(([one], [other]) => byTeam(one, other)), rules) };
}

interface SharesBy {
  readonly index: RuleIndex;
  readonly slices: Slices;
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

interface Pool extends Pick<CallsLine, 'project' | 'model' | 'wire' | 'figures'> {
  readonly decision: Decision | null;
}

/** What a team pays of a pool. */
interface Part extends Omit<AllocationLine, 'figures'> {
  readonly wire: string;
  readonly figures: readonly WholeFigure[];
}

type Split = Extract<Decision, { readonly split: unknown }>['split'];

/** Calls by who pays for them. What is split is added up before it is split, so that little is rounded. */
class Shares {
  readonly #index: RuleIndex;
  readonly #slices: Slices;
  /** What each team pays for itself: of these calls, unless they came late. */
  readonly #ownShares: () => Weighted;
  readonly #pools = new Map<string, Pool>();
  /** Each way to split by its number, which the names of pools have; the same weights have the same, whichever rule has them. */
  readonly #splits = new Map<object, number>();
  readonly #splitTexts = new Map<string, number>();
  /** What it comes to, once all calls are in. */
  #known: Part[] | null = null;
  #ownCosts: Weighted | null = null;

  constructor({ index, slices }: SharesBy, base?: Shares) {
    this.#index = index;
    this.#slices = slices;
    this.#ownShares = () => (base ?? this).#ownWeights();
  }

  *addAll(lines: readonly CallsLine[]): Slicewise<void> {
    for (const line of lines) {
      this.#add(line);
      if (this.#slices.isOver(1)) yield;
    }
  }

  #add(line: CallsLine): void {
    const decision = this.#index.decide(line);
    const { project, model, wire, figures } = line;
    const payer = decision === null ? null : 'team' in decision ? decision.team : this.#numberOf(decision.split);
    const name = JSON.stringify([payer, project, model, wire]);
    const pool = this.#pools.get(name);
    if (pool === undefined) this.#pools.set(name, { decision, project, model, wire, figures: [...figures] });
    else addUsage(pool.figures, figures);
  }

  #numberOf(split: Split): number {
    const known = this.#splits.get(split);
    if (known !== undefined) return known;
    const text = JSON.stringify([split.kind, split.kind === 'weights' ? split.weights.map(([team, weight]) => [team, String(weight)]) : []]);
    const number = this.#splitTexts.get(text) ?? this.#splitTexts.size;
    this.#splitTexts.set(text, number);
    this.#splits.set(split, number);
    return number;
  }

  /** How many parts splitting makes. */
  get splitParts(): number {
    let parts = 0;
    for (const { decision } of this.#pools.values()) {
      if (decision !== null && 'split' in decision) parts += this.#weightsOf(decision.split).length;
    }
    return parts;
  }

  /** By team, share, project and model. */
  *lines(): Slicewise<AllocationLine[]> {
    const byTeamName = new Map<string | null, Map<string, AllocationLine>>();
    for (const { project, model, team, share, figures } of yield* this.#parts()) {
      let found = byTeamName.get(team);
      if (found === undefined) byTeamName.set(team, found = new Map());
      const name = JSON.stringify([share, project, model]);
      const line = found.get(name);
      if (line === undefined) found.set(name, { team, share, project, model, figures: [...figures] });
      else addUsage(line.figures, figures);
      if (this.#slices.isOver(1)) yield;
    }
    const lines: AllocationLine[] = [];
    for (const [, found] of [...byTeamName].toSorted(([one], [other]) => byTeam(one, other))) {
      for (const [, line] of [...found].toSorted(([one], [other]) => (one < other ? -1 : 1))) lines.push(line);
      if (this.#slices.isOver(found.size)) yield;
    }
    return lines;
  }

  /** What each team gets of corrections: `CorrectionShares`. */
  *divide(corrections: readonly AllocatedCorrection[], give: (team: string | null, amount: bigint) => void): Slicewise<void> {
    if (corrections.length === 0) return;
    const shares = yield* CorrectionShares.of(yield* this.#parts(), this.#slices);
    for (const { model, wire, amount } of corrections) {
      const weights = yield* shares.weightsFor(wire, model);
      const amounts = divideByWeights(amount, weights.map(([, weight]) => weight));
      for (const [index, [team]] of weights.entries()) give(team, amounts[index]!);
      if (this.#slices.isOver(weights.length)) yield;
    }
  }

  *#parts(): Slicewise<Part[]> {
    return this.#known ??= yield* this.#split();
  }

  *#split(): Slicewise<Part[]> {
    const parts: Part[] = [];
    for (const { decision, figures, ...pool } of this.#pools.values()) {
      if (decision === null) parts.push({ ...pool, team: null, share: 'own', figures });
      else if ('team' in decision) parts.push({ ...pool, team: decision.team, share: 'own', figures });
      else {
        const weights = this.#weightsOf(decision.split);
        if (weights.some(([, weight]) => weight > 0n)) yield* this.#splitPool({ ...pool, figures }, weights, parts);
        else parts.push({ ...pool, team: null, share: 'split', figures });
      }
      if (this.#slices.isOver(1)) yield;
    }
    return parts;
  }

  *#splitPool({ figures, ...pool }: Omit<Pool, 'decision'>, weights: Weighted, parts: Part[]): Slicewise<void> {
    const split: (readonly bigint[])[] = [];
    for (const name of usageFigureNames) {
      split.push(divideByWeights(figureIn(figures, name), weights.map(([, weight]) => weight)));
      if (this.#slices.isOver(weights.length)) yield;
    }
    for (const [index, [team]] of weights.entries()) {
      const own = split.map((each) => wholeOf(each[index]!));
      if (own.some((figure) => BigInt(figure) !== 0n)) parts.push({ ...pool, team, share: 'split', figures: own });
    }
  }

  #weightsOf(split: Split): Weighted {
    return split.kind === 'weights' ? split.weights : this.#ownShares();
  }

  /** What each team pays for itself. */
  #ownWeights(): Weighted {
    return this.#ownCosts ??= costsOf([...this.#pools.values()].flatMap(({ decision, figures }) =>
      (decision !== null && 'team' in decision ? [{ team: decision.team, figures }] : [])));
  }
}

function wholeOf(figure: bigint): WholeFigure {
  const small = Number(figure);
  return Number.isSafeInteger(small) ? small : figure;
}
