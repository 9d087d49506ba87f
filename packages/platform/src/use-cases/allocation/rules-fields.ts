/**
 * Rules of allocation as people write them, checked, and as `core/books/allocation` takes them. docs/allocation.md. The store keeps the
 * checked form as JSON; a closed month keeps that text.
 */
import type { AllocationRules, AllocationTarget, Weights } from '@metergate/core/books/allocation/rules.ts';
import { z } from 'zod';

const wordMax = 512;
const namesMax = 1_000;
const rulesMax = 500;
const teamsMax = 5_000;

const word = (what: string) => {
  const error = `${what} must be text of 1 to ${wordMax} characters; put it in quotes.`;
  return z.string({ error }).min(1, { error }).max(wordMax, { error }).refine((text) => text.isWellFormed() && !text.includes('\0'), { error });
};
const names = (what: string) => {
  const error = `${what} must be a list of 1 to ${namesMax} names.`;
  return z.array(word(what), { error }).min(1, { error }).max(namesMax, { error }).optional();
};

/** A decimal figure, written as text or as a whole number. */
function decimal(what: string, { places, max }: { readonly places: number; readonly max: number }) {
  const error = `${what} must be a number from 0 to ${max} with at most ${places} decimal places.`;
  return z.union([z.string({ error }).regex(/^\d{1,10}(?:\.\d{1,9})?$/, { error }),
    z.int({ error }).min(0, { error }).max(max, { error })], { error })
    .refine((figure) => Number(figure) <= max && (String(figure).split('.')[1]?.length ?? 0) <= places, { error });
}

const weight = decimal('A weight', { places: 6, max: 1_000_000 });
const splitError = 'What is split needs weights, such as { search: 2, ads: 1 }, one of them above 0, or own-shares.';
const split = z.union([
  z.literal('own-shares', { error: splitError }),
  z.record(word('A team'), weight, { error: splitError })
    .refine((weights) => Object.keys(weights).length <= namesMax && Object.values(weights).some((each) => Number(each) > 0), { error: splitError })
    .meta({ description: 'A weight for each team; own-shares: by what each team pays for itself' }),
], { error: splitError });

const prefixError = 'byLabel must be the beginning of labels and an asterisk, such as "team:*".';
const prefix = word('byLabel').regex(/^.+\*$/s, { error: prefixError });

/** One rule. */
export const ruleFields = z.strictObject({
  keys: names('keys'), projects: names('projects'), people: names('people'), models: names('models'), labels: names('labels'),
  byLabel: prefix.optional(), team: word('team').optional(), split: split.optional(),
}).refine(({ byLabel, team, split: parts }) => [byLabel, team, parts].filter((each) => each !== undefined).length === 1, {
  error: 'A rule says who pays in one of three ways: byLabel, team or split.',
});

const restFields = z.strictObject({ team: word('team').optional(), split: split.optional() })
  .refine(({ team, split: parts }) => (team === undefined) !== (parts === undefined), { error: 'The rest goes to a team, or is split.' });

const dateError = 'The date of a rate must be a day such as 2026-10-31.';
const currencyFields = z.strictObject({
  code: z.string({ error: 'A currency is three capital letters, such as EUR.' })
    .regex(/^[A-Z]{3}$/, { error: 'A currency is three capital letters, such as EUR.' }),
  rate: decimal('The rate', { places: 9, max: 1_000_000_000 })
    .refine((text) => Number(text) > 0, { error: 'The rate must be above 0: how much of the currency a US dollar is.' }),
  date: z.iso.date({ error: dateError }),
});

const accountFields = z.strictObject({
  team: word('team').nullable(), account: word('account').nullable().optional(), costCentre: word('costCentre').nullable().optional(),
});

export const allocationFields = z.strictObject({
  rules: z.array(ruleFields, { error: 'rules must be a list.' }).max(rulesMax, { error: `There may be at most ${rulesMax} rules.` }),
  rest: restFields.nullable().optional(),
  markup: decimal('The markup, in percent,', { places: 4, max: 1_000 }).optional(),
  currency: currencyFields.nullable().optional(),
  accounts: z.array(accountFields, { error: 'accounts must be a list.' })
    .max(teamsMax, { error: `There may be at most ${teamsMax} accounts.` })
    .refine((accounts) => new Set(accounts.map(({ team }) => team)).size === accounts.length, { error: 'accounts names a team twice.' }).optional(),
}, { error: 'allocation must be a map with rules.' });

/** The rules as they are written. A team of null stands for what is unallocated. */
export type AllocationDocument = z.output<typeof allocationFields>;

/** The text that is kept: it depends only on what the rules say. */
export function allocationText({ rules, rest, markup, currency, accounts }: AllocationDocument): string {
  return JSON.stringify({
    rules, ...((rest ?? null) === null ? {} : { rest }), ...(markup === undefined ? {} : { markup }),
    ...((currency ?? null) === null ? {} : { currency }), ...(accounts === undefined ? {} : { accounts }),
  }, (_, value: unknown) => (typeof value === 'number' ? String(value) : value));
}

/** The longest text that is kept. */
export const allocationCharactersMax = 512 * 1_024;

/** A text that `allocationText` made. */
export function allocationDocument(text: string): AllocationDocument {
  return JSON.parse(text) as AllocationDocument;
}

/** The rules as they are applied. */
export function rulesOf({ rules, rest, markup, currency, accounts = [] }: AllocationDocument): AllocationRules {
  return {
    rules: rules.map(({ keys = null, projects = null, people = null, models = null, labels = null, ...target }) =>
      ({ keys, projects, people, models, labels, target: targetOf(target) })),
    rest: (rest ?? null) === null ? null : targetOf(rest!) as Exclude<AllocationTarget, { readonly kind: 'label' }>,
    markup: wholeOf(markup ?? 0, 4),
    currency: (currency ?? null) === null ? null : { code: currency!.code, rate: wholeOf(currency!.rate, 9), date: currency!.date },
    accounts: accounts.map(({ team, account = null, costCentre = null }) => ({ team, account, costCentre })),
  };
}

function targetOf({ byLabel, team, split: parts }: Pick<AllocationDocument['rules'][number], 'byLabel' | 'team' | 'split'>): AllocationTarget {
  if (byLabel !== undefined) return { kind: 'label', prefix: byLabel.slice(0, -1) };
  if (team !== undefined) return { kind: 'team', team };
  return parts === 'own-shares' || parts === undefined ? { kind: 'own_shares' } : { kind: 'weights', weights: weightsOf(parts) };
}

function weightsOf(parts: Readonly<Record<string, Figure>>): Weights {
  return Object.entries(parts).map(([team, text]) => [team, wholeOf(text, 6)] as const).filter(([, each]) => each > 0n)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

type Figure = string | number;

/** `1.5` with two places → 150. */
function wholeOf(figure: Figure, places: number): bigint {
  const [whole, fraction = ''] = String(figure).split('.') as [string, string?];
  return BigInt(whole + fraction.padEnd(places, '0'));
}
