/**
 * Names of models in bills → the models of records. Providers write one model as `claude-sonnet-4-5-20250929`, `Claude Sonnet 4.5`,
 * `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and `Claude4.5Sonnet`. Names are the same model if their letters are the same, whatever the order
 * of their words, and their numbers are, in their order. A release is a separate part: of two that name one, both must name the same.
 */
import { priceList } from '../../price/price-list.ts';
import { textsOf } from '../../price/model-name.ts';

export interface ModelName {
  /** The same for all spellings of one model. */
  readonly family: string;
  /** `20250929`, or `0929` where no year is given; null: none is. */
  readonly release: string | null;
}

/** Where Bedrock runs a model. */
const places = /^(?:us|eu|apac|au|jp|ca|sa|global|us-gov)\./;
const vendors = /^(?:anthropic|amazon|meta|mistral|cohere|ai21|deepseek|openai|qwen|google|nvidia|moonshotai?|minimax|zai)\./;
/** Words that say how far along a model is, not which one it is. */
const asides = new Set(['latest', 'preview', 'default', 'exp', 'experimental']);

export function modelNameOf(name: string): ModelName {
  let text = name.slice(0, 512).trim().toLowerCase();
  text = bedrockName(text.slice(text.lastIndexOf('/') + 1).replace(places, '')).replace(/embed(?!ding)/, 'embedding');
  let release: string | null = null;
  text = text.replace(/(?:^|[-_ @])(20[2-9]\d)[-_.]?([01]\d)[-_.]?([0-3]\d)(?=$|[-_ :])/, (_, year: string, month: string, day: string) => {
    release = year + month + day;
    return ' ';
  });
  if (release === null) {
    text = text.replace(/[-_ ]((?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?=$|[-_ ])/, (_, monthDay: string) => {
      release = monthDay;
      return ' ';
    });
  }
  // Written together or apart, in whatever order: `NovaPro`, `nova-pro`.
  const letters = (text.match(/[a-z]+/g) ?? []).filter((word) => !asides.has(word));
  const numbers = text.match(/\d+/g) ?? [];
  if (numbers.length > 1 && numbers.at(-1) === '0') numbers.pop();
  return { family: `${[...letters.join('')].sort().join('')} ${numbers.join('.')}`, release };
}

/** Without what Bedrock's ids have around the name: the vendor, the id's version, and that a model follows instructions, as all of these do there. */
function bedrockName(id: string): string {
  const name = /^(?:meta|mistral)\./.test(id) ? id.replace(/[- ]instruct\b/, '') : id.replace(/^deepseek\.(?!deepseek)/, 'deepseek-');
  const bare = name.replace(vendors, '');
  // Of embeddings it is the version of the model.
  return bare.includes('embed') ? bare : bare.replace(/[- ]v\d{1,3}:\d{1,3}$/, '');
}

/** Whether two names can mean the same model: of one family, and not of two releases. */
export function isSameModel(one: ModelName, other: ModelName): boolean {
  if (one.family !== other.family) return false;
  return one.release === null || other.release === null || one.release.endsWith(other.release) || other.release.endsWith(one.release);
}

/** A name as interfaces use it, not as pages show it. */
export function isPlainId(name: string): boolean {
  return /^[a-z0-9][a-z0-9._:@/-]{0,511}$/.test(name) && /[\d-]/.test(name);
}

let listed: ReadonlySet<string> | null = null;

/** Whether the price list has a model of this family. */
export function isListedFamily(family: string): boolean {
  listed ??= new Set(priceList.providers.flatMap(({ models }) => models)
    .flatMap(({ id, rule }) => [id, ...textsOf(rule)]).map((text) => modelNameOf(text).family));
  return listed.has(family);
}
