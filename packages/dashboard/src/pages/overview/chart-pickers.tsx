/** What the overview's chart draws, and by what it is grouped: both are in the address. */
import { choicesOf } from '../../shown/choices.ts';
import { NativeSelect, SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import type { Grouping } from './overview-data.ts';

const route = getRouteApi('/shell/');

interface NamedMetric {
  readonly value: string;
  readonly label: string;
}

export function MetricPicker({ metrics, value }: { readonly metrics: readonly NamedMetric[]; readonly value: string }) {
  const navigate = route.useNavigate();
  const shared = { size: 'xs', 'aria-label': 'What is drawn', value, data: metrics.map((each) => ({ value: each.value, label: each.label })) };
  const draw = (metric: string): void => void navigate({ search: (old) => ({ ...old, metric }), replace: true, resetScroll: false });
  // Side by side they are wider than a phone.
  const wide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  return wide ? (
    <SegmentedControl {...shared} onChange={draw} />
  ) : (
    <NativeSelect {...shared} onChange={(event) => draw(event.currentTarget.value)} />
  );
}

const choices = choicesOf({
  '': 'All together',
  model: 'By model',
  key: 'By service key',
  project: 'By project',
  label: 'By label',
  wire: 'By provider',
  endpoint: 'By endpoint',
} satisfies Record<Grouping | '', string>);

export function GroupPicker() {
  const { by } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <NativeSelect
      size="xs"
      aria-label="Grouped by"
      data={choices}
      value={by ?? ''}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        void navigate({ search: (old) => ({ ...old, by: chosen === '' ? undefined : chosen }), replace: true, resetScroll: false });
      }}
    />
  );
}
