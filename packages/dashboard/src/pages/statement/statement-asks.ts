/** What a statement asks of the platform: the rows of its file, so that a closed month reads as it was closed. */
import { organizationQuery } from '../../api/asked-often.ts';
import { wholeListQuery } from '../../api/whole-list.ts';
import type { StatementSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';
import { keysQuery } from '../../shown/key-names.ts';
import { lastMonth, monthBefore } from '../../shown/months.ts';

/** A month, of all projects or of one. */
export interface StatementOf {
  readonly month: string;
  readonly project?: string;
}

export function statementIn({ month = lastMonth(new Date()), project }: StatementSearch): StatementOf {
  return { month, ...(project === undefined ? {} : { project }) };
}

export function statementQueries(of: StatementOf) {
  const rows = (by: 'project' | 'model' | 'key', month: string) => wholeListQuery('/platform/v1/statements/rows', { by, ...of, month });
  return {
    projects: rows('project', of.month), before: rows('project', monthBefore(of.month)), models: rows('model', of.month),
    keys: rows('key', of.month),
    /** Every project of the month, whatever is filtered. */
    all: wholeListQuery('/platform/v1/statements/rows', { by: 'project', month: of.month }),
  };
}

export const statementAsks: Asks<StatementSearch> = (search, { organization }) => [
  keysQuery, organizationQuery(organization.id), ...Object.values(statementQueries(statementIn(search))),
];
