/**
 * The tables of the directory of cells as TypeScript sees them; `migrations/0061-cells.sql`, `0062-cell-addresses.sql` and
 * `0065-whose-disabling.sql` make them. Used in the default cell alone.
 */
import type { Whole } from './column.ts';

/** No rows: the store has no cells but itself. Number 0 is the store itself. */
interface CellTable {
  readonly number: Whole;
  readonly name: string;
  /** The schema that holds it; empty: the one of the directory itself. */
  readonly schema: string;
  /** `open` or `drained`. */
  readonly state: string;
  readonly added_at_ms: Whole;
  /** Of its database, without a password; empty: the directory's own. */
  readonly address: string;
}

/** An organization that is not in the default cell. `ready`: 0 until its cell has it, then 1; 2 while it is being erased. */
interface OrganizationPlaceTable { readonly organization: string; readonly cell: Whole; readonly ready: Whole }

/** The organization of a service key or tap key that is not in the default cell, by the key's hash. */
interface KeyPlaceTable { readonly hash: string; readonly organization: string }

/**
 * A change of a membership that the organization's cell does not have yet, where that is another cell. `made`: the revision of the change.
 * `change`: `end`, `move` (to the person `becomes`) or `stop`.
 */
interface GuestChangeTable {
  readonly made: Whole;
  readonly organization: string;
  readonly person: string;
  readonly change: string;
  readonly becomes: string | null;
}

export interface CellSchema {
  readonly cell: CellTable;
  readonly organization_place: OrganizationPlaceTable;
  readonly key_place: KeyPlaceTable;
  readonly guest_change: GuestChangeTable;
}
