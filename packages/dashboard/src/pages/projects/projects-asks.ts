/** What the page of projects asks of the platform. */
import { capsQuery, organizationQuery } from '../../api/asked-often.ts';
import { wholeListQuery } from '../../api/whole-list.ts';
import type { ProjectsSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';
import { keysQuery } from '../../shown/key-names.ts';
import { isoOf, searchedRange, type Range } from '../../shown/ranges.ts';

export function projectsRange(search: ProjectsSearch): Range {
  return searchedRange(search, Date.now(), '30d');
}

export function projectsQuery(range: Range) {
  return wholeListQuery('/platform/v1/usage', { by: 'project', ...isoOf(range) });
}

export const projectsAsks: Asks<ProjectsSearch> = (search, { organization }) => [
  projectsQuery(projectsRange(search)), keysQuery, capsQuery, organizationQuery(organization.id),
];
