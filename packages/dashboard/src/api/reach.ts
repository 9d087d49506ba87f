/** Whether the platform answers, as the pages' requests have found. While it does not, it is asked again every two seconds. */
import { useSyncExternalStore } from 'react';

const askAgainMs = 2_000;
const listeners = new Set<() => void>();
const onReturn = new Set<() => void>();
let away = false;
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

export function useAway(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => away,
  );
}

function set(next: boolean): void {
  away = next;
  for (const listener of listeners) listener();
}

function askAgain(): void {
  waiting = setTimeout(() => {
    // A proxy that answers for a platform which is away says so with its own status.
    fetch('/platform/v1/auth/session').then(({ status }) => (status >= 502 && status <= 504 ? askAgain() : noteAnswer()), askAgain);
  }, askAgainMs);
}
