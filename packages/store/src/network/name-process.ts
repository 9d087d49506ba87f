/**
 * Entry of the process that resolves names which organizations chose, with the system's own resolver (`getaddrinfo`: hosts file, search domains,
 * whatever the machine is set up with). It has separate threads for it, so a name that takes long delays nothing else. `{id, hostname}` comes in,
 * `{id, addresses}` goes out; null: it did not resolve. Decision 0101.
 */
import { lookup, type LookupAddress } from 'node:dns';
import { endWithParent } from './end-with-parent.ts';

/** What the parent asks. */
export interface ToNameProcess { readonly id: number; readonly hostname: string }

/** What it hears. `ready`: it can be asked. */
export type FromNameProcess = { readonly ready: true } | { readonly id: number; readonly addresses: readonly LookupAddress[] | null };

function say(message: FromNameProcess): void {
  // A parent that is gone hears nothing, and its end is that of this process.
  process.send?.(message, undefined, undefined, () => {});
}

// The parent may have calls to finish after a signal, and they may need names.
endWithParent();
process.on('message', ({ id, hostname }: ToNameProcess) => {
  try {
    lookup(hostname, { all: true }, (fault, addresses) => say({ id, addresses: fault === null ? addresses : null }));
  } catch {
    say({ id, addresses: null });
  }
});
say({ ready: true });
