/** Rules of allocation as a form has them, and as the platform does. Nothing is lost on the way there and back. */
import type { Shown } from '../../api/client.ts';

export type Rules = Shown<'AllocationRules'>;
type Allocation = NonNullable<Rules['allocation']>;
type Rule = Allocation['rules'][number];

/** What a rule asks of a call, by the names of the fields. */
export const conditionWords = {
  keys: 'Service keys', projects: 'Projects', people: 'People, by email', models: 'Models', labels: 'Labels',
} as const satisfies Partial<Record<keyof Rule, string>>;
export type ConditionKind = keyof typeof conditionWords;

export interface ConditionEntered {
  readonly of: ConditionKind;
  readonly names: readonly string[];
}

/** Who pays, in the words of the form. */
export const payerWords = {
  team: 'One team', byLabel: 'The team that a label names', split: 'Several teams, by weights', shares: 'All teams, by what each pays alone',
} as const;
type PayerKind = keyof typeof payerWords;

export interface PayerEntered {
  readonly kind: PayerKind | 'nobody';
  /** The team, or how the labels begin. */
  readonly word: string;
  readonly parts: readonly { readonly team: string; readonly weight: string }[];
}

export interface RuleEntered {
  readonly conditions: readonly ConditionEntered[];
  readonly payer: PayerEntered;
}

export interface AccountEntered {
  /** Empty: what no team pays. */
  readonly team: string;
  readonly account: string;
  readonly costCentre: string;
}

export type AllocationEntered = {
  readonly rules: readonly RuleEntered[];
  readonly rest: PayerEntered;
  readonly markup: string;
  readonly code: string;
  readonly rate: string;
  readonly date: string;
  readonly accounts: readonly AccountEntered[];
};

export const nobody: PayerEntered = { kind: 'nobody', word: '', parts: [] };
export const newRule: RuleEntered = { conditions: [{ of: 'projects', names: [] }], payer: { kind: 'team', word: '', parts: [] } };

export function enteredOf({ allocation }: Rules): AllocationEntered {
  const { rules = [], rest, markup, currency, accounts } = allocation ?? {};
  return {
    rules: rules.map((rule) => ({
      conditions: (Object.keys(conditionWords) as ConditionKind[]).flatMap((of) => {
        const names = rule[of];
        return names === undefined || names === null ? [] : [{ of, names }];
      }),
      payer: payerOf(rule),
    })),
    rest: rest === undefined || rest === null ? nobody : payerOf(rest),
    markup: String(markup ?? ''),
    code: currency?.code ?? '',
    rate: String(currency?.rate ?? ''),
    date: currency?.date ?? '',
    accounts: (accounts ?? []).map(({ team, account, costCentre }) => ({ team: team ?? '', account: account ?? '', costCentre: costCentre ?? '' })),
  };
}

function payerOf({ team, byLabel, split }: Pick<Rule, 'team' | 'byLabel' | 'split'>): PayerEntered {
  if (team !== undefined) return { kind: 'team', word: team, parts: [] };
  if (byLabel !== undefined) return { kind: 'byLabel', word: byLabel, parts: [] };
  if (typeof split !== 'object') return { kind: 'shares', word: '', parts: [] };
  return { kind: 'split', word: '', parts: Object.entries(split).map(([name, weight]) => ({ team: name, weight: String(weight) })) };
}

interface Sent {
  rules: ({ [kind in ConditionKind]?: string[] } & SentPayer)[];
  rest?: SentPayer | null;
  markup?: string;
  currency?: { code: string; rate: string; date: string } | null;
  accounts?: { team: string | null; account: string | null; costCentre: string | null }[];
}
interface SentPayer {
  team?: string;
  byLabel?: string;
  split?: 'own-shares' | Record<string, string>;
}

/** What is not filled in is sent as it is, for the platform to say so; a condition that was left out would take more calls than was meant. */
export function allocationOf({ rules, rest, markup, code, rate, date, accounts }: AllocationEntered): Sent {
  return {
    rules: rules.map(({ conditions, payer }) => ({
      ...Object.fromEntries(conditions.map(({ of, names }) => [of, [...names]])), ...sentPayer(payer),
    })),
    ...(rest.kind === 'nobody' ? {} : { rest: sentPayer(rest) }),
    ...(markup.trim() === '' ? {} : { markup: markup.trim() }),
    ...([code, rate, date].every((each) => each.trim() === '') ? {} : { currency: { code: code.trim().toUpperCase(), rate: rate.trim(), date } }),
    ...(accounts.length === 0 ? {} : {
      accounts: accounts.map(({ team, account, costCentre }) => ({ team: orNull(team), account: orNull(account), costCentre: orNull(costCentre) })),
    }),
  };
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

function sentPayer({ kind, word, parts }: PayerEntered): SentPayer {
  if (kind === 'team') return { team: word.trim() };
  if (kind === 'byLabel') return { byLabel: word.trim() };
  return { split: kind === 'split' ? Object.fromEntries(parts.map(({ team, weight }) => [team.trim(), weight.trim()])) : 'own-shares' };
}

/** The team that stands twice among the parts, of which one would be lost; null: none does. */
export function twiceIn(parts: PayerEntered['parts']): string | null {
  const names = parts.map(({ team }) => team.trim());
  return names.find((name, at) => names.indexOf(name) !== at) ?? null;
}

/** A rule in a line, for those who must choose between two. */
export function ruleSaid({ conditions, payer }: RuleEntered): string {
  const asks = conditions.map(({ of, names }) => `${conditionWords[of].toLowerCase()} ${names.join(', ')}`);
  return `${asks.length === 0 ? 'every call' : asks.join(' and ')}: ${payerSaid(payer)}`;
}

export function payerSaid({ kind, word, parts }: PayerEntered): string {
  if (kind === 'nobody') return 'unallocated';
  if (kind === 'shares') return 'all teams';
  return kind === 'split' ? parts.map(({ team, weight }) => `${team} ${weight}`).join(', ') : word;
}
