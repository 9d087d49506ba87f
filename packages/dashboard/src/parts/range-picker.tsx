/** The picker of a page's time range: the usual ones by name, or two dates in a calendar that is loaded on demand. */
import { Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import type { RangeSearch } from '../app/page-search.ts';
import { utcMoment } from '../shown/moments.ts';
import { rangeChoices, type Range, type RangeBounds } from '../shown/ranges.ts';
import { onDemand } from './on-demand.tsx';

const DatesPicker = onDemand(async () => (await import('./dates-picker.tsx')).DatesPicker);

export function RangePicker({ range, onChange }: { readonly range: Range; readonly onChange: (search: RangeSearch) => void }) {
  const [choosing, setChoosing] = useState(range.name === 'custom');
  const choose = (name: string): void => {
    setChoosing(name === 'custom');
    if (name !== 'custom') onChange({ range: name, since: undefined, until: undefined });
  };
  return (
    <Group gap="xs">
      <NativeSelect
        aria-label="Time shown"
        size="xs"
        w={170}
        data={rangeChoices}
        value={choosing ? 'custom' : range.name}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {choosing ? <DatesPicker range={range} onChange={onChange} /> : null}
    </Group>
  );
}

/** On paper, where no choice can be seen and today is not known: from when to when. */
export function RangeOnPaper({ range: { sinceMs, untilMs } }: { readonly range: RangeBounds }) {
  return (
    <Text className="on-paper" size="sm" c="dimmed">
      {utcMoment(new Date(sinceMs))} to {utcMoment(new Date(untilMs))}
    </Text>
  );
}
