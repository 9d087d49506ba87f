/** The address of a cell: that of the directory's database or of another one, with the cell's schema as its search path. */

/** Names that a path in the address's options takes as they are. */
export const cellNameForm = 'A cell\'s name is 1 to 40 characters: a small letter, then small letters, digits or underscores. It does not begin '
  + 'with pg_.';

/** Whether a cell may be called so. */
export function isCellName(name: string): boolean {
  return /^(?!pg_)[a-z][a-z0-9_]{0,39}$/.test(name);
}

/** Why a cell cannot be at an address; null: it can. The directory keeps the address, so it holds no secret. */
export function cellAddressProblem(address: string): string | null {
  if (!/^postgres(?:ql)?:\/\//.test(address) || !URL.canParse(address)) return 'A cell\'s address is postgres://USER@HOST:PORT/DATABASE.';
  const url = new URL(address);
  if (url.password !== '' || [...url.searchParams.keys()].some((name) => /password/i.test(name))) {
    return 'A cell\'s address is kept in the store, so leave the password out of it, and put it into a file that PGPASSFILE names on every machine.';
  }
  return schemaOfUrl(url) === null ? null : 'A cell is in the schema of its name: leave the search path out of its address.';
}

/** PostgreSQL takes the last of several settings, so options that are there already stay in force beside it. */
export function cellUrl(url: string, schema: string): string {
  if (schema === '') return url;
  const own = new URL(url);
  const before = own.searchParams.get('options');
  own.searchParams.set('options', `${before === null ? '' : `${before} `}-c search_path=${schema}`);
  // The driver reads a plus sign as itself.
  own.search = own.search.replaceAll('+', '%20');
  return own.href;
}

/** The schema that an address names; null: the role's own search path. */
export function schemaOfUrl(url: URL): string | null {
  const named = [...(url.searchParams.get('options') ?? '').matchAll(/-c\s*search_path=([a-z0-9_]+)/g)].at(-1);
  return named?.[1] ?? null;
}
