/** Service keys by id, so that pages can show a key by its name. */
import { useQuery } from '@tanstack/react-query';
import type { Shown } from '../api/client.ts';
import { wholeListQuery } from '../api/whole-list.ts';

export type KeyNames = ReadonlyMap<string, string>;

export const keysQuery = { ...wholeListQuery('/platform/v1/keys'), staleTime: 30_000 };

export function useKeyNames(): KeyNames {
  return useQuery({ ...keysQuery, select: namesOf }).data ?? none;
}

const namesOf = ({ data }: { readonly data: readonly Shown<'ServiceKey'>[] }): KeyNames =>
  new Map(data.map(({ id, name, prefix }) => [id, name ?? `${prefix}…`]));

const none: KeyNames = new Map();
