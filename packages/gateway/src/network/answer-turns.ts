/**
 * Whose answers are looked at in a turn of the event loop. A provider may hold back a thousand answers of one organization and let them all come
 * at once; each takes the thread as long as a step of a call. So while several organizations call, a few reads of each are looked at in a turn.
 * What else was read waits, in its order, and nothing more is read of its connection until then. Rule 8a; decision 0019.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { CallTurns } from '../fairness/call-turns.ts';

/** Reads of one organization in a turn while others call, too: half a millisecond of work. */
const readsOfTurn = 8;
/** Bytes that wait at most, of all connections; what comes beyond them is looked at as it comes. */
export const waitingBytesMax = 8 * 2 ** 20;

/** Whether a read waits for a later turn. `mayGo`: its organization has not had its share of this one. */
export function readWaits(mayGo: boolean, { bytes, waitingBytes }: { readonly bytes: number; readonly waitingBytes: number }): boolean {
  return !mayGo && waitingBytes + bytes <= waitingBytesMax;
}

export class AnswerTurns {
  readonly #turns: CallTurns;
  #waitingBytes = 0;

  constructor(turns: CallTurns = new CallTurns(undefined, readsOfTurn)) {
    this.#turns = turns;
  }

  /** Reads that wait. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Whether so many bytes that were read wait. Then keep them: `look` is called in a later turn, once. It must not throw. */
  waits(organization: OrganizationId, bytes: number, look: () => void): boolean {
    if (!readWaits(this.#turns.mayGo(organization), { bytes, waitingBytes: this.#waitingBytes })) return false;
    this.#waitingBytes += bytes;
    this.#turns.later(organization, () => {
      this.#waitingBytes -= bytes;
      look();
    });
    return true;
  }
}

/** Of this thread: its connections share one event loop. */
export const answerTurns = new AnswerTurns();
