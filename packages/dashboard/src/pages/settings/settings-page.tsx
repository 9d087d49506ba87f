/** The organization's settings, and the person's own password. */
import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { organizationQuery } from '../../api/asked-often.ts';
import { useMay, useSession } from '../../app/session.ts';
import { DrawnInTurn } from '../../parts/drawn-in-turn.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { AboutPanel } from './about-panel.tsx';
import { ErasePanel } from './erase-panel.tsx';
import { OrganizationForm } from './organization-form.tsx';
import { OwnKeysPanel } from './own-keys-panel.tsx';
import { PasswordForm } from './password-form.tsx';
import { PriceListPanel } from './price-list-panel.tsx';
import { ReceiptKeysPanel } from './receipt-keys-panel.tsx';
import { WaysInPanel } from './ways-in-panel.tsx';

const route = getRouteApi('/shell/settings');

export function SettingsPage() {
  const { tab = 'organization' } = route.useSearch();
  const navigate = route.useNavigate();
  const {
    organization: { id, name },
  } = useSession();
  const admin = useMay('admin');
  const owner = useMay('owner');
  // A tab is drawn when it is first opened, and keeps what was entered in it.
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set([tab]));
  if (!opened.has(tab)) setOpened(new Set([...opened, tab]));
  const organization = useQuery({ ...organizationQuery(id), staleTime: 5_000 });
  return (
    <Page title="Settings" about={name}>
      <Tabs value={tab} onChange={(value) => void navigate({ search: { tab: value ?? undefined }, replace: true })} maw={880}>
        <Tabs.List mb="md">
          <Tabs.Tab value="organization">Organization</Tabs.Tab>
          <Tabs.Tab value="you">You</Tabs.Tab>
          {owner ? <Tabs.Tab value="erase">Erase</Tabs.Tab> : null}
        </Tabs.List>
        <Tabs.Panel value="organization">
          {opened.has('organization') ? (
            <Loaded of={organization} height={640}>
              {(data) => (
                <Stack>
                  <DrawnInTurn>
                    <Panel title="Policy and prices">
                      <OrganizationForm organization={data} readOnly={!admin} />
                    </Panel>
                    <OwnKeysPanel of={data} readOnly={!admin} />
                    <AboutPanel of={data} />
                    <PriceListPanel />
                    <ReceiptKeysPanel />
                  </DrawnInTurn>
                </Stack>
              )}
            </Loaded>
          ) : null}
        </Tabs.Panel>
        <Tabs.Panel value="you">
          {opened.has('you') ? (
            <Stack>
              <Panel title="Ways into your account">
                <WaysInPanel />
              </Panel>
              <Panel title="Change your password">
                <PasswordForm />
              </Panel>
            </Stack>
          ) : null}
        </Tabs.Panel>
        {owner ? (
          <Tabs.Panel value="erase">
            {opened.has('erase') ? <ErasePanel /> : null}
          </Tabs.Panel>
        ) : null}
      </Tabs>
    </Page>
  );
}
