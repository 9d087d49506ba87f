/** What the page of exports asks of the platform: how much there is. */
import { organizationQuery } from '../../api/asked-often.ts';
import { wholeListQuery } from '../../api/whole-list.ts';
import type { ExportsSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';
import { isoOf, searchedRange, type Range } from '../../shown/ranges.ts';

export function exportsRange(search: ExportsSearch): Range {
  return searchedRange(search, Date.now(), '30d');
}

/** Each call has one wire, so that these sums are of all calls. */
export function wholeQuery(range: Range) {
  return wholeListQuery('/platform/v1/usage', { by: 'wire', ...isoOf(range) });
}

export const exportsAsks: Asks<ExportsSearch> = (search, { organization }) => [
  wholeQuery(exportsRange(search)), organizationQuery(organization.id),
];
