/**
 * Run-budget grants (spec: Run; design 3, row 15).
 */

/** A public key that nodes hold to verify grants. */
export interface GrantKey {
  /** Named in a grant's payload. */
  readonly id: string;
  /** Ed25519, 32 raw bytes, base64url. */
  readonly publicKey: string;
}
