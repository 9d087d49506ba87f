/** Filters by how a call ended and by what is known of its usage. */
import { Select } from '@mantine/core';
import type { CallsSearch } from '../../app/page-search.ts';
import { outcomes, usages } from '../../shown/call-record.ts';

export function CallStateFilters({
  search,
  onChange,
}: {
  readonly search: CallsSearch;
  readonly onChange: (change: Partial<CallsSearch>) => void;
}) {
  return (
    <>
      <Select
        size="xs"
        w={150}
        aria-label="How it ended"
        placeholder="Any end"
        clearable
        data={outcomes}
        value={search.outcome ?? null}
        onChange={(outcome) => onChange({ outcome: outcome ?? undefined })}
      />
      <Select
        size="xs"
        w={140}
        aria-label="Its usage"
        placeholder="Any usage"
        clearable
        data={usages}
        value={search.usage ?? null}
        onChange={(usage) => onChange({ usage: usage ?? undefined })}
      />
    </>
  );
}
