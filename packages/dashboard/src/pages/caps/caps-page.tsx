/** Spend caps and the plan's rate limits: what is spent, what is left, when each resets. */
import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Gauge, Plus } from 'lucide-react';
import { capsQuery } from '../../api/asked-often.ts';
import type { Shown } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded, Nothing } from '../../parts/states.tsx';
import { useKeyNames } from '../../shown/key-names.ts';
import { capColumns } from './cap-columns.tsx';
import { CapForm } from './cap-form.tsx';
import { LimitsPanel } from './limits-panel.tsx';
import { ReachedPanel } from './reached-panel.tsx';
import { RefusalsPanel } from './refusals-panel.tsx';

type Cap = Shown<'Cap'>;
const route = getRouteApi('/shell/caps');

export function CapsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay('admin');
  const caps = useQuery({ ...capsQuery, refetchInterval: 10_000 });
  const names = useKeyNames();
  const open = (to: { new?: string; id?: string }): void => void navigate({ search: to, replace: true });
  const add = may ? (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => open({ new: 'cap' })}>
      New cap
    </Button>
  ) : null;
  const edited = caps.data?.data.find(({ id }) => id === search.id);
  return (
    <Page
      title="Caps & limits"
      actions={caps.data?.data.length === 0 ? null : add}
      about="A cap refuses calls, before anything is forwarded, once the spend in its window reaches its limit. Windows are in UTC.">
      <Panel flush title="Caps">
        <Loaded of={caps} height={260}>
          {({ data }) =>
            data.length === 0 ? (
              <Nothing icon={Gauge} title="No cap yet" action={add}>
                Set one for the whole organization, one key or one project.
              </Nothing>
            ) : (
              <DataTable<Cap>
                caption="Caps"
                rows={data}
                rowId={(cap) => cap.id}
                minWidth={900}
                columns={capColumns(names, (cap) => open({ id: cap.id }))}
              />
            )
          }
        </Loaded>
      </Panel>
      {may ? <ReachedPanel caps={caps.data?.data ?? []} /> : null}
      <RefusalsPanel />
      <LimitsPanel />
      <Modal
        opened={may && (search.new === 'cap' || edited !== undefined)}
        onClose={() => open({})}
        title={edited === undefined ? 'New cap' : 'Change the cap'}
        size="lg">
        <CapForm key={edited?.id ?? 'new'} cap={edited} onDone={() => open({})} />
      </Modal>
    </Page>
  );
}
