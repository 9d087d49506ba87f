/**
 * Which rule takes calls, found without going through the rules: names and beginnings are looked up, and what they say is a bit for each rule. So a
 * month takes time by its lines and by the names of the rules, not by one times the other.
 */
import { teamIn, type Allocated, type AllocationRule, type AllocationRules, type AllocationTarget, type Decision, type OwnerOf } from './rules.ts';
import type { Slices, Slicewise } from '../slices.ts';

/** A bit for each rule. */
type Bits = Uint32Array;

/** Values whose bits are remembered, of each dimension. */
const rememberedMax = 10_000;

/** The names of each condition. */
interface NamesOfRules {
  readonly keys: Names;
  readonly people: Names;
  readonly projects: Names;
  readonly models: Names;
  readonly labels: Names;
  /** Beginnings of labels that name teams. */
  readonly teams: Names;
}

/** The index of these rules, made in slices: they may have a hundred thousand names. */
export function* ruleIndex(all: AllocationRules, ownerOf: OwnerOf, slices: Slices): Slicewise<RuleIndex> {
  const { rules } = all;
  return new RuleIndex(all, ownerOf, {
    keys: yield* namesIn(rules.map(({ keys }) => keys), slices),
    people: yield* namesIn(rules.map(({ people }) => people), slices),
    projects: yield* namesIn(rules.map(({ projects }) => projects), slices),
    models: yield* namesIn(rules.map(({ models }) => models), slices),
    labels: yield* namesIn(rules.map(({ labels }) => labels), slices),
    teams: yield* namesIn(rules.map(({ target }) => (target.kind === 'label' ? [`${target.prefix}*`] : null)), slices, 1),
  });
}

export class RuleIndex {
  readonly #rules: readonly AllocationRule[];
  readonly #rest: AllocationRules['rest'];
  readonly #ownerOf: OwnerOf;
  readonly #names: NamesOfRules;
  readonly #byKey = new Map<string, Bits>();

  constructor({ rules, rest }: AllocationRules, ownerOf: OwnerOf, names: NamesOfRules) {
    this.#rules = rules;
    this.#rest = rest;
    this.#ownerOf = ownerOf;
    this.#names = names;
  }

  /** The first rule that takes the calls decides. Null: they are left over. */
  decide(calls: Allocated): Decision | null {
    const { projects, models } = this.#names;
    const [key, project, model] = [this.#ofKey(calls.key), projects.of(calls.project), models.of(calls.model)];
    const [labels, teams] = [this.#names.labels, this.#names.teams].map((names) => names.ofAny(calls.labels)) as [Bits, Bits];
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
      const { keys } = this.#names;
      const bits = keys.of(key).slice();
      add(bits, keys.of(owner?.name ?? ''));
      const people = this.#names.people.of(owner?.person ?? '');
      return bits.map((each, word) => each & people[word]!);
    });
  }
}

function decisionOf(target: Exclude<AllocationTarget, { readonly kind: 'label' }>): Decision {
  return target.kind === 'team' ? { team: target.team } : { split: target };
}

/** The names that each rule asks for; null: it does not ask. `behindMin`: what a beginning must have behind it, characters. */
function* namesIn(asked: readonly (readonly string[] | null)[], slices: Slices, behindMin: number = 0): Slicewise<Names> {
  const made = new Names(asked.length, behindMin);
  for (const [rule, names] of asked.entries()) {
    if (names === null) made.addNotAsked(rule);
    for (const name of names ?? []) {
      made.add(rule, name);
      if (slices.isOver(1)) yield;
    }
  }
  made.complete();
  return made;
}

/** The names of one condition in all rules. */
class Names {
  /** Rules that do not ask. */
  readonly #notAsked: Bits;
  readonly #exact = new Map<string, number[]>();
  readonly #beginnings = new Map<string, number[]>();
  /** Of beginnings. */
  readonly #lengthsFound = new Set<number>();
  /** The same, ascending, once all are in. */
  #lengths: readonly number[] = [];
  /** What a beginning must have behind it, characters. */
  readonly #behindMin: number;
  readonly #known = new Map<string, Bits>();

  constructor(rules: number, behindMin: number) {
    this.#behindMin = behindMin;
    this.#notAsked = new Uint32Array(Math.ceil(rules / 32));
  }

  addNotAsked(rule: number): void {
    set(this.#notAsked, rule);
  }

  /** Rules come in their order. */
  add(rule: number, name: string): void {
    const isBeginning = name.endsWith('*');
    const [rules, text] = isBeginning ? [this.#beginnings, name.slice(0, -1)] : [this.#exact, name];
    const those = rules.get(text);
    if (those === undefined) rules.set(text, [rule]);
    else if (those.at(-1) !== rule) those.push(rule);
    if (isBeginning) this.#lengthsFound.add(text.length);
  }

  /** No more come. */
  complete(): void {
    this.#lengths = [...this.#lengthsFound].toSorted((one, other) => one - other);
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
