/**
 * The state that pages keep in their address, validated: an invalid value is dropped, never an error. Times have the platform's forms: a
 * duration ago, a month, a date or an instant.
 */
import type { paths } from '../api/schema.ts';

type Raw = Record<string, unknown>;
type CallsQuery = NonNullable<paths['/platform/v1/calls']['get']['parameters']['query']>;

/** The filters with a fixed list of values. The platform refuses any other value. */
export const filterValues = {
  wire: ['openai', 'anthropic', 'upstream'],
  endpoint: ['chat.completions', 'completions', 'embeddings', 'responses', 'models', 'messages', 'other'],
  outcome: ['completed', 'cut', 'caller_gone', 'failed', 'interrupted'],
  usage: ['reported', 'partial', 'unknown', 'none'],
  lacks: ['unknown', 'unpriced', 'gaps', 'any'],
} as const satisfies { readonly [Name in keyof CallsQuery]: readonly CallsQuery[Name][] };
type Listed = typeof filterValues;
type Unlisted = { [Name in keyof Listed]: Exclude<NonNullable<CallsQuery[Name]>, Listed[Name][number]> }[keyof Listed];
/** Fails to compile if `filterValues` lacks a value that the platform knows. */
type Known = Complete<Unlisted>;
type Complete<_Missing extends never> = Listed;
type ValueOf<Name extends string> = Name extends keyof Known ? Known[Name][number] : string;

/** Filters by attribution. Filtering for a missing name, such as no project, is not possible. */
export const filterNames = ['model', 'key', 'project', 'label', 'run', 'wire', 'endpoint'] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = { readonly [Name in FilterName]?: ValueOf<Name> };

/** The filters of an address that are set, and nothing else of it. */
export function chosenFilters(filters: Filters): Filters {
  return Object.fromEntries(filterNames.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])));
}

export interface RangeSearch {
  /** `24h`, `7d`, `30d`, `90d`, `month`, `last-month`; absent: the page's own default, or `since` and `until`. */
  readonly range?: string;
  readonly since?: string;
  readonly until?: string;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 512 ? value : typeof value === 'number' ? String(value) : undefined;
}

function pick<const Name extends string>(raw: Raw, names: readonly Name[]): { [N in Name]?: ValueOf<N> } {
  const found: Partial<Record<string, string>> = {};
  for (const name of names) {
    const value = text(raw[name]);
    const known: readonly string[] | undefined = Object.hasOwn(filterValues, name) ? filterValues[name as keyof Known] : undefined;
    if (value !== undefined && (known === undefined || known.includes(value))) found[name] = value;
  }
  return found as { [N in Name]?: ValueOf<N> };
}

/** Adds the filter as typed; no filter if its value is invalid. */
export function typedFilter(name: FilterName, value: string): Filters {
  return pick({ [name]: value }, filterNames);
}

const rangeNames = ['range', 'since', 'until'] as const;

export type OverviewSearch = RangeSearch & Filters & { readonly metric?: string; readonly by?: string };
export const overviewSearch = (raw: Raw): OverviewSearch => pick(raw, [...rangeNames, ...filterNames, 'metric', 'by']);

export type ExploreSearch = RangeSearch &
  Filters & { readonly by?: string; readonly and?: string; readonly metric?: string; readonly chart?: string; readonly beside?: string };
export const exploreSearch = (raw: Raw): ExploreSearch => pick(raw, [...rangeNames, ...filterNames, 'by', 'and', 'metric', 'chart', 'beside']);

export type CallsSearch = RangeSearch &
  Filters & {
    readonly outcome?: ValueOf<'outcome'>;
    readonly status?: string;
    readonly usage?: ValueOf<'usage'>;
    readonly lacks?: ValueOf<'lacks'>;
    readonly session?: string;
    readonly connection?: string;
    readonly call?: string;
    readonly live?: string;
  };
const callStates = ['outcome', 'status', 'usage', 'lacks', 'session', 'connection'] as const;
export const callsSearch = (raw: Raw): CallsSearch => pick(raw, [...rangeNames, ...filterNames, ...callStates, 'call', 'live']);

export type RunsSearch = { readonly run?: string; readonly new?: string };
export const runsSearch = (raw: Raw): RunsSearch => pick(raw, ['run', 'new']);

/** `new`: its form is open; `tab`: which part is shown; `id`: what is opened; `find`: the words that are sought. */
export type PathSearch = { readonly new?: string; readonly tab?: string; readonly id?: string; readonly find?: string };
export const pathSearch = (raw: Raw): PathSearch => pick(raw, ['new', 'tab', 'id', 'find']);

/** `format`: the file format. */
export type ExportsSearch = RangeSearch & { readonly format?: string };
export const exportsSearch = (raw: Raw): ExportsSearch => pick(raw, [...rangeNames, 'format']);

const monthForm = /^\d{4}-(?:0[1-9]|1[0-2])$/;

const refusalFields = ['request', 'key', 'run', 'code', 'id'] as const;
export type RefusalsSearch = { readonly [Name in (typeof refusalFields)[number]]?: string };
export const refusalsSearch = (raw: Raw): RefusalsSearch => pick(raw, refusalFields);

export type MonthSearch = { readonly month?: string };
export const monthSearch = (raw: Raw): MonthSearch => {
  const { month } = pick(raw, ['month']);
  return month !== undefined && monthForm.test(month) ? { month } : {};
};

export type StatementSearch = { readonly month?: string; readonly project?: string };
export const statementSearch = (raw: Raw): StatementSearch => {
  const { project } = pick(raw, ['project']);
  return { ...monthSearch(raw), ...(project === undefined ? {} : { project }) };
};

export type ProjectsSearch = RangeSearch;
export const projectsSearch = (raw: Raw): ProjectsSearch => pick(raw, rangeNames);

export type StartSearch = { readonly tool?: string };
export const startSearch = (raw: Raw): StartSearch => pick(raw, ['tool']);

/** `to`: where to go after signing in, an address of this site. */
type SignInSearch = { readonly to?: string };
export const signInSearch = (raw: Raw): SignInSearch => {
  const { to } = pick(raw, ['to']);
  return to !== undefined && /^\/(?![/\\])/.test(to) ? { to } : {};
};
