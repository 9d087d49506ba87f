/**
 * Every address of the dashboard. A page is loaded on its first visit. Filters, ranges and groupings are in the address, read by
 * `page-search.ts`, so that every view can be linked, reloaded and returned to.
 */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { queries, Refused } from '../api/client.ts';
import { noteNoAnswer } from '../api/reach.ts';
import { NotFoundPage, PageAway, PageFault } from './page-fault.tsx';
import {
  callsSearch,
  exploreSearch,
  exportsSearch,
  overviewSearch,
  pathSearch,
  projectsSearch,
  refusalsSearch,
  runsSearch,
  signInSearch,
  startSearch,
  monthSearch,
  statementSearch,
} from '../app/page-search.ts';
import { addressWith, searchIn } from '../app/address-words.ts';
import { rememberSignedIn, sessionQuery } from '../app/session.ts';
import { askAhead } from '../pages/overview/overview-data.ts';

/** A page's script that does not come is a platform that is away: the frame stays and says so, where the router would load the document again. */
function pageOf<Module extends Record<string, unknown>>(load: () => Promise<Module>, name: keyof Module & string) {
  const known = async (): Promise<Module> => {
    try {
      return await load();
    } catch {
      noteNoAnswer();
      throw new PageAway();
    }
  };
  return lazyRouteComponent(known as unknown as () => Promise<Record<string, ComponentType>>, name);
}

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage, errorComponent: PageFault });

const open = {
  signIn: createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    validateSearch: signInSearch,
    component: pageOf(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
  }),
  join: createRoute({
    getParentRoute: () => root,
    path: '/join',
    component: pageOf(() => import('../pages/sign-in/join-page.tsx'), 'JoinPage'),
  }),
  password: createRoute({
    getParentRoute: () => root,
    path: '/password',
    component: pageOf(() => import('../pages/sign-in/password-page.tsx'), 'PasswordPage'),
  }),
};

/** All routes that require a session. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ location }) => {
    try {
      await queries.ensureQueryData(sessionQuery);
      rememberSignedIn(true);
    } catch (fault) {
      rememberSignedIn(false);
      if (fault instanceof Refused && fault.status === 401) throw redirect({ to: '/sign-in', search: { to: location.href } });
      throw fault;
    }
  },
  component: pageOf(() => import('./shell.tsx'), 'Shell'),
});

const pages = {
  overview: createRoute({
    getParentRoute: () => shell,
    path: '/',
    validateSearch: overviewSearch,
    loaderDeps: ({ search }) => search,
    // Loaded along with the page's script, not after it.
    loader: ({ deps }) => askAhead(deps),
    component: pageOf(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
  }),
  start: createRoute({
    getParentRoute: () => shell,
    path: '/start',
    validateSearch: startSearch,
    component: pageOf(() => import('../pages/start/start-page.tsx'), 'StartPage'),
  }),
  explore: createRoute({
    getParentRoute: () => shell,
    path: '/explore',
    validateSearch: exploreSearch,
    component: pageOf(() => import('../pages/explore/explore-page.tsx'), 'ExplorePage'),
  }),
  baseline: createRoute({
    getParentRoute: () => shell,
    path: '/baseline',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/baseline/baseline-page.tsx'), 'BaselinePage'),
  }),
  calls: createRoute({
    getParentRoute: () => shell,
    path: '/calls',
    validateSearch: callsSearch,
    component: pageOf(() => import('../pages/calls/calls-page.tsx'), 'CallsPage'),
  }),
  refusals: createRoute({
    getParentRoute: () => shell,
    path: '/refusals',
    validateSearch: refusalsSearch,
    component: pageOf(() => import('../pages/refusals/refusals-page.tsx'), 'RefusalsPage'),
  }),
  runs: createRoute({
    getParentRoute: () => shell,
    path: '/runs',
    validateSearch: runsSearch,
    component: pageOf(() => import('../pages/runs/runs-page.tsx'), 'RunsPage'),
  }),
  caps: createRoute({
    getParentRoute: () => shell,
    path: '/caps',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/caps/caps-page.tsx'), 'CapsPage'),
  }),
  alerts: createRoute({
    getParentRoute: () => shell,
    path: '/alerts',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/alerts/alerts-page.tsx'), 'AlertsPage'),
  }),
  exports: createRoute({
    getParentRoute: () => shell,
    path: '/exports',
    validateSearch: exportsSearch,
    component: pageOf(() => import('../pages/exports/exports-page.tsx'), 'ExportsPage'),
  }),
  month: createRoute({
    getParentRoute: () => shell,
    path: '/month',
    validateSearch: monthSearch,
    component: pageOf(() => import('../pages/month/month-page.tsx'), 'MonthPage'),
  }),
  statement: createRoute({
    getParentRoute: () => shell,
    path: '/statement',
    validateSearch: statementSearch,
    component: pageOf(() => import('../pages/statement/statement-page.tsx'), 'StatementPage'),
  }),
  projects: createRoute({
    getParentRoute: () => shell,
    path: '/projects',
    validateSearch: projectsSearch,
    component: pageOf(() => import('../pages/projects/projects-page.tsx'), 'ProjectsPage'),
  }),
  keys: createRoute({
    getParentRoute: () => shell,
    path: '/keys',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
  }),
  connect: createRoute({
    getParentRoute: () => shell,
    path: '/connect',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/connect/connect-page.tsx'), 'ConnectPage'),
  }),
  providers: createRoute({
    getParentRoute: () => shell,
    path: '/providers',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/providers/providers-page.tsx'), 'ProvidersPage'),
  }),
  members: createRoute({
    getParentRoute: () => shell,
    path: '/members',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/members/members-page.tsx'), 'MembersPage'),
  }),
  tokens: createRoute({
    getParentRoute: () => shell,
    path: '/tokens',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/tokens/tokens-page.tsx'), 'TokensPage'),
  }),
  audit: createRoute({
    getParentRoute: () => shell,
    path: '/audit',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
  }),
  nodes: createRoute({
    getParentRoute: () => shell,
    path: '/nodes',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/nodes/nodes-page.tsx'), 'NodesPage'),
  }),
  settings: createRoute({
    getParentRoute: () => shell,
    path: '/settings',
    validateSearch: pathSearch,
    component: pageOf(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
  }),
  /** Any other address: the frame stays. */
  other: createRoute({ getParentRoute: () => shell, path: '$', component: NotFoundPage }),
};

export const router = createRouter({
  parseSearch: searchIn,
  stringifySearch: addressWith,
  routeTree: root.addChildren([...Object.values(open), shell.addChildren(Object.values(pages))]),
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultPendingMs: 200,
  defaultErrorComponent: PageFault,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
