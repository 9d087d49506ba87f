/**
 * Reports and files that a shared store makes by itself may take seconds each. So an organization has two of the platform's eight connections for
 * them at once (of a further cell's three), and all organizations together five: whatever is asked for, others sign in, change settings and see their
 * pages. Decision 119.
 */
import { createSharedPlaces } from './shared-places.ts';
import type { Download } from './download.ts';

export class ReadingPlaces {
  readonly #places = createSharedPlaces({ ofOne: 2, ofAll: 5, jobsMax: Number.POSITIVE_INFINITY });

  /** Runs `work` once the organization has a place for it; settles as it does. */
  take<T>(organization: string, work: () => Promise<T>): Promise<T> {
    return this.#places.take(organization, work)!;
  }

  /** A file of whose pieces each is made in a place: who reads it slowly holds none. */
  inPlaces({ download }: Download, organization: string): Download {
    return { download: { ...download, pieces: this.#each(download.pieces, organization) } };
  }

  async* #each<Piece>(pieces: AsyncIterable<Piece>, organization: string): AsyncGenerator<Piece, void, undefined> {
    const made = pieces[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.take(organization, () => made.next());
        if (done === true) return;
        yield value;
      }
    } finally {
      await made.return?.();
    }
  }
}
