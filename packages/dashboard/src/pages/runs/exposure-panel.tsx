/** What live runs may still spend together, against the organization's policy. */
import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { Figure } from '../../parts/figure.tsx';
import { Panel } from '../../parts/page.tsx';
import { Money } from '../../shown/figures.tsx';
import type { ListedRun } from './run-state.tsx';

export function ExposurePanel({ live, whole }: { readonly live: readonly ListedRun[]; readonly whole: boolean }) {
  const { organization } = useSession();
  const policy = api.useQuery(
    'get',
    '/platform/v1/organizations/{id}',
    { params: { path: { id: organization.id } } },
    { staleTime: 60_000 },
  );
  const headroom = live.reduce(
    (sum, run) => sum + (run.effective === null ? 0 : Math.max(0, Number(run.effective) - Number(run.spent))),
    0,
  );
  return (
    <Panel>
      <Group gap="xl">
        <Figure large name="Live runs">
          <span className="figure">
            {live.length}
            {whole ? '' : ' or more'}
          </span>
        </Figure>
        <Figure large name="They may still spend">
          <Money amount={headroom.toFixed(9)} />
          {whole ? '' : ' or more'}
        </Figure>
        <Figure large name="Together at most">
          <Money amount={policy.data?.runExposure} none="no bound" />
        </Figure>
        <Figure large name="One run at most">
          <Money amount={policy.data?.maxRunBudget} none="no bound" />
        </Figure>
        <Text size="sm">
          <Link to="/settings">Change the policy</Link>
        </Text>
      </Group>
    </Panel>
  );
}
