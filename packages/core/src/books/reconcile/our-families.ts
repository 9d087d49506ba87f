/**
 * Our models by family and release, so that a name of a bill finds those it can mean without going through all of them: a bill may have twenty
 * thousand names, and an organization thousands of models of one family.
 */
import { modelNameOf, type ModelName } from './model-names.ts';

/** Models that the same names can mean. */
interface Release {
  /** Its place among all models. */
  readonly place: number;
  readonly first: string;
  /** Not claimed by a name yet, as far as is known. */
  free: string[];
}

interface Family {
  /** By release; empty text: none is given. */
  readonly releases: Map<string, Release>;
  /** Releases by their last four digits, month and day. */
  readonly byDay: Map<string, string[]>;
  /** All of it is claimed, after a name without a release. */
  isClaimed: boolean;
}

/** The models that a name can mean: those that no name claimed before, and the first of all. */
interface Fitting {
  readonly first: string;
  readonly free: readonly string[];
}

export class OurFamilies {
  readonly #families = new Map<string, Family>();
  /** Models and releases that were looked at; for tests. */
  steps = 0;

  constructor(models: Iterable<string>) {
    let place = 0;
    for (const model of models) this.#add(model, modelNameOf(model), place++);
  }

  /**
   * Those that `isSameModel` holds for. Each free model is given once, for the caller to claim. Null: none fits. `isFree`: no name claimed it.
   */
  claim({ family: name, release }: ModelName, isFree: (model: string) => boolean): Fitting | null {
    const family = this.#families.get(name);
    if (family === undefined) return null;
    const fitting = this.#fitting(family, release);
    if (fitting.length === 0) return null;
    const free = fitting.flatMap((each) => {
      const left = each.free.filter(isFree);
      this.steps += 1 + each.free.length;
      each.free = [];
      return left;
    });
    if (release === null) family.isClaimed = true;
    return { free, first: fitting.reduce((one, other) => (other.place < one.place ? other : one)).first };
  }

  /** All that a name of this release can mean: at most a year's day of each year, and what gives none. */
  #fitting({ releases, byDay, isClaimed }: Family, release: string | null): readonly Release[] {
    if (release === null) return isClaimed ? [releases.values().next().value!] : [...releases.values()];
    const same = release.length > 4 ? [release, release.slice(-4)] : byDay.get(release) ?? [];
    return ['', ...same].map((each) => releases.get(each)).filter((each) => each !== undefined);
  }

  #add(model: string, { family: name, release }: ModelName, place: number): void {
    let family = this.#families.get(name);
    if (family === undefined) this.#families.set(name, family = { releases: new Map(), byDay: new Map(), isClaimed: false });
    const known = family.releases.get(release ?? '');
    if (known !== undefined) {
      known.free.push(model);
      return;
    }
    family.releases.set(release ?? '', { place, first: model, free: [model] });
    if (release === null) return;
    const day = family.byDay.get(release.slice(-4));
    if (day === undefined) family.byDay.set(release.slice(-4), [release]);
    else day.push(release);
  }
}
