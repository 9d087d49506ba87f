/**
 * Where a browser was signed in when it was last here, the page's script and data are asked for before it is known that it still is: else one
 * would wait for the other. What is asked in vain is answered 401, and forgotten.
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
