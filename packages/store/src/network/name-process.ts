/**
 * Entry of the process that resolves names which organizations chose, with the system's own resolver (`getaddrinfo`: hosts file, search domains,
 * whatever the machine is set up with). It has separate threads for it, so a name that takes long delays nothing else. `{id, hostname}` comes in,
 * `{id, addresses}` goes out; null: it did not resolve. Decision 0101.
 */
import { lookup, type LookupAddress } from 'node:dns';

/** What the parent asks. */
export interface ToNameProcess { readonly id: number; readonly hostname: string }

/** What it hears. `ready`: it can be asked. */
export type FromNameProcess = { readonly ready: true } | { readonly id: number; readonly addresses: readonly LookupAddress[] | null };

/** Ends without waiting for threads that resolve, as an orderly end of the process would. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

function say(message: FromNameProcess): void {
  // A parent that is gone hears nothing, and its going ends this process.
  process.send?.(message, undefined, undefined, () => {});
}

process.on('disconnect', endNow);
// A terminal or a service manager signals the whole group. The parent still has calls to finish then, which may need names.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('message', ({ id, hostname }: ToNameProcess) => {
  try {
    lookup(hostname, { all: true }, (fault, addresses) => say({ id, addresses: fault === null ? addresses : null }));
  } catch {
    say({ id, addresses: null });
  }
});
say({ ready: true });
