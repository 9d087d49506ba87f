/** Short notices in the corner. The library that shows them is loaded with the first one; the shell then draws their place. */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let wanted = false;

/** Reports a success. */
export function tellDone(message: string): void {
  void show({ message, color: 'tide' });
}

/** Reports a failure; stays a while longer. */
export function tellFault(message: string): void {
  void show({ message, color: 'red', autoClose: 8_000 });
}

/** Whether any notice was shown yet, so that the shell must draw a place for them. */
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
  // Notices shown before their place is drawn wait in the library's own store.
  (await import('@mantine/notifications')).notifications.show(notice);
}
