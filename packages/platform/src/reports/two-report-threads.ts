/**
 * Reports on two threads. On one, an organization's short question waits at least until another's slice ends, and a slice may be one long question to
 * the store. So where one thread works for an organization, another organization's questions go to the second. An organization has work on one of
 * them at a time, so it can never keep both from others; several organizations on one thread take turns there (`report-desk.ts`). Decision 279.
 */
import { isDownload, type Download } from '../http/download.ts';
import type { ReportThreadOwner, Reports } from './report-client.ts';

/** A thread, with what each organization has under way on it: questions, and files that are read. */
class Place {
  readonly reports: ReportThreadOwner;
  readonly #underWay = new Map<string, number>();

  constructor(reports: ReportThreadOwner) {
    this.reports = reports;
  }

  /** Organizations with work here. */
  get organizations(): number {
    return this.#underWay.size;
  }

  worksFor(organization: string): boolean {
    return this.#underWay.has(organization);
  }

  /** Until what it gives is called, once. */
  count(organization: string): () => void {
    this.#underWay.set(organization, (this.#underWay.get(organization) ?? 0) + 1);
    let isCounted = true;
    return () => {
      if (!isCounted) return;
      isCounted = false;
      const left = this.#underWay.get(organization)! - 1;
      if (left === 0) this.#underWay.delete(organization);
      else this.#underWay.set(organization, left);
    };
  }
}

/** `second` begins when both are wanted. Until it is ready, `first` answers: by turns there it is sooner done than a thread begins. */
export function onTwoThreads(first: ReportThreadOwner, second: ReportThreadOwner): Reports {
  const [usual, other] = [new Place(first), new Place(second)];
  const placeFor = (organization: string): Place => {
    if (usual.worksFor(organization)) return usual;
    if (other.worksFor(organization)) return other;
    if (usual.organizations <= other.organizations) return usual;
    if (second.isReady) return other;
    second.begin();
    return usual;
  };
  return {
    begin: () => first.begin(),
    async run(operation, request, left) {
      const { organization } = request.actor;
      const place = placeFor(organization);
      const over = place.count(organization);
      try {
        const answer = await place.reports.run(operation, request, left);
        return isDownload(answer) ? countedFile(answer, () => place.count(organization)) : answer;
      } finally {
        over();
      }
    },
    async close() {
      await Promise.all([first.close(), second.close()]);
    },
  };
}

/** The same file; it counts from its first piece until it is read or left. */
function countedFile({ download }: Download, count: () => () => void): Download {
  const pieces = download.pieces[Symbol.asyncIterator]();
  let over: (() => void) | null = null;
  return { download: { ...download, pieces: {
    [Symbol.asyncIterator]: () => ({
      async next() {
        over ??= count();
        try {
          const piece = await pieces.next();
          if (piece.done === true) over();
          return piece;
        } catch (fault) {
          over();
          throw fault;
        }
      },
      async return() {
        over?.();
        await pieces.return?.();
        return { done: true, value: undefined };
      },
    }),
  } } };
}
