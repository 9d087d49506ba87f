/**
 * What a page lacks while the platform is there: the store is away for that alone, as where one cell of several is. One of the requests that were
 * answered so is made again, later each time. Once it is answered, the page asks for all that it lacks. Nothing is asked for a page that was left.
 */
import { isAway } from './reach.ts';

const firstMs = 2_000;
const longestMs = 60_000;

/** A part of the page that may lack something. */
interface Lacking {
  /** The address of a request that it lacks the answer to, as far as it is shown; null: nothing is lacking. */
  readonly lacked: () => string | null;
  /** Asks for all that it lacks. */
  readonly go: () => void;
}

const parts = new Set<Lacking>();
let waiting = false;
let times = 0;
let answeredMs = -Infinity;

/** How long to wait before it is asked again, after so many times. Milliseconds. */
export function askAgainMs(times: number): number {
  return Math.min(longestMs, firstMs * 2 ** times);
}

/** A reading was answered that the store is away. */
export function noteLacking(): void {
  if (waiting) return;
  // One that is answered and is then away again is not a new beginning.
  if (performance.now() - answeredMs > longestMs) times = 0;
  wait();
}

/** Its `go` is called each time what was lacking is answered. Returns how to end that. */
export function whenAnswered(part: Lacking): () => void {
  parts.add(part);
  return () => parts.delete(part);
}

function wait(): void {
  waiting = true;
  setTimeout(() => void askAgain(), askAgainMs(times));
  times += 1;
}

async function askAgain(): Promise<void> {
  const lacked = lackedNow();
  // Where the whole platform is away, everything is asked anew once it is back.
  const wasAway = isAway();
  if (lacked !== null && !wasAway && !await isAnswered(lacked)) return wait();
  waiting = false;
  answeredMs = lacked === null ? -Infinity : performance.now();
  if (lacked !== null && !wasAway) for (const { go } of parts) go();
}

function lackedNow(): string | null {
  for (const { lacked } of parts) {
    const url = lacked();
    if (url !== null) return url;
  }
  return null;
}

async function isAnswered(url: string): Promise<boolean> {
  try {
    // Without this end, a request that the network lost would be the last one.
    const answer = await fetch(url, { signal: AbortSignal.timeout(longestMs) });
    await answer.body?.cancel();
    return answer.status < 502 || answer.status > 504;
  } catch {
    return false;
  }
}
