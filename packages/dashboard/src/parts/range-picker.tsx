/** The picker of a page's time range: the usual ones by name, or two dates in a calendar that is loaded on demand. */
import { Group, Select } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { RangeSearch } from '../app/page-search.ts';
import { rangeChoices, type Range } from '../shown/ranges.ts';

const DatesPicker = lazy(async () => ({ default: (await import('./dates-picker.tsx')).DatesPicker }));

export function RangePicker({ range, onChange }: { readonly range: Range; readonly onChange: (search: RangeSearch) => void }) {
  const [choosing, setChoosing] = useState(range.name === 'custom');
  const choose = (name: string | null): void => {
    setChoosing(name === 'custom');
    if (name !== null && name !== 'custom') onChange({ range: name, since: undefined, until: undefined });
  };
  return (
    <Group gap="xs">
      <Select
        aria-label="Time shown"
        size="xs"
        w={170}
        allowDeselect={false}
        data={rangeChoices}
        value={choosing ? 'custom' : range.name}
        onChange={choose}
      />
      <Suspense>{choosing ? <DatesPicker range={range} onChange={onChange} /> : null}</Suspense>
    </Group>
  );
}
