/** A body that was held whole, as it is sent. Its bytes are never changed except for the one insertion (spec: Endpoints rules 1 and 2). */
import type { BodyModels } from '@metergate/core/call/allowed-models.ts';
import { includeUsageBytes } from '@metergate/core/call/include-usage.ts';
import type { AskedLater } from '@metergate/core/usage/unmetered.ts';
import { bodySlabs, freeAtOnce, pieceBytesMin } from '../fairness/body-slabs.ts';
import type { HeldBytes } from '../fairness/held-bodies.ts';
import type { OutboundBody } from './admitted-call.ts';
import { withInsertion } from './body-pieces.ts';
import type { ReadOfBody } from './body-reading.ts';

export const noBody: OutboundBody = {
  content: null, contentLength: null, asksLater: 'no', hidesUsage: 'no', modelsAsked: 'none', overBound: false, requestedModel: () => null,
  receivedBytes: () => 0, written: null, release: () => {}, drop: () => {},
};

/** Pieces that are shorter in the mean are joined: each costs more to write than to copy. */
const shortPieceBytes = 4 * 1024;

const noPieces: readonly Buffer[] = [];

/** The pieces of a body, as they came. */
interface HeldPieces {
  readonly pieces: readonly Buffer[];
  /** Of all of them. */
  readonly bytes: number;
  /** What of it counts against its organization; null: nothing. */
  readonly counted: HeldBytes | null;
  /** It is to be one piece. */
  readonly joins: boolean;
}

/** It knows nothing of how it came: a call keeps it until its answer has ended, which may take long. */
export class WholeBody implements OutboundBody {
  content: Uint8Array | readonly Uint8Array[] | null;
  readonly contentLength: number;
  readonly asksLater: AskedLater;
  readonly hidesUsage: AskedLater;
  readonly modelsAsked: BodyModels;
  readonly overBound = false;
  readonly written: (() => void) | null;
  readonly #receivedBytes: number;
  readonly #model: string | null;
  #counted: HeldBytes | null;
  /** Pieces of which some have memory that is used again. */
  #given: readonly Buffer[];

  /** Sends the pieces themselves, or with the option put in where the verdict says so. */
  constructor({ pieces, bytes, counted, joins }: HeldPieces, { verdict, model, asksLater, hidesUsage, modelsAsked }: ReadOfBody) {
    const inserts = verdict?.kind === 'insert';
    this.contentLength = bytes + (inserts ? includeUsageBytes.length : 0);
    const sent = inserts ? withInsertion(pieces, verdict.at) : pieces;
    const isOne = joins || this.contentLength < sent.length * shortPieceBytes;
    this.content = sent.length === 1 ? sent[0]! : isOne ? Buffer.concat(sent, this.contentLength) : sent;
    this.#given = bytes >= pieceBytesMin && pieces.some((piece) => bodySlabs.hasLent(piece)) ? pieces : noPieces;
    this.written = this.#given.length === 0 ? null : () => this.#giveBack();
    this.asksLater = asksLater;
    this.hidesUsage = hidesUsage;
    this.modelsAsked = modelsAsked;
    this.#receivedBytes = bytes;
    this.#model = model;
    this.#counted = counted;
  }

  /** All of it was written. Its memory is used again or freed, so it counts no more, however long the provider thinks. */
  #giveBack(): void {
    this.content = null;
    for (const piece of this.#given) {
      if (bodySlabs.hasLent(piece)) bodySlabs.giveBack(piece);
      else freeAtOnce(piece);
    }
    this.#given = noPieces;
    this.#uncount();
  }

  requestedModel(): string | null {
    return this.#model;
  }

  receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Whoever still writes it keeps its memory; that is not used again. */
  release(): void {
    this.content = null;
    this.#given = noPieces;
    this.#uncount();
  }

  #uncount(): void {
    this.#counted?.release();
    this.#counted = null;
  }

  drop(): void {
    this.release();
  }
}
