/** The tables of proofs of figures as TypeScript sees them. See `schema.ts`. */
import type { Whole, WholeOrNull } from './column.ts';

/** How far an organization's figures are proved. */
interface FigureProofTable {
  readonly organization: string;
  /** Records of the chain up to this sequence were found whole. */
  readonly chain_through: Whole;
  /** All figures agreed with the records that the store held at this instant. Null: never yet. */
  readonly proved_ms: WholeOrNull;
  /** When the last comparison of all days began that found none different. */
  readonly whole_ms: WholeOrNull;
  readonly looked_ms: Whole;
}

/** A figure that differed from its records. `kept`, `derived`: in words for people. */
interface FigureDifferenceTable {
  readonly organization: string;
  readonly kind: string;
  readonly place: string;
  readonly kept: string;
  readonly derived: string;
  readonly found_ms: Whole;
  /** Null: it was not mended. */
  readonly mended_ms: WholeOrNull;
}

export interface ProofSchema {
  readonly figure_proof: FigureProofTable;
  readonly figure_difference: FigureDifferenceTable;
}
