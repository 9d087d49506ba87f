/** What is read piece by piece, the next ones while one is worked on. */

/** How many pieces of a report a store reads at a time: SQLite on this thread, PostgreSQL on servers and connections of its own. */
export const readAtOnce = { sqlite: 1, postgres: 2 } as const;

/** In order. `atOnce`: how many pieces are being read at a time, 1 or more; with 1 each is read when it is asked for. */
export async function* readAhead<Piece, Found>(
  pieces: readonly Piece[], atOnce: number, read: (piece: Piece) => Promise<Found>,
): AsyncGenerator<Found, void, undefined> {
  const begun: Promise<Found>[] = [];
  for (let next = 0; next < pieces.length || begun.length > 0;) {
    while (begun.length < atOnce && next < pieces.length) {
      const found = read(pieces[next++]!);
      // Whoever awaits it has its fault; nobody does if an earlier one failed, or no more are wanted.
      found.catch(() => {});
      begun.push(found);
    }
    yield await begun.shift()!;
  }
}
