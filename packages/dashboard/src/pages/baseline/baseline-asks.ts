/** What the page of the Baseline asks of the platform. */
import { productQuery } from '../../api/asked-often.ts';
import { api } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';

export const assessmentsQuery = api.queryOptions('get', '/platform/v1/assessments');

export function assessmentQuery(id: string) {
  return api.queryOptions('get', '/platform/v1/assessments/{id}', { params: { path: { id } } });
}

/** Which Baseline is shown is known from the list. */
export const baselineAsks: Asks<PathSearch> = () => [assessmentsQuery, productQuery];
