/** Whether the platform answers, as the pages' requests have found. While it does not, it is asked again every two seconds. */
import { useSyncExternalStore } from 'react';

const askAgainMs = 2_000;
/** How long it may take to say that it is there: without this end, a question that the network lost would be the last one. */
const answerMs = 5_000;
const listeners = new Set<() => void>();
const onReturn = new Set<() => void>();
let away = false;
let asking = false;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** A request was answered, whatever the answer. */
export function noteAnswer(): void {
  if (!away) return;
  clearTimeout(waiting);
  set(false);
  for (const go of onReturn) go();
}

/** A request got no answer. */
export function noteNoAnswer(): void {
  if (away) return;
  set(true);
  askAgain();
}

/** Calls `go` each time the platform answers again. */
export function whenBack(go: () => void): () => void {
  onReturn.add(go);
  return () => onReturn.delete(go);
}

/** Calls `go` each time the platform is found to be away, or to answer again. */
export function whenChanged(go: () => void): () => void {
  listeners.add(go);
  return () => listeners.delete(go);
}

export function isAway(): boolean {
  return away;
}

export function useAway(): boolean {
  return useSyncExternalStore(whenChanged, isAway);
}

/** Asks the platform, unless it is being asked. */
export function askWhetherThere(): void {
  if (asking) return;
  clearTimeout(waiting);
  asking = true;
  void isThere().then(note);
}

async function isThere(): Promise<boolean> {
  const late = new AbortController();
  const end = setTimeout(() => late.abort(), answerMs);
  try {
    const answer = await fetch('/platform/v1/auth/session', { signal: late.signal });
    // An answer that nobody reads would keep its connection.
    await answer.arrayBuffer();
    const { status } = answer;
    // A proxy that answers for a platform which is away says so with its own status.
    return status < 502 || status > 504;
  } catch {
    return false;
  } finally {
    clearTimeout(end);
  }
}

function note(is: boolean): void {
  asking = false;
  if (is) noteAnswer();
  else if (away) askAgain();
  else noteNoAnswer();
}

function set(next: boolean): void {
  away = next;
  for (const listener of listeners) listener();
}

function askAgain(): void {
  clearTimeout(waiting);
  waiting = setTimeout(askWhetherThere, askAgainMs);
}
