/**
 * What a page lacks while the platform is there: the store is away for that alone, as where one cell of several is. One of the requests that were
 * answered so is made again, later each time. Once it is answered, the pages ask for all that they lack.
 */
import { isAway } from './reach.ts';

const firstMs = 2_000;
const longestMs = 60_000;
const onAnswer = new Set<() => void>();
/** The request that is made again; null: nothing is lacking. */
let lacking: string | null = null;
let times = 0;
let answeredMs = -Infinity;

/** How long to wait before it is asked again, after so many times. Milliseconds. */
export function askAgainMs(times: number): number {
  return Math.min(longestMs, firstMs * 2 ** times);
}

/** A reading was answered that the store is away. */
export function noteLacking(url: string): void {
  if (lacking !== null) return;
  lacking = url;
  // One that is answered and is then away again is not a new beginning.
  if (performance.now() - answeredMs > longestMs) times = 0;
  wait();
}

/** Calls `go` each time what was lacking is answered. */
export function whenAnswered(go: () => void): () => void {
  onAnswer.add(go);
  return () => onAnswer.delete(go);
}

function wait(): void {
  setTimeout(() => void askAgain(), askAgainMs(times));
  times += 1;
}

async function askAgain(): Promise<void> {
  // Where the whole platform is away, everything is asked anew once it is back.
  const wasAway = isAway();
  if (!wasAway && !await isAnswered(lacking!)) return wait();
  lacking = null;
  answeredMs = performance.now();
  if (!wasAway) for (const go of onAnswer) go();
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
