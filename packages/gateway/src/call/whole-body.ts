/** A body that was held whole, as it is sent. Its bytes are never changed except for the one insertion (spec: Endpoints rules 1 and 2). */
import type { Readable } from 'node:stream';
import type { BodyModels } from '@metergate/core/call/allowed-models.ts';
import { includeUsageBytes } from '@metergate/core/call/include-usage.ts';
import type { AskedLater } from '@metergate/core/usage/unmetered.ts';
import type { HeldBytes } from '../fairness/held-bodies.ts';
import type { OutboundBody } from './admitted-call.ts';
import { inOnePiece, withInsertion } from './body-pieces.ts';
import type { ReadOfBody } from './body-reading.ts';

export const noBody: OutboundBody = {
  content: null, contentLength: null, asksLater: 'no', modelsAsked: 'none', overBound: false, requestedModel: () => null, receivedBytes: () => 0,
  release: () => {}, drop: () => {},
};

/** The pieces of a body, as they came. */
export interface HeldPieces {
  readonly pieces: readonly Buffer[];
  /** Of all of them. */
  readonly bytes: number;
  /** What of it counts against its organization; null: nothing. */
  readonly counted: HeldBytes | null;
}

/** It knows nothing of how it came: a call keeps it until its answer has ended, which may take long. */
export class WholeBody implements OutboundBody {
  content: Uint8Array | Readable | null;
  readonly contentLength: number;
  readonly asksLater: AskedLater;
  readonly modelsAsked: BodyModels;
  readonly overBound = false;
  readonly #receivedBytes: number;
  readonly #model: string | null;
  #counted: HeldBytes | null;

  /** Sends the pieces themselves, or with the option put in where the verdict says so. */
  constructor({ pieces, bytes, counted }: HeldPieces, { verdict, model, asksLater, modelsAsked }: ReadOfBody) {
    const inserts = verdict?.kind === 'insert';
    this.contentLength = bytes + (inserts ? includeUsageBytes.length : 0);
    this.content = inOnePiece(inserts ? withInsertion(pieces, verdict.at) : pieces, this.contentLength);
    this.asksLater = asksLater;
    this.modelsAsked = modelsAsked;
    this.#receivedBytes = bytes;
    this.#model = model;
    this.#counted = counted;
  }

  requestedModel(): string | null {
    return this.#model;
  }

  receivedBytes(): number {
    return this.#receivedBytes;
  }

  release(): void {
    this.content = null;
    this.#counted?.release();
    this.#counted = null;
  }

  drop(): void {
    this.release();
  }
}
