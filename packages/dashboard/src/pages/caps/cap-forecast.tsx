/** When a cap will be reached at the pace of the last seven days. */
import { Text } from '@mantine/core';
import type { Shown } from '../../api/client.ts';
import { Money, Moment } from '../../shown/figures.tsx';
import { foreseen, share } from './cap-share.ts';

type Cap = Shown<'Cap'>;

export function CapForecast({ of: cap }: { readonly of: Cap }) {
  if (share(cap) >= 1) {
    return (
      <Text span inherit className="bad">
        reached
      </Text>
    );
  }
  if (Number(cap.pacePerDay) === 0) {
    return (
      <Text span inherit c="dimmed">
        nothing is spent
      </Text>
    );
  }
  const at = foreseen(cap, Date.now());
  return (
    <div>
      {at === null ? (
        <Text span inherit c="dimmed">
          not at this pace
        </Text>
      ) : (
        <Text span inherit className="warn">
          <Moment at={at} relative />
        </Text>
      )}
      <Text size="xs" c="dimmed">
        <Money amount={cap.pacePerDay} /> a day
      </Text>
    </div>
  );
}
