/**
 * If the browser was signed in at its last visit, the page's script and data are requested before it is known whether it still is; otherwise one
 * would wait for the other. If it is not, the answer is a 401, which is ignored.
 */
import { queries } from '../api/client.ts';
import { overviewSearch } from '../app/page-search.ts';
import { sessionQuery, wasSignedIn } from '../app/session.ts';
import { askAhead } from '../pages/overview/overview-data.ts';
import { router } from './router.tsx';

export function goAhead(): void {
  if (!wasSignedIn()) return;
  void queries.prefetchQuery(sessionQuery);
  const routes = router.routesById;
  for (const { routeId } of router.matchRoutes(router.latestLocation)) void router.loadRouteChunk(routes[routeId as keyof typeof routes]);
  if (router.latestLocation.pathname === '/') askAhead(overviewSearch(router.latestLocation.search));
}
