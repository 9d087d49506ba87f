/** The table of work that goes on after its answer, as TypeScript sees it; `migrations/0042-deferred-work.sql` makes it. */
import type { Whole, WholeOrNull } from './column.ts';

/** One piece of work, or a file that holds results of one. */
export interface DeferredWorkTable {
  readonly organization: string;
  readonly wire: string;
  /** The provider's id of the work, or of a file that holds results of it. */
  readonly work: string;
  /** Of such a file: the work; otherwise null. */
  readonly part_of: string | null;
  /** Id of the call that began it; null: none is known. */
  readonly began_by: string | null;
  readonly began_ms: Whole;
  /** Id of the record that has what it used: a settlement, or the call itself. */
  readonly settled_by: string | null;
  /** Settlements in the order in which they were kept; null: the call itself has what it used, or nothing has. */
  readonly settled_number: WholeOrNull;
  /** Path of the call that began it. */
  readonly path: string | null;
  /** When its outcome is to be asked for, where the organization wants that; null: never. */
  readonly next_look_ms: WholeOrNull;
  /** How often it was asked for; −1: it is not asked for any more. */
  readonly looks: Whole;
}
