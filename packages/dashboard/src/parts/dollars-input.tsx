/** An amount of US dollars from 0, with at most six decimal places, as budgets of runs have. */
import { NumberInput, type NumberInputProps } from '@mantine/core';

export function DollarsInput(field: NumberInputProps) {
  return <NumberInput prefix="$" min={0} decimalScale={6} hideControls {...field} />;
}
