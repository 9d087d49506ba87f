/** Refused calls of the range by reason, most frequent first; nothing where no call was refused: the figures above say so. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Panel } from '../../parts/page.tsx';
import { ShareBar } from '../../parts/share-bar.tsx';
import { Loaded } from '../../parts/states.tsx';
import { percent } from '../../shown/amounts.ts';
import { Count } from '../../shown/figures.tsx';
import { refusalWords } from '../../shown/refusal-words.ts';
import type { Range } from '../../shown/ranges.ts';
import { refusalsQuery } from './overview-data.ts';

const shown = 6;

export function RefusedPanel({ range }: { readonly range: Range }) {
  const refusals = useQuery(refusalsQuery(range));
  if (refusals.data?.byCode.length === 0) return null;
  return (
    <Panel
      title="Refusals by reason"
      actions={
        <Anchor component={Link} to="/caps" size="xs">
          Who was refused
        </Anchor>
      }>
      <Loaded of={refusals} height={180}>
        {({ byCode, total }) => (
          <Stack gap={2} component="ol" style={{ listStyle: 'none', padding: 0, margin: 0 }}>
            {byCode.slice(0, shown).map(({ code, refusals: times }) => (
              <li key={code} className="share">
                <ShareBar part={times} of={total} />
                <Group justify="space-between" wrap="nowrap" gap="sm">
                  <Text size="sm" className="clip" title={code}>
                    {refusalWords({ code })}
                  </Text>
                  <Group gap="sm" wrap="nowrap">
                    <Text size="sm" fw={550} component="span">
                      <Count of={times} />
                    </Text>
                    <Text size="xs" c="dimmed" w={38} ta="right" component="span">
                      {percent(times, total)}
                    </Text>
                  </Group>
                </Group>
              </li>
            ))}
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}
