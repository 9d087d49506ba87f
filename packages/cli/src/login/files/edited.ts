/** What editing a tool's settings comes to. Decision 196. */
import type { Splice } from './splice.ts';

/** One setting as people see it: `env.ANTHROPIC_BASE_URL`. */
export interface Setting {
  readonly name: string;
  /** Null: it is taken out. */
  readonly value: string | null;
}

export interface Edited {
  readonly splices: readonly Splice[];
}

/** Why a file is left as it is, as the end of a sentence that begins with its path. */
export interface Unfit {
  readonly unfit: string;
}

export function isUnfit(value: object): value is Unfit {
  return 'unfit' in value;
}
