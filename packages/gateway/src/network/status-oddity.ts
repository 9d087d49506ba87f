/** Statuses that are not relayed. */
import { interimResponsesMax } from './destination-options.ts';

/** Why an answer's status cannot be relayed; null for final ones and for interim ones within the bound. `interim`: how many came, with this one. */
export function statusOddity(status: number, { upgrade, interim }: { readonly upgrade: boolean; readonly interim: number }): string | null {
  if (status < 100) return 'The destination answered with a status that is not valid.';
  if (status === 101 || upgrade) return 'The destination switched protocols unasked.';
  return interim > interimResponsesMax ? 'The destination sent interim responses without end.' : null;
}
