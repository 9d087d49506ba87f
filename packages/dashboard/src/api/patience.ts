/**
 * No request waits for ever. A network that drops what is sent says nothing, and a browser waits for an accepted connection without an end: a page
 * would show for ever that it is loading. So whoever is silent for a while is asked, by another request, whether it is there.
 */
import { askWhetherThere, isAway, whenBack, whenChanged } from './reach.ts';

/** After so long a silence the platform is asked whether it is there. Milliseconds. */
const askMs = 10_000;
/** No platform that is there computes as long without a word: its own readings end within 15 s each. Milliseconds. */
const longestMs = 120_000;

/** How it stands with a request of which nothing comes. */
export interface Silence {
  /** It changes nothing, so that it can be made anew. */
  readonly isRead: boolean;
  readonly silentMs: number;
  /** The platform is away. */
  readonly away: boolean;
  /** It was away and came back since this silence began: what was sent before is lost with its connection. */
  readonly overtaken: boolean;
}

/** What was sent to change something is given up late: it may have been done, and nobody can tell who gave it up. */
export function afterSilence({ isRead, silentMs, away, overtaken }: Silence): 'wait' | 'ask' | 'give up' {
  if (silentMs >= longestMs || (overtaken && isRead)) return 'give up';
  if (silentMs < askMs) return 'wait';
  if (overtaken || (away && isRead)) return 'give up';
  return 'ask';
}

interface Waiting {
  readonly look: () => void;
  overtaken: boolean;
}

const waitings = new Set<Waiting>();
const lookAtAll = (): void => {
  for (const { look } of waitings) look();
};
whenChanged(lookAtAll);
whenBack(() => {
  for (const waiting of waitings) waiting.overtaken = true;
  lookAtAll();
});

/** The promise; `giveUp` is to end it once it has been silent for too long. */
async function heard<Heard>(promise: Promise<Heard>, { isRead, giveUp }: Watch): Promise<Heard> {
  const sinceMs = performance.now();
  const look = (): void => {
    const next = afterSilence({ isRead, silentMs: performance.now() - sinceMs, away: isAway(), overtaken: waiting.overtaken });
    if (next === 'ask') askWhetherThere();
    if (next === 'give up') giveUp(waiting.overtaken);
  };
  const waiting: Waiting = { look, overtaken: false };
  const looking = setInterval(look, askMs);
  waitings.add(waiting);
  try {
    return await promise;
  } finally {
    waitings.delete(waiting);
    clearInterval(looking);
  }
}

interface Watch {
  readonly isRead: boolean;
  readonly giveUp: (overtaken: boolean) => void;
}

interface FetchFaults {
  /** What a request fails with that was given up. */
  readonly givenUp: (overtaken: boolean) => Error;
  /** What an answer fails with that breaks off. */
  readonly brokenOff: (fault: unknown) => unknown;
}

type AnswerBody = ReadableStream<Uint8Array<ArrayBuffer>>;

/** As `fetch`. An answer that stops coming is given up as well as one that never begins. */
export function patientFetch({ givenUp, brokenOff }: FetchFaults): (request: Request) => Promise<Response> {
  return async (request) => {
    const left = new AbortController();
    const watch: Watch = { isRead: request.method === 'GET', giveUp: (overtaken) => left.abort(givenUp(overtaken)) };
    const leave = (): void => left.abort(request.signal.reason);
    if (request.signal.aborted) leave();
    request.signal.addEventListener('abort', leave);
    const answer = await heard(fetch(request, { signal: left.signal }), watch);
    // An answer that is given up breaks off with a fault of the browser's own.
    const ended = (fault: unknown): unknown => brokenOff(left.signal.aborted ? left.signal.reason : fault);
    return answer.body === null ? answer : new Response(watched(answer.body, watch, ended), answer);
  };
}

/**
 * Reads no further than is asked for: who reads slowly does not make it silent, and an answer by which the platform is found to be back is not one of
 * those that were under way before.
 */
function watched(body: AnswerBody, watch: Watch, ended: FetchFaults['brokenOff']): AnswerBody {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(into) {
      try {
        const { done, value } = await heard(reader.read(), watch);
        if (done) into.close();
        else into.enqueue(value);
      } catch (fault) {
        into.error(ended(fault));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
