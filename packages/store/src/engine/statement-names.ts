/**
 * Names for fixed statements that are sent again and again: a server reads and plans a statement with a name once for each connection, and not each
 * time (decision 373). A name is a digest of the text, so whoever meets it in a session that a pooler gave to another client before means the same.
 */
import { hash } from 'node:crypto';

/** Texts are fixed and the product has fewer: what a session of the server keeps is bounded all the same. */
const namesMax = 200;
const digits = 32;

/**
 * Each session plans for any values and any size of a table, once: what is sent names its rows by their keys, as arrays. A plan that was made while
 * a table was small would otherwise read all of it once it has grown. What reads a table without an index is estimated as very costly then, and
 * must not be compiled for that. It holds for one transaction, since a pooler gives the session to others. Citus cannot plan all of them for any
 * values, and decides by itself.
 */
export const planOnce = `select set_config('plan_cache_mode', case count(*) when 0 then 'force_generic_plan' else 'auto' end, true),
  set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true) from pg_extension where extname = 'citus'`;

/**
 * A pooler gave the transaction a session that does not know the name, or where another client made it known before; or a table has other columns
 * than when the statement was planned, since an upgrade was made meanwhile.
 */
const lost: ReadonlySet<unknown> = new Set(['26000', '42P05', '0A000']);

/** Names of one pool of connections. */
export class StatementNames {
  readonly #lost: (code: string) => void;
  readonly #names = new Map<string, string>();
  #inUse = true;

  /** `lost`: told once, with the server's code, when names are no longer of use. */
  constructor(lost: (code: string) => void) {
    this.#lost = lost;
  }

  /** False: the server did not know one that it was told, and none is used any more. */
  get inUse(): boolean {
    return this.#inUse;
  }

  /** Undefined: it is sent without a name. */
  of(text: string): string | undefined {
    let name = this.#names.get(text);
    if (name === undefined && this.#names.size < namesMax) {
      name = `metergate_${hash('sha256', text, 'hex').slice(0, digits)}`;
      this.#names.set(text, name);
    }
    return name;
  }

  /** Whether a transaction failed only because its statements had names. Nothing of it stands, so it can be done again without. */
  areAtFault(error: unknown): boolean {
    const { code } = error as { readonly code?: unknown };
    if (!lost.has(code)) return false;
    if (this.#inUse) this.#lost(String(code));
    this.#inUse = false;
    return true;
  }
}
