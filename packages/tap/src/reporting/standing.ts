/**
 * The reporter's state machine, driven by the endpoint's answers (Tap reporter; rule 29): posting → stopped (410 baseline_closed; one
 * event a minute checks again) → posting; posting, stopped → quiet, for good. Clock and print are passed in.
 */
import { retried, retryWaitsMs, type Settle } from './answer.ts';
import { closed, keyNotAccepted, keyRefusedAtEnd, noticeLine, retired } from '../notices.ts';

const recheckAfterMs = 60_000;
const unauthorizedMax = 3;

export interface Standing {
  /** True if an event may be queued; a stopped reporter takes one a minute. */
  takes(): boolean;
  posting(): boolean;
  readonly settle: Settle;
  /** The process ends: prints that the key was refused, if that happened too seldom to stop the reporter. */
  end(): void;
}

/** What the state machine needs. */
export interface StandingEnvironment {
  monotonicMs(): number;
  print(line: string): void;
}

/** `dropAll` is called when the reporter stops, to drop the waiting events. */
export function createStanding(environment: StandingEnvironment, dropAll: () => void): Standing {
  /** The notice that ended the posting: after `closed` the reporter is stopped, after any other it is quiet. */
  let ended: string | undefined;
  let unauthorized = 0;
  let recheckAtMs = 0;
  const askedNow = (): void => {
    recheckAtMs = environment.monotonicMs() + recheckAfterMs;
  };
  const endBy = (notice: string): void => {
    if (ended !== notice) environment.print(noticeLine(notice));
    ended = notice;
    dropAll();
  };
  return {
    posting: () => !ended,
    takes() {
      const due = ended === closed && environment.monotonicMs() >= recheckAtMs;
      if (due) askedNow();
      return due || !ended;
    },
    settle(answer, attempt) {
      const { status } = answer;
      // A failure without an answer does not interrupt a series of 401s.
      if (status) unauthorized = status === 401 ? unauthorized + 1 : 0;
      askedNow();
      if (unauthorized >= unauthorizedMax) endBy(keyNotAccepted);
      else if (status === 410) endBy(answer.closed ? closed : retired);
      else if (status >= 200 && status < 300 && ended === closed) ended = undefined;
      return retried.test(`${status}`) ? retryWaitsMs[attempt] : 0;
    },
    end() {
      if (unauthorized && !ended) endBy(keyRefusedAtEnd);
    },
  };
}
