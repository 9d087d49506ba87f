/**
 * Which rule takes calls, found without going through the rules: names and beginnings are looked up, and what they say is a bit for each rule. So a
 * month takes time by its lines and by the names of the rules, not by one times the other.
 */
import { teamIn, type Allocated, type AllocationRule, type AllocationRules, type AllocationTarget, type Decision, type OwnerOf } from './rules.ts';

/** A bit for each rule. */
type Bits = Uint32Array;

/** Values whose bits are remembered, of each dimension. */
const rememberedMax = 10_000;

export class RuleIndex {
  readonly #rules: readonly AllocationRule[];
  readonly #rest: AllocationRules['rest'];
  readonly #ownerOf: OwnerOf;
  readonly #keys: Names;
  readonly #people: Names;
  readonly #projects: Names;
  readonly #models: Names;
  readonly #labels: Names;
  /** Beginnings of labels that name teams. */
  readonly #teams: Names;
  readonly #byKey = new Map<string, Bits>();

  constructor({ rules, rest }: AllocationRules, ownerOf: OwnerOf) {
    this.#rules = rules;
    this.#rest = rest;
    this.#ownerOf = ownerOf;
    this.#keys = new Names(rules.map(({ keys }) => keys));
    this.#people = new Names(rules.map(({ people }) => people));
    this.#projects = new Names(rules.map(({ projects }) => projects));
    this.#models = new Names(rules.map(({ models }) => models));
    this.#labels = new Names(rules.map(({ labels }) => labels));
    this.#teams = new Names(rules.map(({ target }) => (target.kind === 'label' ? [`${target.prefix}*`] : null)), 1);
  }

  /** The first rule that takes the calls decides. Null: they are left over. */
  decide(calls: Allocated): Decision | null {
    const [key, project, model] = [this.#ofKey(calls.key), this.#projects.of(calls.project), this.#models.of(calls.model)];
    const [labels, teams] = [this.#labels, this.#teams].map((names) => names.ofAny(calls.labels)) as [Bits, Bits];
    for (let word = 0; word < key.length; word += 1) {
      const bits = key[word]! & project[word]! & model[word]! & labels[word]! & teams[word]!;
      if (bits === 0) continue;
      const { target } = this.#rules[word * 32 + 31 - Math.clz32(bits & -bits)]!;
      return target.kind === 'label' ? { team: teamIn(target.prefix, calls.labels)! } : decisionOf(target);
    }
    return this.#rest === null ? null : decisionOf(this.#rest);
  }

  #ofKey(key: string): Bits {
    return remembered(this.#byKey, key, () => {
      const owner = this.#ownerOf(key);
      const bits = this.#keys.of(key).slice();
      add(bits, this.#keys.of(owner?.name ?? ''));
      const people = this.#people.of(owner?.person ?? '');
      return bits.map((each, word) => each & people[word]!);
    });
  }
}

function decisionOf(target: Exclude<AllocationTarget, { readonly kind: 'label' }>): Decision {
  return target.kind === 'team' ? { team: target.team } : { split: target };
}

/** The names of one condition in all rules. */
class Names {
  /** Rules that do not ask. */
  readonly #notAsked: Bits;
  readonly #exact = new Map<string, number[]>();
  readonly #beginnings = new Map<string, number[]>();
  /** Lengths of beginnings. */
  readonly #lengths: readonly number[];
  /** What a beginning must have behind it, characters. */
  readonly #behindMin: number;
  readonly #known = new Map<string, Bits>();

  /** Of each rule the names it asks for; null: it does not ask. */
  constructor(asked: readonly (readonly string[] | null)[], behindMin: number = 0) {
    this.#behindMin = behindMin;
    this.#notAsked = new Uint32Array(Math.ceil(asked.length / 32));
    for (const [rule, names] of asked.entries()) {
      if (names === null) set(this.#notAsked, rule);
      for (const name of names ?? []) {
        const [rules, text] = name.endsWith('*') ? [this.#beginnings, name.slice(0, -1)] : [this.#exact, name];
        const those = rules.get(text);
        if (those === undefined) rules.set(text, [rule]);
        else if (those.at(-1) !== rule) those.push(rule);
      }
    }
    this.#lengths = [...new Set([...this.#beginnings.keys()].map(({ length }) => length))].toSorted((one, other) => one - other);
  }

  /** The rules whose condition holds for this name; empty text: there is none. */
  of(name: string): Bits {
    return name === '' ? this.#notAsked : remembered(this.#known, name, () => this.#find(name));
  }

  /** The rules whose condition holds for one of these. */
  ofAny(names: readonly string[]): Bits {
    if (names.length === 0) return this.#notAsked;
    if (names.length === 1) return this.of(names[0]!);
    const bits = this.#notAsked.slice();
    for (const name of names) add(bits, this.of(name));
    return bits;
  }

  #find(name: string): Bits {
    const bits = this.#notAsked.slice();
    for (const rule of this.#exact.get(name) ?? []) set(bits, rule);
    for (const length of this.#lengths) {
      if (length + this.#behindMin > name.length) break;
      for (const rule of this.#beginnings.get(name.slice(0, length)) ?? []) set(bits, rule);
    }
    return bits;
  }
}

function remembered(known: Map<string, Bits>, name: string, find: () => Bits): Bits {
  const there = known.get(name);
  if (there !== undefined) return there;
  if (known.size >= rememberedMax) known.clear();
  const found = find();
  known.set(name, found);
  return found;
}

function set(bits: Bits, rule: number): void {
  bits[rule >>> 5]! |= 1 << (rule & 31);
}

function add(bits: Bits, more: Bits): void {
  for (let word = 0; word < bits.length; word += 1) bits[word]! |= more[word]!;
}
