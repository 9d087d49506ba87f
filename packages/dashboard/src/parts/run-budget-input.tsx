/** The highest budget that a run may declare with a service key. */
import type { NumberInputProps } from '@mantine/core';
import { DollarsInput } from './dollars-input.tsx';

export function RunBudgetInput(field: NumberInputProps) {
  return (
    <DollarsInput
      label="Highest run budget, US dollars"
      description="What a run may declare with this key alone. Empty: the organization's policy."
      {...field}
    />
  );
}
