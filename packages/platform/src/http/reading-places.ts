/**
 * Reports and files that a shared store makes by itself may take seconds each. So an organization has two of the platform's eight connections for
 * them at once, and all organizations together five: whatever is asked for, others sign in, change settings and see their pages. A further cell has
 * three connections of its own: one for what an organization reads, two for all of them, and the third is left for everything else. Decision 119.
 */
import { homeCell } from '@metergate/store/operation/cells/directory.ts';
import { UnwantedWork, workFor } from '@metergate/store/threads/others-first.ts';
import { asOrganization } from './askers.ts';
import { createSharedPlaces, type SharedPlaces } from './shared-places.ts';
import type { Download } from './download.ts';

const jobsMax = Number.POSITIVE_INFINITY;

/** Who reads, and the number of the cell that it is read from. */
interface Reader {
  readonly organization: string;
  readonly cell: number;
}

export class ReadingPlaces {
  readonly #ofCells = new Map<number, SharedPlaces>();

  /** Runs `work` once the organization has a place for it; settles as it does. @throws UnwantedWork if who asked has `left` by then */
  take<T>({ organization, cell }: Reader, work: () => Promise<T>, left?: AbortSignal): Promise<T> {
    let places = this.#ofCells.get(cell);
    if (places === undefined) {
      places = createSharedPlaces(cell === homeCell ? { ofOne: 2, ofAll: 5, jobsMax } : { ofOne: 1, ofAll: 2, jobsMax });
      this.#ofCells.set(cell, places);
    }
    return places.take(organization, async () => {
      if (left?.aborted === true) throw new UnwantedWork();
      return work();
    })!;
  }

  /** A file of whose pieces each is made in a place: who reads it slowly holds none. */
  inPlaces({ download }: Download, reader: Reader): Download {
    return { download: { ...download, pieces: this.#each(download.pieces, reader) } };
  }

  async* #each<Piece>(pieces: AsyncIterable<Piece>, reader: Reader): AsyncGenerator<Piece, void, undefined> {
    const made = pieces[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.take(reader, () => workFor(asOrganization(reader.organization), () => made.next()));
        if (done === true) return;
        yield value;
      }
    } finally {
      await made.return?.();
    }
  }
}
