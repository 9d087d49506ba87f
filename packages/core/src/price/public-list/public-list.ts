/**
 * The public price list in its own form (the `data.json` of genai-prices, and the data of its npm package) → the sellers of our list. Strict: what
 * is not understood refuses the whole list with a sentence that names the place, since a price that is dropped or changed in silence makes
 * wrong costs. Rule 6.
 */
import type { ListedModel, ListedProvider, NameRule } from '../price-list.ts';
import { isSimpleExpression } from './expression.ts';
import { arrayIn, objectIn, PublicListFault, textIn } from './fault.ts';
import { isLitellmList, litellmSellers } from './litellm-list.ts';
import { publicPrices } from './prices.ts';

const sellersMax = 500;
const modelsMax = 5_000;
const rulesMax = 200;
const depthMax = 5;

/** Hosts whose pattern in the list is not `https://host` with an optional path, or does not say where the host ends. */
const hostsByHand: Readonly<Record<string, string>> = {
  azure: '(?:[^.]+\\.)*(?:openai\\.azure\\.com|azure-api\\.net|cognitiveservices\\.azure\\.com|services\\.ai\\.azure\\.com)',
  moonshotai: 'api\\.moonshot\\.(?:ai|cn)',
};

/** The sellers of a list: its array of providers, an object that has it as `providers`, or LiteLLM's form. @throws PublicListFault */
export function publicSellers(value: unknown): readonly ListedProvider[] {
  if (isLitellmList(value)) return litellmSellers(value);
  const { all, root } = Array.isArray(value) ? { all: value, root: '' } : { all: objectIn(value, 'The list')['providers'], root: 'providers' };
  const seen = new Set<string>();
  return arrayIn(all, root === '' ? 'The list' : root, sellersMax).map((each, index) => {
    const seller = publicSeller(each, `${root}[${index}]`);
    if (seen.has(seller.id)) throw new PublicListFault(`${root}[${index}] is a second seller with the id ${seller.id}.`);
    seen.add(seller.id);
    return seller;
  });
}

function publicSeller(value: unknown, where: string): ListedProvider {
  const seller = objectIn(value, where);
  const id = textIn(seller['id'], `${where}.id`);
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(id)) throw new PublicListFault(`${where}.id must be a short name in lower case, such as openai.`);
  const borrows = seller['fallback_model_providers'] ?? [];
  const lenders = arrayIn(borrows, `${where}.fallback_model_providers`, sellersMax)
    .map((lender, index) => textIn(lender, `${where}.fallback_model_providers[${index}]`));
  return {
    id,
    name: textIn(seller['name'], `${where}.name`),
    ...hostAndPath(id, textIn(seller['api_pattern'], `${where}.api_pattern`), `${where}.api_pattern`),
    ...(lenders.length === 0 ? {} : { borrows: lenders }),
    models: arrayIn(seller['models'], `${where}.models`, modelsMax).map((model, index) => publicModel(model, `${where}.models[${index}]`)),
  };
}

/** Splits a pattern of API addresses at the slash that ends its host. */
function hostAndPath(id: string, pattern: string, where: string): { host: string; path?: string } {
  const byHand = hostsByHand[id];
  if (byHand !== undefined) return { host: byHand };
  const match = /^https:\/\/((?:[^/()[\]]|\([^/()]*\)|\[[^\]]*\])+?)(?:\(?(?:\?:)?\/\|\$\))?(\/.*)?$/.exec(pattern);
  const host = match?.[1];
  const path = match?.[2]?.replace(/\(\?:\/\|\$\)$/, '');
  // A single slash only says where the host ends.
  const rest = path === undefined || path === '/' ? {} : { path };
  if (host === undefined || !isSimpleExpression(`^(?:${host})$`) || (rest.path !== undefined && !isSimpleExpression(`^(?:${rest.path})(?:/|$)`))) {
    throw new PublicListFault(`${where}: the address pattern of ${id} is not understood.`);
  }
  return { host, ...rest };
}

function publicModel(value: unknown, where: string): ListedModel {
  const model = objectIn(value, where);
  const id = textIn(model['id'], `${where}.id`);
  return { id, rule: nameRule(model['match'], `${where}.match`, 0), prices: publicPrices(model['prices'], `${where}.prices`) };
}

const texts = { equals: 'is', starts_with: 'starts', ends_with: 'ends', contains: 'contains' } as const;

function nameRule(value: unknown, where: string, depth: number): NameRule {
  const entries = Object.entries(objectIn(value, where));
  const [kind, operand] = entries[0] ?? ['', null];
  if (entries.length !== 1 || depth > depthMax) throw new PublicListFault(`${where}: a rule for model names is not understood.`);
  const place = `${where}.${kind}`;
  if (kind === 'or' || kind === 'and') {
    const rules = arrayIn(operand, place, rulesMax).map((rule, index) => nameRule(rule, `${place}[${index}]`, depth + 1));
    return kind === 'or' ? { any: rules } : { all: rules };
  }
  const text = textIn(operand, place);
  if (kind === 'regex') {
    if (!isSimpleExpression(text)) throw new PublicListFault(`${place}: this regular expression is not used: it is not valid, or may be slow.`);
    // oxlint-disable-next-line linear/expressions -- `isSimpleExpression` has checked it
    return { regex: new RegExp(text).source };
  }
  const name = texts[kind as keyof typeof texts] as (typeof texts)[keyof typeof texts] | undefined;
  if (name === undefined) throw new PublicListFault(`${where}: a rule for model names is not understood.`);
  return { [name]: text.toLowerCase() } as unknown as NameRule;
}
