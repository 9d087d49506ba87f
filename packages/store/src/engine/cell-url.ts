/** The address of a cell that is a schema of the directory's database: the same address, with the schema as its search path. */

/** Names that need no quotes in SQL, and that a path in the address's options takes as they are. */
export const cellNameForm = 'A cell\'s name is 1 to 40 characters: a small letter, then small letters, digits or underscores.';

/** Whether a cell may be called so. */
export function isCellName(name: string): boolean {
  return /^[a-z][a-z0-9_]{0,39}$/.test(name);
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
