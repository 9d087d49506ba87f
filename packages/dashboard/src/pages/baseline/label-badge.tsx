/** The label of a tap figure: where it comes from. */
import { Badge } from '@mantine/core';

export type Label = 'reported' | 'modeled' | 'declared';

export function LabelBadge({ label }: { readonly label: Label }) {
  return (
    <Badge size="xs" variant="default" tt="none" fw={500} c="dimmed">
      {label}
    </Badge>
  );
}
