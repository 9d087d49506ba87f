/** Where calls go: the providers' keys and the declared upstreams. */
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { productQuery, providersQuery } from '../../api/asked-often.ts';
import { Page, Panel } from '../../parts/page.tsx';
import { ProviderSetup } from '../../parts/provider-setup.tsx';
import { Loaded } from '../../parts/states.tsx';
import { NamedUpstreamsPanel } from './named-upstreams-panel.tsx';
import { UpstreamPanel } from './upstream-panel.tsx';

export function ProvidersPage() {
  const providers = useQuery(providersQuery);
  const product = useQuery(productQuery);
  return (
    <Page title="Providers" about="Where calls go, and with which credential. Credentials go in and never come out.">
      <Stack maw={880}>
        <Panel title="Provider keys">
          <Loaded of={providers} height={220}>
            {({ data }) => <ProviderSetup connections={data} sandbox={product.data?.sandbox === true} />}
          </Loaded>
        </Panel>
        <UpstreamPanel gatewayUrl={product.data?.gatewayUrl ?? ''} />
        <NamedUpstreamsPanel gatewayUrl={product.data?.gatewayUrl ?? ''} />
      </Stack>
    </Page>
  );
}
