/**
 * Work on compressed copies, in small pieces, a short while in each turn of the event loop for the whole node (rule 8a). Copies
 * of different organizations take turns, so that one that expands without end neither delays calls nor another organization's copies.
 */

/** How long copies are worked on in a turn of the event loop, at least and at most, milliseconds; in between a part of the turn's length. */
const turnMsMin = 0.2;
const turnMsMax = 1;
const partOfTurn = 0.2;
/**
 * A piece cannot be cut: a decoder's first one may take tens of milliseconds, because a few bytes may expand to that much. After a piece that took
 * more processor time than this, its organization rests, and longer after each further one. Honest bodies have no such pieces.
 */
const longMs = 4;
const restFactor = 4;
const restFactorMax = 32;
/** No answer waits longer than this for its usage, so a longer rest would change nothing. */
const restMsMax = 250;
/** After this long without a long piece, the next one counts as the first. */
const forgetMs = 10_000;

/** One piece of work: tenths of a millisecond. It must not throw. */
type DecodingPiece = () => void;

export interface DecodingTurns {
  /** Puts a piece of work behind all others of its organization. */
  next(organization: string, piece: DecodingPiece): void;
  /** Pieces that wait for their turn. */
  readonly waiting: number;
}

/** The clocks and timer of the turns; tests pass their own. */
export interface DecodingTurnsTiming {
  readonly monotonicMs: () => number;
  /** Processor time of this thread, milliseconds: a piece is not long because another process had the processor. */
  readonly workedMs: () => number;
  readonly after: (delayMs: number, task: () => void) => unknown;
}

interface Rest {
  readonly untilMs: number;
  readonly factor: number;
}

const byThisThread: DecodingTurnsTiming = {
  monotonicMs: () => performance.now(),
  workedMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  after: (delayMs, task) => setTimeout(task, delayMs),
};

export function createDecodingTurns({ monotonicMs, workedMs, after }: DecodingTurnsTiming = byThisThread): DecodingTurns {
  // A Map keeps its order: the organization whose turn it was goes to the end.
  const queues = new Map<string, DecodingPiece[]>();
  /** Of organizations that had a long piece lately. */
  const rests = new Map<string, Rest>();
  let isDue = false;
  let isWaking = false;
  let lastMs = 0;

  const work = (): void => {
    isDue = false;
    const beganMs = monotonicMs();
    const untilMs = beganMs + Math.min(turnMsMax, Math.max(turnMsMin, (beganMs - lastMs) * partOfTurn));
    let nowMs = beganMs;
    for (let next = awake(nowMs); next !== null; next = nowMs < untilMs ? awake(nowMs) : null) {
      take(next, queues.get(next)!);
      nowMs = monotonicMs();
    }
    lastMs = nowMs;
    schedule(nowMs);
  };

  /** The next organization that does not rest. */
  function awake(nowMs: number): string | null {
    for (const organization of queues.keys()) if ((rests.get(organization)?.untilMs ?? 0) <= nowMs) return organization;
    return null;
  }

  function take(organization: string, pieces: DecodingPiece[]): void {
    queues.delete(organization);
    const piece = pieces.shift()!;
    if (pieces.length > 0) queues.set(organization, pieces);
    const beganMs = workedMs();
    piece();
    const spentMs = workedMs() - beganMs;
    if (spentMs > longMs) rest(organization, spentMs);
  }

  function rest(organization: string, spentMs: number): void {
    const nowMs = monotonicMs();
    for (const [name, { untilMs }] of rests) if (untilMs + forgetMs < nowMs) rests.delete(name);
    const factor = Math.min(restFactorMax, (rests.get(organization)?.factor ?? restFactor / 2) * 2);
    rests.set(organization, { untilMs: nowMs + Math.min(restMsMax, spentMs * factor), factor });
  }

  function schedule(nowMs: number): void {
    if (isDue || queues.size === 0) return;
    isDue = awake(nowMs) !== null;
    if (isDue) return void setImmediate(work);
    if (isWaking) return;
    isWaking = true;
    after(Math.min(...[...queues.keys()].map((organization) => rests.get(organization)!.untilMs)) - nowMs, () => {
      isWaking = false;
      schedule(monotonicMs());
    });
  }

  return {
    next(organization, piece) {
      const pieces = queues.get(organization);
      if (pieces === undefined) queues.set(organization, [piece]);
      else pieces.push(piece);
      schedule(monotonicMs());
    },
    get waiting() {
      return queues.values().reduce((sum, pieces) => sum + pieces.length, 0);
    },
  };
}

/** The turns of this process. */
export const nodeTurns: DecodingTurns = createDecodingTurns();
