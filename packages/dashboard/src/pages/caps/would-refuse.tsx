/** What a cap would have refused in the past 30 days, before it is armed. */
import { Text } from '@mantine/core';
import type { Shown } from '../../api/client.ts';

type Cap = Shown<'Cap'>;

export interface CapWanted {
  readonly scope: Cap['scope'];
  readonly key: string | null;
  readonly project: string;
  readonly window: Cap['window'];
  readonly limit: string;
}

export function WouldRefuse({ wanted }: { readonly wanted: CapWanted }) {
  return wanted.limit === '' ? (
    <Text size="sm" c="dimmed">
      The command "metergate cap try" says what a limit would have refused in the past 30 days.
    </Text>
  ) : null;
}
