/**
 * By which calls a correction is divided: those of the same model and provider; where they have no cost, those of the models that the name can mean,
 * since a bill may have one name for several; then those of the provider; then all. docs/allocation.md.
 */
import { figureIn, type WholeFigure } from '../../report/usage-sum.ts';
import { isSameModel, modelNameOf, type ModelName } from '../reconcile/model-names.ts';
import type { Slices, Slicewise } from '../slices.ts';
import { TeamCosts, type Weighted } from './team-costs.ts';

/** What a team pays of calls of one model. */
interface PaidCalls {
  readonly team: string | null;
  readonly wire: string;
  readonly model: string;
  readonly figures: readonly WholeFigure[];
}

interface ModelCosts {
  readonly name: ModelName;
  readonly costs: TeamCosts;
}

const nobodys: Weighted = [[null, 1n]];
/** Reading a name takes as long as so many other steps. */
const nameSteps = 10;

export class CorrectionShares {
  readonly #slices: Slices;
  readonly #all = new TeamCosts();
  readonly #byWire = new Map<string, TeamCosts>();
  readonly #byModel = new Map<string, { readonly wire: string; readonly model: string; readonly costs: TeamCosts }>();
  /** By provider and family; null: no correction has needed it yet. */
  #byFamily: ReadonlyMap<string, readonly ModelCosts[]> | null = null;
  readonly #ofNames = new Map<string, TeamCosts>();

  private constructor(slices: Slices) {
    this.#slices = slices;
  }

  /** Of what teams pay. */
  static *of(parts: readonly PaidCalls[], slices: Slices): Slicewise<CorrectionShares> {
    const shares = new CorrectionShares(slices);
    for (const part of parts) {
      shares.#add(part);
      if (slices.isOver(1)) yield;
    }
    return shares;
  }

  /** The weights for a correction of this model; empty: none is named. */
  *weightsFor(wire: string, model: string): Slicewise<Weighted> {
    const exact = this.#byModel.get(JSON.stringify([wire, model]))?.costs;
    if (exact?.divides === true) return exact.weights();
    const near = model === '' ? null : yield* this.#meantBy(wire, modelNameOf(model));
    return [near, this.#byWire.get(wire), this.#all].find((costs) => costs?.divides)?.weights() ?? nobodys;
  }

  #add({ team, wire, model, figures }: PaidCalls): void {
    const cost = figureIn(figures, 'cost');
    const name = JSON.stringify([wire, model]);
    let known = this.#byModel.get(name);
    if (known === undefined) this.#byModel.set(name, known = { wire, model, costs: new TeamCosts() });
    let ofWire = this.#byWire.get(wire);
    if (ofWire === undefined) this.#byWire.set(wire, ofWire = new TeamCosts());
    for (const costs of [known.costs, ofWire, this.#all]) costs.add(team, cost);
  }

  /** The costs of all models that the name can mean. */
  *#meantBy(wire: string, name: ModelName): Slicewise<TeamCosts> {
    const asked = JSON.stringify([wire, name.family, name.release]);
    const known = this.#ofNames.get(asked);
    if (known !== undefined) return known;
    this.#byFamily ??= yield* this.#families();
    const found = new TeamCosts();
    for (const model of this.#byFamily.get(JSON.stringify([wire, name.family])) ?? []) {
      if (this.#slices.isOver(isSameModel(model.name, name) ? found.addAll(model.costs) : 1)) yield;
    }
    this.#ofNames.set(asked, found);
    return found;
  }

  *#families(): Slicewise<ReadonlyMap<string, readonly ModelCosts[]>> {
    const families = new Map<string, ModelCosts[]>();
    for (const { wire, model, costs } of this.#byModel.values()) {
      const name = modelNameOf(model);
      const key = JSON.stringify([wire, name.family]);
      const family = families.get(key);
      if (family === undefined) families.set(key, [{ name, costs }]);
      else family.push({ name, costs });
      if (this.#slices.isOver(nameSteps)) yield;
    }
    return families;
  }
}
