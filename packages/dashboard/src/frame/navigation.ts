/** The pages as the menu and the command palette name them. */
import type { LucideIcon } from 'lucide-react';
import {
  Activity,
  BarChart3,
  BellRing,
  CalendarCheck,
  Building2,
  Download,
  FolderKanban,
  Gauge,
  KeyRound,
  LayoutDashboard,
  ListTree,
  Plug,
  Radio,
  ReceiptText,
  Rocket,
  ScrollText,
  ShieldX,
  Server,
  Ticket,
  Users,
} from 'lucide-react';
import type { SessionRole, Session } from '../app/session.ts';

export interface NavigationPage {
  readonly to: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** What the page is for; shown in the palette. */
  readonly about: string;
  /** The least role that sees the page; absent: everyone. */
  readonly role?: SessionRole;
  /** Only those who run the deployment see it. */
  readonly operator?: true;
}

interface NavigationGroup {
  readonly name: string;
  readonly pages: readonly NavigationPage[];
}

const ranks: readonly SessionRole[] = ['viewer', 'member', 'admin', 'owner'];

type Rights = Pick<Session, 'role' | 'operator'>;

/** The pages that this session may see. */
export function pagesFor(session: Rights, { pages }: NavigationGroup): readonly NavigationPage[] {
  return pages.filter((page) => maySee(session, page));
}

/** The page at this path, if the session may not see it. */
export function closedPage(session: Rights, path: string): NavigationPage | undefined {
  return navigation.flatMap(({ pages }) => pages).find((page) => page.to === path && !maySee(session, page));
}

function maySee({ role, operator }: Rights, page: NavigationPage): boolean {
  return ranks.indexOf(role) >= ranks.indexOf(page.role ?? 'viewer') && (page.operator === undefined || operator);
}

export const navigation: readonly NavigationGroup[] = [
  {
    name: 'Watch',
    pages: [
      { to: '/', name: 'Overview', icon: LayoutDashboard, about: 'Spend, calls, tokens, refusals and latency' },
      { to: '/explore', name: 'Explore', icon: BarChart3, about: 'Usage by any two dimensions, with export' },
      { to: '/calls', name: 'Calls', icon: Activity, about: 'Every call, live, with a breakdown of its cost' },
      { to: '/refusals', name: 'Refusals', icon: ShieldX, about: 'Refused calls one by one, and what would let them through' },
      { to: '/runs', name: 'Runs', icon: ListTree, about: 'Agent runs, their budgets and grants' },
      { to: '/baseline', name: 'Baseline', icon: Radio, about: 'Seven days reported by the tap' },
    ],
  },
  {
    name: 'Control',
    pages: [
      { to: '/caps', name: 'Caps & limits', icon: Gauge, about: 'Spend caps with their forecasts, rate limits' },
      { to: '/alerts', name: 'Alerts & webhooks', icon: BellRing, about: 'Thresholds, webhooks and their deliveries' },
    ],
  },
  {
    name: 'Report',
    pages: [
      { to: '/projects', name: 'Projects', icon: FolderKanban, about: 'What calls were for, with their caps' },
      { to: '/month', name: 'Month', icon: CalendarCheck, about: 'Total, teams, bills and closing of a month' },
      { to: '/statement', name: 'Statement', icon: ReceiptText, about: 'The usage of a month, to print and keep' },
      { to: '/exports', name: 'Exports', icon: Download, about: 'Calls as CSV, Parquet, JSON Lines or FOCUS, and receipts' },
    ],
  },
  {
    name: 'Connect',
    pages: [
      { to: '/start', name: 'Get started', icon: Rocket, about: 'From a provider key to the first call' },
      { to: '/keys', name: 'Service keys', icon: KeyRound, about: 'What callers present instead of provider keys' },
      { to: '/providers', name: 'Providers', icon: Plug, about: 'Provider keys and the declared upstream', role: 'admin' },
    ],
  },
  {
    name: 'Organization',
    pages: [
      { to: '/members', name: 'Members', icon: Users, about: 'People, roles and invitations', role: 'admin' },
      { to: '/tokens', name: 'Tokens', icon: Ticket, about: 'Credentials for scripts that use the platform', role: 'admin' },
      { to: '/audit', name: 'Audit', icon: ScrollText, about: 'Who changed what, and when', role: 'admin' },
      { to: '/nodes', name: 'Nodes', icon: Server, about: 'Gateway nodes, their readiness and journals', operator: true },
      { to: '/settings', name: 'Settings', icon: Building2, about: 'Run policy, fallback price, your password' },
    ],
  },
];
