/** A state in one or two words, colored by its meaning. */
import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** `over`: it is past; `none`: there is nothing to report. */
type Meaning = 'good' | 'warn' | 'bad' | 'over' | 'none';

const colors = { good: 'green', warn: 'yellow', bad: 'red', over: 'gray', none: undefined } as const;

export function StateBadge({ means, children }: { readonly means: Meaning; readonly children: ReactNode }) {
  const ink = means === 'over' || means === 'none' ? 'dimmed' : `var(--${means})`;
  return (
    <Badge variant={means === 'none' ? 'default' : 'light'} color={colors[means]} c={ink}>
      {children}
    </Badge>
  );
}
