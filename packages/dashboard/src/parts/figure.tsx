/** One figure with its name above it. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function Figure({ name, children, large = false }: { readonly name: string; readonly children: ReactNode; readonly large?: boolean }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={large ? 650 : 600} fz={large ? 'lg' : undefined} component="div">
        {children}
      </Text>
    </div>
  );
}
