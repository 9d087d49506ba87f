/** The table of machines that sign in for a person, as TypeScript sees it. See `schema.ts`. */
import type { Whole, WholeOrNull } from './column.ts';

export interface MachineSignInTable {
  readonly id: string;
  /** SHA-256 of what the machine keeps to itself until it takes the key, base64url. */
  readonly challenge: string;
  /** The machine's own name, as it says. */
  readonly machine: string;
  /** The network address that it began from. */
  readonly address: string;
  /** What a person types, where the machine has no browser. */
  readonly user_code: string | null;
  /** Where on itself the machine waits for its browser. */
  readonly port: WholeOrNull;
  readonly created_at_ms: Whole;
  readonly expires_at_ms: Whole;
  /** `open`, `allowed`, `refused`, `taken`. */
  readonly state: string;
  /** Whose key it is to be, once they allowed it. */
  readonly organization: string | null;
  readonly person: string | null;
  /** SHA-256 of what the browser carries back to the machine; null: nothing is. */
  readonly code_hash: string | null;
}

export interface SignInSchema {
  readonly machine_sign_in: MachineSignInTable;
}
