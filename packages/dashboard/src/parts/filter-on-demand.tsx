/** The filters of a page. The code for choosing one is loaded when it is wanted, or when one is in force. */
import { Button } from '@mantine/core';
import { Filter } from 'lucide-react';
import { useState } from 'react';
import { chosenFilters, type Filters } from '../app/page-search.ts';
import { onDemand } from './on-demand.tsx';

const FilterBar = onDemand(async () => (await import('./filter-bar.tsx')).FilterBar);

export function FilterOnDemand({ filters, onChange }: { readonly filters: Filters; readonly onChange: (change: Filters) => void }) {
  const [adding, setAdding] = useState(false);
  const button = (
    <Button size="xs" variant="default" leftSection={<Filter size={13} aria-hidden />} onClick={() => setAdding(true)}>
      Filter
    </Button>
  );
  return adding || Object.keys(chosenFilters(filters)).length > 0 ? (
    <FilterBar waiting={button} filters={filters} onChange={onChange} openedAtFirst={adding} />
  ) : (
    button
  );
}
