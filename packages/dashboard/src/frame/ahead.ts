/**
 * If the browser was signed in at its last visit, the page's script and its data are requested before it is known whether it still is; otherwise one
 * would wait for the other. If it is not, the answers are refusals, which nobody sees: the way leads to the sign-in.
 */
import { sessionBefore, wasSignedIn } from '../app/session.ts';
import { router } from './router.tsx';

export function goAhead(): void {
  if (!wasSignedIn()) return;
  const session = sessionBefore();
  const matches = router.matchRoutes(router.latestLocation);
  const routes = matches.map(({ routeId }) => router.routesById[routeId as keyof typeof router.routesById]);
  for (const route of routes) void router.loadRouteChunk(route);
  if (session === null) return;
  for (const { options } of routes) options.staticData?.ahead?.go(router.latestLocation.search, session);
}
