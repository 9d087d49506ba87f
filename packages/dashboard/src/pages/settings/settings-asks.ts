/** What the settings ask of the platform, with the panels behind their tabs. */
import { queryOptions } from '@tanstack/react-query';
import { organizationQuery } from '../../api/asked-often.ts';
import { api, ask, Refused } from '../../api/client.ts';
import type { PathSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';

export const waysInQuery = api.queryOptions('get', '/platform/v1/auth/ways-in');
export const pricesQuery = api.queryOptions('get', '/platform/v1/prices', {});
/** Its last key, and how many there were; none before the first call. */
export const receiptKeysQuery = queryOptions({
  queryKey: ['get', '/platform/v1/receipt-keys'], queryFn: ({ signal }) => receiptKeys(signal),
});

async function receiptKeys(signal: AbortSignal): Promise<{ readonly pem: string | null; readonly key: string; readonly count: number }> {
  try {
    const { pem, key, keys } = (await ask.GET('/platform/v1/receipt-keys', { signal })).data!;
    return { pem, key, count: keys.length };
  } catch (fault) {
    if (fault instanceof Refused && fault.code === 'no_receipts') return { pem: null, key: '', count: 0 };
    throw fault;
  }
}

export const settingsAsks: Asks<PathSearch> = (_, { organization }) => [
  organizationQuery(organization.id), pricesQuery, receiptKeysQuery, waysInQuery,
];
