/**
 * A model's name → the model that a seller lists. Names compare in lower case; of several rules that match, the first wins.
 */
import type { ListedModel, NameRule } from './price-list.ts';

/** Whether the rule matches a name, in lower case. */
type NameTest = (name: string) => boolean;

/** A listed model with its compiled rule. */
export interface KnownModel {
  readonly listed: ListedModel;
  readonly test: NameTest;
}

/** Rules compiled once, so that a look-up compiles nothing. */
export function knownModels(models: readonly ListedModel[]): readonly KnownModel[] {
  return models.map((listed) => ({ listed, test: nameTest(listed.rule) }));
}

/** The rule of the list as a test. */
function nameTest(rule: NameRule): NameTest {
  if ('is' in rule) return (name) => name === rule.is;
  if ('starts' in rule) return (name) => name.startsWith(rule.starts);
  if ('ends' in rule) return (name) => name.endsWith(rule.ends);
  if ('contains' in rule) return (name) => name.includes(rule.contains);
  if ('any' in rule) {
    const tests = rule.any.map(nameTest);
    return (name) => tests.some((test) => test(name));
  }
  if ('all' in rule) {
    const tests = rule.all.map(nameTest);
    return (name) => tests.every((test) => test(name));
  }
  // oxlint-disable-next-line linear/expressions -- the price list is the product's own; a test holds its expressions to the rule
  const pattern = new RegExp(rule.regex);
  return (name) => pattern.test(name);
}

/**
 * The first model that `name` matches in `catalogues`, the seller's own before those it borrows. A date written
 * `-20260923` is tried as `-2026-09-23` too, since providers use both for the same release. Null: not listed.
 */
export function findModel(catalogues: readonly (readonly KnownModel[])[], name: string): ListedModel | null {
  const plain = comparable(name);
  const found = firstMatch(catalogues, plain);
  if (found !== null) return found;
  const dated = plain.replace(/-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[-:]|$)/g, '-$1-$2-$3');
  return dated === plain ? null : firstMatch(catalogues, dated);
}

/**
 * Whether the list names exactly this model: as in the rule, or followed by a release date. A rule that accepts any other
 * ending means a family, not a name.
 */
export function isNamed({ id, rule }: ListedModel, name: string): boolean {
  const plain = comparable(name);
  const bare = plain.replace(/[-@](?:20\d\d-\d\d-\d\d|20\d{6})$/, '');
  return id.toLowerCase() === plain || id.toLowerCase() === bare || textsOf(rule).some((text) => text === plain || text === bare);
}

/** The names that a rule consists of. */
export function textsOf(rule: NameRule): readonly string[] {
  if ('is' in rule) return [rule.is];
  if ('starts' in rule) return [rule.starts];
  return 'any' in rule ? rule.any.flatMap(textsOf) : [];
}

/** A name in the form used for comparison. */
export function comparable(name: string): string {
  return name.trim().toLowerCase();
}

function firstMatch(catalogues: readonly (readonly KnownModel[])[], name: string): ListedModel | null {
  for (const models of catalogues) {
    for (const model of models) if (model.test(name)) return model.listed;
  }
  return null;
}
