/** What live runs may still spend together, against the organization's policy. */
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { organizationQuery } from '../../api/asked-often.ts';
import { useMay, useSession } from '../../app/session.ts';
import { Figure } from '../../parts/figure.tsx';
import { Panel } from '../../parts/page.tsx';
import { Money } from '../../shown/figures.tsx';
import type { ListedRun } from './run-state.tsx';

export function ExposurePanel({ live, whole }: { readonly live: readonly ListedRun[]; readonly whole: boolean }) {
  const { organization } = useSession();
  const may = useMay('admin');
  const policy = useQuery(organizationQuery(organization.id));
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
          <Link to="/settings">{may ? 'Change the policy' : 'See the policy'}</Link>
        </Text>
      </Group>
    </Panel>
  );
}
