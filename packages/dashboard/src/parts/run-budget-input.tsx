/** The highest budget that a run may declare with a service key. */
import { NumberInput, type NumberInputProps } from '@mantine/core';

export function RunBudgetInput(field: NumberInputProps) {
  return (
    <NumberInput
      label="Highest run budget, US dollars"
      description="What a run may declare with this key alone. Empty: the organization's policy."
      min={0}
      decimalScale={6}
      hideControls
      prefix="$"
      {...field}
    />
  );
}
