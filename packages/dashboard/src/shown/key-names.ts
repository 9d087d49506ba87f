/** Service keys by id, so that pages can show a key by its name. */
import { api } from '../api/client.ts';

export type KeyNames = ReadonlyMap<string, string>;

export function useKeyNames(): KeyNames {
  const { data } = api.useQuery(
    'get',
    '/platform/v1/keys',
    { params: { query: { limit: 1_000 } } },
    {
      staleTime: 30_000,
      select: ({ data }) => new Map(data.map(({ id, name, prefix }) => [id, name ?? `${prefix}…`])),
    },
  );
  return data ?? none;
}

const none: KeyNames = new Map();
