/** Short notices in the corner. Their library is loaded with the first of them; the shell then draws their place. */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let wanted = false;

/** Says that something is done. */
export function tellDone(message: string): void {
  void show({ message, color: 'tide' });
}

/** Says that something went wrong, a while longer. */
export function tellFault(message: string): void {
  void show({ message, color: 'red', autoClose: 8_000 });
}

/** Whether there was a notice yet, and so a place for them is needed. */
export function useNoticesWanted(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => wanted,
  );
}

async function show(notice: { readonly message: string; readonly color: string; readonly autoClose?: number }): Promise<void> {
  wanted = true;
  for (const listener of listeners) listener();
  // What is shown before its place is drawn waits in the library's own store.
  (await import('@mantine/notifications')).notifications.show(notice);
}
