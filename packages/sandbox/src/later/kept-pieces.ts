/** What the sandbox keeps between two requests: pieces under their ids, the oldest of which go when there are many or they are large. */

const most = { pieces: 1_000, bytes: 128 * 1024 * 1024 } as const;

export class KeptPieces<Piece> {
  readonly #pieces = new Map<string, { readonly piece: Piece; readonly bytes: number }>();
  #bytes = 0;

  /** `bytes`: about what it holds. */
  keep(id: string, piece: Piece, bytes: number): void {
    this.#pieces.set(id, { piece, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#pieces) {
      if ((this.#pieces.size <= most.pieces && this.#bytes <= most.bytes) || oldest === id) return;
      this.#pieces.delete(oldest);
      this.#bytes -= freed;
    }
  }

  find(id: string): Piece | null {
    return this.#pieces.get(id)?.piece ?? null;
  }
}
