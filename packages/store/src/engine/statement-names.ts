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

/** A pooler gave the transaction a session that does not know the name, or where another client made it known before. */
const lost: ReadonlySet<unknown> = new Set(['26000', '42P05']);
/** A table has other columns than when the statement was planned: an upgrade was made meanwhile. */
const outdated = '0A000';

/** Names of one pool of connections. */
export class StatementNames {
  readonly #lost: (code: string) => void;
  readonly #named = new Map<string, NamedText>();
  #inUse = true;
  #upgrades = 0;

  /** `lost`: called once, with the server's code, when names are no longer of use. */
  constructor(lost: (code: string) => void) {
    this.#lost = lost;
  }

  /** False: the server did not know a name that it had been given, and none is used any more. */
  get inUse(): boolean {
    return this.#inUse;
  }

  /** The text to send, and its name; no name: it is sent without. */
  of(text: string): NamedText {
    const known = this.#named.get(text);
    if (known !== undefined) return known;
    if (this.#named.size >= namesMax) return { text };
    // The text differs too: poolers that pass names on know a statement by its text, and would find the plan from before the upgrade.
    const sent = this.#upgrades === 0 ? text : `${text} /* ${this.#upgrades} */`;
    const named = { text: sent, name: `metergate_${hash('sha256', sent, 'hex').slice(0, digits)}` };
    this.#named.set(text, named);
    return named;
  }

  /** Whether a transaction may have failed only because its statements had names. Nothing of it stands, so it can be done again without. */
  areAtFault(error: unknown): boolean {
    return codeOf(error) === outdated || lost.has(codeOf(error));
  }

  /** Without names the transaction did not fail: they were at fault. After an upgrade statements get other names, and are planned anew. */
  failed(error: unknown): void {
    if (codeOf(error) === outdated) {
      this.#upgrades += 1;
      this.#named.clear();
      return;
    }
    if (this.#inUse) this.#lost(String(codeOf(error)));
    this.#inUse = false;
  }
}

interface NamedText {
  readonly text: string;
  readonly name?: string;
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code;
}
