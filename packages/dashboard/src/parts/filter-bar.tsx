/** Filters by a call's attribution: active ones as pills, and a form to add one. The values offered are those seen in usage. */
import { ActionIcon, Autocomplete, Button, Group, Pill, Popover, Select, Stack } from '@mantine/core';
import { Filter, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { api } from '../api/client.ts';
import { filterNames, filterValues, typedFilter, type FilterName, type Filters } from '../app/page-search.ts';
import { dimensionNames } from './dimension-names.ts';
import { useKeyNames } from '../shown/key-names.ts';

export interface FilterBarProps {
  readonly filters: Filters;
  readonly onChange: (change: Filters) => void;
  /** Opens the form as soon as the bar is loaded. */
  readonly openedAtFirst?: boolean;
}

export function FilterBar({ filters, onChange, openedAtFirst = false }: FilterBarProps) {
  const [opened, setOpened] = useState(openedAtFirst);
  const button = useRef<HTMLButtonElement>(null);
  // Focus that is given back to the one that opened it would be nowhere: that button was in the place of this bar.
  const follow = (next: boolean): void => {
    setOpened(next);
    if (!next) button.current?.focus();
  };
  const keys = useKeyNames();
  const inForce = filterNames.filter((name) => filters[name] !== undefined);
  return (
    <Group gap={6}>
      {inForce.map((name) => (
        <Pill key={name} size="md" bg="var(--bar)" c="var(--mantine-color-text)" maw={280}>
          <Group gap={4} wrap="nowrap">
            <span className="clip">
              {dimensionNames[name]}: {name === 'key' ? (keys.get(filters.key!) ?? filters.key) : filters[name]}
            </span>
            <ActionIcon
              size={16}
              variant="transparent"
              c="inherit"
              aria-label={`Without the filter ${dimensionNames[name]}`}
              onClick={() => onChange({ [name]: undefined })}>
              <X size={12} aria-hidden />
            </ActionIcon>
          </Group>
        </Pill>
      ))}
      <Popover opened={opened} onChange={follow} trapFocus position="bottom-start" shadow="md">
        <Popover.Target>
          <Button
            ref={button}
            size="xs"
            variant="default"
            leftSection={<Filter size={13} aria-hidden />}
            onClick={() => setOpened(!opened)}
            aria-expanded={opened}>
            Filter
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <OneMore
            taken={inForce}
            onAdd={(name, value) => {
              onChange(typedFilter(name, value));
              follow(false);
            }}
          />
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}

/** How many values are offered: those that cost most this month. */
const offeredMax = 200;

function OneMore({ taken, onAdd }: { readonly taken: readonly FilterName[]; readonly onAdd: (name: FilterName, value: string) => void }) {
  const free = filterNames.filter((name) => !taken.includes(name));
  const [name, setName] = useState<FilterName>(free[0] ?? 'model');
  const [value, setValue] = useState('');
  const keys = useKeyNames();
  const asks = name === 'model' || name === 'project' || name === 'label' || name === 'run';
  const seen = api.useQuery(
    'get',
    '/platform/v1/usage',
    { params: { query: { by: name, limit: offeredMax } } },
    { enabled: asks, select: ({ data }) => data.flatMap((row) => ((row as Record<string, unknown>)[name] as string) ?? []) },
  );
  const known = name === 'wire' || name === 'endpoint' ? filterValues[name].map((each) => ({ value: each, label: each })) : null;
  const ids = name === 'key' ? [...keys].map(([id, label]) => ({ value: id, label })) : known;
  const add = (): void => {
    if (value.trim() !== '') onAdd(name, value);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}>
      <Stack gap="xs" w={260}>
        <Select
          size="xs"
          label="By"
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          data={free.map((each) => ({ value: each, label: dimensionNames[each] }))}
          value={name}
          onChange={(next) => {
            setName(next as FilterName);
            setValue('');
          }}
        />
        {ids !== null ? (
          <Select
            size="xs"
            label={dimensionNames[name]}
            searchable
            comboboxProps={{ withinPortal: false }}
            data={ids}
            value={value === '' ? null : value}
            onChange={(id) => setValue(id ?? '')}
          />
        ) : (
          <Autocomplete
            size="xs"
            label={dimensionNames[name]}
            comboboxProps={{ withinPortal: false }}
            data={seen.data ?? []}
            limit={20}
            value={value}
            onChange={setValue}
          />
        )}
        <Group justify="flex-end">
          <Button size="xs" type="submit" disabled={value.trim() === ''}>
            Filter
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
