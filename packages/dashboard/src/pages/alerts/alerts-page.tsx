/** Alerts: thresholds of caps, webhooks, and all their deliveries. */
import { getRouteApi } from '@tanstack/react-router';
import type { PathSearch } from '../../app/page-search.ts';
import { Page } from '../../parts/page.tsx';
import { DeliveriesDrawer } from './deliveries.tsx';
import { ThresholdsPanel } from './thresholds-panel.tsx';
import { WebhooksPanel } from './webhooks-panel.tsx';

const route = getRouteApi('/shell/alerts');

export function AlertsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const open = (to: PathSearch): void => void navigate({ search: to, replace: true, resetScroll: false });
  return (
    <Page
      title="Alerts & webhooks"
      about="What happens to caps, runs, Baselines and a day's spend is posted to your webhooks: each event once, and signed.">
      <WebhooksPanel search={search} open={open} />
      <ThresholdsPanel search={search} open={open} />
      <DeliveriesDrawer webhook={search.id} onClose={() => open({})} />
    </Page>
  );
}
