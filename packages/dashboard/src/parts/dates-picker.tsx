/** Two UTC days in a calendar, both included. */
import '@mantine/dates/styles.layer.css';
import { DatePickerInput } from '@mantine/dates';
import dayjs from 'dayjs';
import { useState } from 'react';
import type { RangeSearch } from '../app/page-search.ts';
import type { Range } from '../shown/ranges.ts';

const dayMs = 86_400_000;
const shownForm = 'D MMM YYYY';
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function DatesPicker({ range, onChange }: { readonly range: Range; readonly onChange: (search: RangeSearch) => void }) {
  const [days, setDays] = useState<[string | null, string | null]>([dayOf(range.sinceMs), dayOf(range.untilMs - 1)]);
  const choose = (next: [string | null, string | null]): void => {
    setDays(next);
    const [first, last] = next;
    if (first === null || last === null) return;
    onChange({
      range: undefined,
      since: `${first}T00:00:00Z`,
      until: new Date(Date.parse(last) + dayMs).toISOString().replace('.000Z', 'Z'),
    });
  };
  const shown = days.flatMap((day) => (day === null ? [] : dayjs(day).format(shownForm))).join(' – ');
  return (
    <DatePickerInput
      type="range"
      size="xs"
      w={230}
      aria-label={`First and last day, UTC: ${shown}`}
      value={days}
      onChange={choose}
      allowSingleDateInRange
      hideOutsideDates
      weekendDays={[]}
      ariaLabels={{ previousMonth: 'Month before', nextMonth: 'Month after' }}
      popoverProps={{ withRoles: false }}
      valueFormat={shownForm}
    />
  );
}
