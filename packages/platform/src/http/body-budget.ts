/**
 * How many bytes of request bodies the platform holds, from the first that arrives until the request is answered. They lie in the process that may
 * hold the gateway too, so they are bounded together; a body that finds no room is refused, and its connection ends. Rule 8a; decision 303:
 *
 * - one sender, an organization, may hold as much as is left free: half of the memory when it is alone, a third when two want it, and so on, so that
 *   a newcomer always finds room;
 * - bodies whose sender is not known share a small budget of their own, by address in the same way.
 *
 * Bytes count as they arrive, whatever length was announced.
 */

/** Of senders that are known: five organizations may hold a bill of the largest kind each. */
const knownBytesMax = 96 * 1_048_576;
/** Everybody else's: a sign-in has less than a kibibyte. */
const unknownBytesMax = 8 * 1_048_576;

/** What one body holds. */
export interface CountedBody {
  /** This many more bytes arrived. `own`: the sender holds its share. `all`: others hold what there is. */
  add(bytes: number): 'held' | 'own' | 'all';
  /** Nothing is held any more. Idempotent. */
  release(): void;
}

export interface BodyBudget {
  /** Begins to count a body of an organization, or of whatever else was recognized. */
  known(sender: string): CountedBody;
  /** The same for a body from this address, or network of addresses. */
  unknown(network: string): CountedBody;
  /** Bytes held now. */
  readonly heldBytes: number;
}

/** Both budgets in bytes, above 0; given in tests. */
export function createBodyBudget(knownBytes: number = knownBytesMax, unknownBytes: number = unknownBytesMax): BodyBudget {
  const [known, unknown] = [new Shares(knownBytes), new Shares(unknownBytes)];
  return {
    known: (sender) => known.begin(sender), unknown: (network) => unknown.begin(network),
    get heldBytes() { return known.heldBytes + unknown.heldBytes; },
  };
}

class Shares {
  readonly #budgetBytes: number;
  /** Bytes of those that hold some. */
  readonly #bySender = new Map<string, number>();
  heldBytes = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  begin(sender: string): CountedBody {
    let ownBytes = 0;
    return {
      add: (bytes) => {
        const share = this.#bySender.get(sender) ?? 0;
        // Counted with it: what it would hold, and what all would.
        if (share + this.heldBytes + 2 * bytes > this.#budgetBytes) return share > 0 && 2 * share >= this.heldBytes ? 'own' : 'all';
        this.#count(sender, bytes);
        ownBytes += bytes;
        return 'held';
      },
      release: () => {
        this.#count(sender, -ownBytes);
        ownBytes = 0;
      },
    };
  }

  #count(sender: string, bytes: number): void {
    this.heldBytes += bytes;
    const share = (this.#bySender.get(sender) ?? 0) + bytes;
    if (share === 0) this.#bySender.delete(sender);
    else this.#bySender.set(sender, share);
  }
}
