/**
 * `SVC_DATABASE_URL` → the engine, and a name for the place that contains no password.
 * @throws StoreFault `bad_store_url` for anything but `sqlite:PATH` and `postgres://…`; the text itself is not repeated,
 * since it may hold a password.
 */
import { schemaOfUrl } from './cell-url.ts';
import { StoreFault } from './fault.ts';

export type StorePlace =
  | { readonly kind: 'sqlite'; readonly path: string; readonly name: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly name: string };

/** Reads a store's address. `name` is fit for messages: the path, or `host:port/database`. */
export function parseDatabaseUrl(text: string): StorePlace {
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (path !== '' && !path.includes('\0') && path !== ':memory:') return { kind: 'sqlite', path, name: path };
  } else if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) {
    const url = new URL(text);
    const host = url.hostname === '' ? 'localhost' : url.hostname;
    const schema = schemaOfUrl(url);
    const name = `${host}:${url.port === '' ? '5432' : url.port}${url.pathname}${schema === null ? '' : `, schema ${schema}`}`;
    return { kind: 'postgres', url: text, name };
  }
  throw new StoreFault('bad_store_url', 'SVC_DATABASE_URL must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.');
}
