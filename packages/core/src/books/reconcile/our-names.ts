/** The models of a bill → those of records. Each name of the bill is one of these, a model without calls here, or not known at all. */
import type { BillLine } from './bill.ts';
import { itemOf, type BillItem } from './bill-items.ts';
import { isListedFamily, isPlainId, modelNameOf } from './model-names.ts';
import { OurFamilies } from './our-families.ts';

/** What a name of the bill stands for. */
export interface Meant {
  /** The same for all names of one model, on both sides. Null: an item, or not known. */
  readonly model: string | null;
  readonly item: BillItem | null;
}

export class OurNames {
  /** By the bill's name. */
  readonly #meant = new Map<string, Meant>();
  /** By our model: the name under which both sides are compared. */
  readonly #ours = new Map<string, string>();

  constructor(lines: readonly BillLine[], ourModels: ReadonlySet<string>) {
    const names = [...new Set(lines.flatMap(({ name, item }) => (item === null && name !== null ? [name] : [])))];
    const byLower = new Map([...ourModels].map((model) => [model.toLowerCase(), model]));
    const families = new OurFamilies(ourModels);
    const others: string[] = [];
    for (const name of names) {
      const exact = byLower.get(name.toLowerCase());
      if (exact === undefined) others.push(name);
      else this.#claim(name, [exact]);
    }
    for (const name of others) this.#meantByFamily(name, families);
  }

  meantBy(name: string): Meant {
    return this.#meant.get(name)!;
  }

  /** The name under which a model of ours is compared. */
  modelOf(model: string): string {
    return this.#ours.get(model) ?? model;
  }

  #meantByFamily(name: string, families: OurFamilies): void {
    const parsed = modelNameOf(name);
    const fitting = families.claim(parsed, (model) => !this.#ours.has(model));
    if (fitting !== null && fitting.free.length > 0) return this.#claim(name, fitting.free);
    if (fitting !== null) {
      this.#meant.set(name, { model: this.#ours.get(fitting.first)!, item: null });
      return;
    }
    // A model that is known, of which there are no calls here.
    if (isListedFamily(parsed.family)) {
      this.#meant.set(name, { model: name, item: null });
      return;
    }
    const item = itemOf(name);
    this.#meant.set(name, item === null && isPlainId(name) ? { model: name, item: null } : { model: null, item });
  }

  #claim(name: string, models: readonly string[]): void {
    const model = models.length === 1 ? models[0]! : name;
    for (const each of models) this.#ours.set(each, model);
    this.#meant.set(name, { model, item: null });
  }
}
