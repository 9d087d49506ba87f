/** How the address of each page is read, and what the page asks the platform for there. */
import type { AskedAhead } from '../api/ahead.ts';
import {
  callsSearch, exploreSearch, exportsSearch, monthSearch, overviewSearch, pathSearch, projectsSearch,
  refusalsSearch, runsSearch, startSearch, statementSearch,
} from '../app/page-search.ts';
import type { Asks, KnownSession } from '../app/session.ts';
import { alertsAsks } from '../pages/alerts/alerts-asks.ts';
import { auditAsks } from '../pages/audit/audit-asks.ts';
import { baselineAsks } from '../pages/baseline/baseline-asks.ts';
import { callsAsks } from '../pages/calls/calls-asks.ts';
import { capsAsks } from '../pages/caps/caps-asks.ts';
import { connectAsks } from '../pages/connect/connect-asks.ts';
import { exploreAsks } from '../pages/explore/explore-asks.ts';
import { exportsAsks } from '../pages/exports/exports-asks.ts';
import { overviewAsks } from '../pages/overview/overview-data.ts';
import { keysAsks } from '../pages/keys/keys-asks.ts';
import { membersAsks } from '../pages/members/members-asks.ts';
import { monthAsks } from '../pages/month/month-asks.ts';
import { nodesAsks } from '../pages/nodes/nodes-asks.ts';
import { projectsAsks } from '../pages/projects/projects-asks.ts';
import { providersAsks } from '../pages/providers/providers-asks.ts';
import { refusalsAsks } from '../pages/refusals/refusals-asks.ts';
import { runsAsks } from '../pages/runs/runs-asks.ts';
import { settingsAsks } from '../pages/settings/settings-asks.ts';
import { startAsks } from '../pages/start/start-asks.ts';
import { statementAsks } from '../pages/statement/statement-asks.ts';
import { tokensAsks } from '../pages/tokens/tokens-asks.ts';

/** An address's words, before they are checked. */
export type Raw = Record<string, unknown>;

export interface PageAsks<Search> {
  readonly search: (raw: Raw) => Search;
  readonly at: (raw: Raw, session: KnownSession) => readonly AskedAhead[];
}

function page<Search>(search: (raw: Raw) => Search, asks: Asks<Search>): PageAsks<Search> {
  return { search, at: (raw, session) => asks(search(raw), session) };
}

export const pageAsks = {
  '/': page(overviewSearch, overviewAsks),
  '/start': page(startSearch, startAsks),
  '/explore': page(exploreSearch, exploreAsks),
  '/baseline': page(pathSearch, baselineAsks),
  '/calls': page(callsSearch, callsAsks),
  '/refusals': page(refusalsSearch, refusalsAsks),
  '/runs': page(runsSearch, runsAsks),
  '/caps': page(pathSearch, capsAsks),
  '/alerts': page(pathSearch, alertsAsks),
  '/exports': page(exportsSearch, exportsAsks),
  '/month': page(monthSearch, monthAsks),
  '/statement': page(statementSearch, statementAsks),
  '/projects': page(projectsSearch, projectsAsks),
  '/keys': page(pathSearch, keysAsks),
  '/connect': page(pathSearch, connectAsks),
  '/providers': page(pathSearch, providersAsks),
  '/members': page(pathSearch, membersAsks),
  '/tokens': page(pathSearch, tokensAsks),
  '/audit': page(pathSearch, auditAsks),
  '/nodes': page(pathSearch, nodesAsks),
  '/settings': page(pathSearch, settingsAsks),
};
