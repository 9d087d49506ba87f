/** Filters by how a call ended and by what is known of its usage and cost. Each is one choice that sets several parameters of the address. */
import { NativeSelect } from '@mantine/core';
import type { CallsSearch } from '../../app/page-search.ts';
import { outcomeWords, usageWords } from '../../shown/call-record.ts';
import { choicesOf, type Choice } from '../../shown/choices.ts';

type StateSearch = Pick<CallsSearch, 'outcome' | 'status' | 'usage' | 'lacks'>;

const statuses: readonly Choice[] = [
  { value: 'error', label: 'Provider error' },
  { value: '429', label: '429, throttled' },
  { value: '4xx', label: '4xx' },
  { value: '5xx', label: '5xx' },
  { value: '2xx', label: '2xx' },
];
/** Calls of unknown usage are a choice of usage. */
const lacking = {
  any: 'Cost unknown or incomplete',
  unpriced: 'Without a price',
  gaps: 'With gaps',
} satisfies Record<Exclude<NonNullable<CallsSearch['lacks']>, 'unknown'>, string>;

const ends = [
  { value: '', label: 'Any end' },
  { group: 'Answered', ...itemsOf('status', statuses) },
  { group: 'Ended', ...itemsOf('outcome', choicesOf(outcomeWords)) },
];
const costAndUsageChoices = [
  { value: '', label: 'Any usage' },
  { group: 'Cost', ...itemsOf('lacks', choicesOf(lacking)) },
  { group: 'Usage', ...itemsOf('usage', choicesOf(usageWords)) },
];

export function CallStateFilters({ search, onChange }: { readonly search: CallsSearch; readonly onChange: (change: StateSearch) => void }) {
  return (
    <>
      <NativeSelect
        size="xs"
        w={150}
        aria-label="How it ended"
        data={ends}
        value={chosen(search, 'status') ?? chosen(search, 'outcome') ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ status: undefined, outcome: undefined, ...read(value) })}
      />
      <NativeSelect
        size="xs"
        w={150}
        aria-label="What is known of its usage and cost"
        data={costAndUsageChoices}
        value={chosen(search, 'lacks') ?? chosen(search, 'usage') ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ lacks: undefined, usage: undefined, ...read(value) })}
      />
    </>
  );
}

function itemsOf(name: keyof StateSearch, of: readonly Choice[]): { readonly items: Choice[] } {
  return { items: of.map(({ value, label }) => ({ value: `${name} ${value}`, label })) };
}

function chosen(search: StateSearch, name: keyof StateSearch): string | null {
  return search[name] === undefined ? null : `${name} ${search[name]}`;
}

function read(choice: string): StateSearch {
  const [name, value] = choice.split(' ');
  return value === undefined ? {} : { [name!]: value };
}
