/**
 * Every address of the dashboard. A page is loaded on its first visit. Filters, ranges and groupings are in the address, read by
 * `page-search.ts`, so that every view can be linked, reloaded and returned to.
 */
import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { askAhead } from '../api/ahead.ts';
import { organizationsQuery } from '../api/asked-often.ts';
import { queries, Refused } from '../api/client.ts';
import { signInSearch } from '../app/page-search.ts';
import { addressWith, searchIn } from '../app/address-words.ts';
import { noteSession, sessionQuery } from '../app/session.ts';
import { ChartOverTime } from '../parts/chart-over-time.ts';
import { LongRows } from '../parts/windowed-rows.tsx';
import { Grouped } from '../pages/overview/grouped-on-demand.ts';
import { hasCounts } from '../pages/calls/calls-asks.ts';
import { isGrouped } from '../pages/overview/overview-data.ts';
import { NotFoundPage, PageFault } from './page-fault.tsx';
import { pageAsks } from './page-asks.ts';
import { componentOf, pageRoute } from './page-route.ts';

/** Asks for nothing ahead of its script. */
const alone = { ahead: null };

const root = createRootRoute({ staticData: alone, component: Outlet, notFoundComponent: NotFoundPage, errorComponent: PageFault });

const open = {
  signIn: createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    staticData: alone,
    validateSearch: signInSearch,
    component: componentOf(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
  }),
  join: createRoute({
    getParentRoute: () => root,
    path: '/join',
    staticData: alone,
    component: componentOf(() => import('../pages/sign-in/join-page.tsx'), 'JoinPage'),
  }),
  password: createRoute({
    getParentRoute: () => root,
    path: '/password',
    staticData: alone,
    component: componentOf(() => import('../pages/sign-in/password-page.tsx'), 'PasswordPage'),
  }),
};

/** All routes that require a session. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  staticData: { ahead: { go: () => askAhead([sessionQuery, organizationsQuery]) } },
  beforeLoad: async ({ location }) => {
    try {
      noteSession(await queries.ensureQueryData(sessionQuery));
    } catch (fault) {
      noteSession(null);
      if (fault instanceof Refused && fault.status === 401) throw redirect({ to: '/sign-in', search: { to: location.href } });
      throw fault;
    }
  },
  component: componentOf(() => import('./shell.tsx'), 'Shell'),
});

const pages = {
  overview: createRoute({
    getParentRoute: () => shell,
    path: '/',
    ...pageRoute({
      ...pageAsks['/'],
      draws: (search) => (isGrouped(search) ? [Grouped, ChartOverTime] : [ChartOverTime]),
      script: () => import('../pages/overview/overview-page.tsx'),
      name: 'OverviewPage',
    }),
  }),
  start: createRoute({
    getParentRoute: () => shell,
    path: '/start',
    ...pageRoute({ ...pageAsks['/start'], script: () => import('../pages/start/start-page.tsx'), name: 'StartPage' }),
  }),
  explore: createRoute({
    getParentRoute: () => shell,
    path: '/explore',
    ...pageRoute({
      ...pageAsks['/explore'],
      draws: ({ by, and }) => (by === 'day' || and === 'day' ? [ChartOverTime, LongRows] : [LongRows]),
      script: () => import('../pages/explore/explore-page.tsx'),
      name: 'ExplorePage',
    }),
  }),
  baseline: createRoute({
    getParentRoute: () => shell,
    path: '/baseline',
    ...pageRoute({ ...pageAsks['/baseline'], script: () => import('../pages/baseline/baseline-page.tsx'), name: 'BaselinePage' }),
  }),
  calls: createRoute({
    getParentRoute: () => shell,
    path: '/calls',
    ...pageRoute({
      ...pageAsks['/calls'],
      draws: (search) => (search.live !== 'on' && hasCounts(search) ? [ChartOverTime] : []),
      script: () => import('../pages/calls/calls-page.tsx'),
      name: 'CallsPage',
    }),
  }),
  refusals: createRoute({
    getParentRoute: () => shell,
    path: '/refusals',
    ...pageRoute({ ...pageAsks['/refusals'], script: () => import('../pages/refusals/refusals-page.tsx'), name: 'RefusalsPage' }),
  }),
  runs: createRoute({
    getParentRoute: () => shell,
    path: '/runs',
    ...pageRoute({ ...pageAsks['/runs'], script: () => import('../pages/runs/runs-page.tsx'), name: 'RunsPage' }),
  }),
  caps: createRoute({
    getParentRoute: () => shell,
    path: '/caps',
    ...pageRoute({ ...pageAsks['/caps'], script: () => import('../pages/caps/caps-page.tsx'), name: 'CapsPage' }),
  }),
  alerts: createRoute({
    getParentRoute: () => shell,
    path: '/alerts',
    ...pageRoute({ ...pageAsks['/alerts'], script: () => import('../pages/alerts/alerts-page.tsx'), name: 'AlertsPage' }),
  }),
  exports: createRoute({
    getParentRoute: () => shell,
    path: '/exports',
    ...pageRoute({ ...pageAsks['/exports'], script: () => import('../pages/exports/exports-page.tsx'), name: 'ExportsPage' }),
  }),
  month: createRoute({
    getParentRoute: () => shell,
    path: '/month',
    ...pageRoute({ ...pageAsks['/month'], script: () => import('../pages/month/month-page.tsx'), name: 'MonthPage' }),
  }),
  statement: createRoute({
    getParentRoute: () => shell,
    path: '/statement',
    ...pageRoute({
      ...pageAsks['/statement'],
      script: () => import('../pages/statement/statement-page.tsx'), name: 'StatementPage',
    }),
  }),
  projects: createRoute({
    getParentRoute: () => shell,
    path: '/projects',
    ...pageRoute({ ...pageAsks['/projects'], script: () => import('../pages/projects/projects-page.tsx'), name: 'ProjectsPage' }),
  }),
  keys: createRoute({
    getParentRoute: () => shell,
    path: '/keys',
    ...pageRoute({ ...pageAsks['/keys'], script: () => import('../pages/keys/keys-page.tsx'), name: 'KeysPage' }),
  }),
  connect: createRoute({
    getParentRoute: () => shell,
    path: '/connect',
    ...pageRoute({ ...pageAsks['/connect'], script: () => import('../pages/connect/connect-page.tsx'), name: 'ConnectPage' }),
  }),
  providers: createRoute({
    getParentRoute: () => shell,
    path: '/providers',
    ...pageRoute({ ...pageAsks['/providers'], script: () => import('../pages/providers/providers-page.tsx'), name: 'ProvidersPage' }),
  }),
  members: createRoute({
    getParentRoute: () => shell,
    path: '/members',
    ...pageRoute({ ...pageAsks['/members'], script: () => import('../pages/members/members-page.tsx'), name: 'MembersPage' }),
  }),
  tokens: createRoute({
    getParentRoute: () => shell,
    path: '/tokens',
    ...pageRoute({ ...pageAsks['/tokens'], script: () => import('../pages/tokens/tokens-page.tsx'), name: 'TokensPage' }),
  }),
  audit: createRoute({
    getParentRoute: () => shell,
    path: '/audit',
    ...pageRoute({ ...pageAsks['/audit'], script: () => import('../pages/audit/audit-page.tsx'), name: 'AuditPage' }),
  }),
  nodes: createRoute({
    getParentRoute: () => shell,
    path: '/nodes',
    ...pageRoute({ ...pageAsks['/nodes'], script: () => import('../pages/nodes/nodes-page.tsx'), name: 'NodesPage' }),
  }),
  settings: createRoute({
    getParentRoute: () => shell,
    path: '/settings',
    ...pageRoute({ ...pageAsks['/settings'], script: () => import('../pages/settings/settings-page.tsx'), name: 'SettingsPage' }),
  }),
  /** Any other address: the frame stays. */
  other: createRoute({ getParentRoute: () => shell, path: '$', component: NotFoundPage, staticData: alone }),
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
