/**
 * The node's memory for request bodies that are held (`SVC_HELD_BODIES_MB`): bytes count as they are received, as the
 * memory that they stand in, whatever length was announced. Above its organization's share a body is no longer read, so its caller's socket
 * fills up; nothing is refused. Rule 8a:
 *
 * - an organization may hold as much as is left free: half of the memory when it is alone, a third when two want it, and so on, so that a
 *   newcomer always finds room;
 * - the oldest unfinished body of an organization may pass that share, and the oldest of the node the whole memory, so that half-received
 *   bodies never wait for each other. Not so where whole bodies, which wait for a provider that does not take them, are a quarter of what their
 *   organization holds: one after the other would then become whole, and nobody would find room any more.
 */
import type { OrganizationId } from '@metergate/core/id.ts';

/** What is paused if there is no room. */
interface BodyFlow {
  pause(): void;
  resume(): void;
}

/** What one body holds. */
export interface HeldBytes {
  /** This many more bytes were received. May pause the flow before it returns. */
  add(bytes: number): void;
  /** Nothing more will be received; what is held stays counted. Idempotent. */
  finished(): void;
  /** Nothing is held any more. Idempotent. */
  release(): void;
  /** The flow is paused because there is no room. */
  readonly waiting: boolean;
}

export interface HeldBodies {
  /** Begins to count a body, which is paused at once where its organization holds its share. */
  begin(organization: OrganizationId, flow: BodyFlow): HeldBytes;
  /** Bytes held now. */
  readonly heldBytes: number;
  /** Bodies that are not finished. */
  readonly unfinished: number;
}

/** What a flow may bring in one piece before it is asked about again. */
const pieceBytes = 64 * 1024;

/** @param budgetBytes above 0. */
export function createHeldBodies(budgetBytes: number): HeldBodies {
  return new Memory(budgetBytes);
}

/** Of what an organization holds, as much as whole bodies may be for its oldest one to pass its share. */
const wholeShareMax = 1 / 4;

interface Share {
  bytes: number;
  /** Of bodies that are finished. */
  wholeBytes: number;
  /** Bodies that are not finished, oldest first. */
  readonly unfinished: Set<Body>;
}

class Memory implements HeldBodies {
  readonly #budgetBytes: number;
  readonly #shares = new Map<OrganizationId, Share>();
  readonly #unfinished = new Set<Body>();
  readonly #waiting = new Set<Body>();
  #wakeIsDue = false;
  #begun = 0;
  heldBytes = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  get unfinished(): number {
    return this.#unfinished.size;
  }

  begin(organization: OrganizationId, flow: BodyFlow): HeldBytes {
    let share = this.#shares.get(organization);
    if (share === undefined) this.#shares.set(organization, share = { bytes: 0, wholeBytes: 0, unfinished: new Set() });
    const body = new Body(this, { organization, share, flow, number: this.#begun += 1 });
    share.unfinished.add(body);
    this.#unfinished.add(body);
    this.pauseWhereFull(body);
    if (!body.waiting) body.expectPiece(pieceBytes);
    return body;
  }

  count(body: Body, bytes: number): void {
    this.heldBytes += bytes;
    body.share.bytes += bytes;
    if (body.isFinished) body.share.wholeBytes += bytes;
    if (bytes < 0) this.#wakeSoon();
  }

  pauseWhereFull(body: Body): void {
    if (body.waiting || this.#mayContinue(body)) return;
    body.waiting = true;
    this.#waiting.add(body);
    body.flow.pause();
  }

  finish(body: Body, bytes: number): void {
    body.share.wholeBytes += bytes;
    body.share.unfinished.delete(body);
    this.#unfinished.delete(body);
    this.#waiting.delete(body);
    this.#wakeSoon();
  }

  forget({ organization, share }: Body): void {
    // A body that is released twice may be of a share that has been replaced.
    if (share.bytes === 0 && share.unfinished.size === 0 && this.#shares.get(organization) === share) this.#shares.delete(organization);
  }

  #mayContinue(body: Body): boolean {
    const { share } = body;
    if (share.bytes + this.heldBytes <= this.#budgetBytes) return true;
    if (first(share.unfinished) !== body || holdsWhole(share)) return false;
    return this.heldBytes < this.#budgetBytes || this.#oldest() === body;
  }

  /** Of those that may pass their share. */
  #oldest(): Body | undefined {
    let oldest = first(this.#unfinished);
    if (oldest === undefined || !holdsWhole(oldest.share)) return oldest;
    oldest = undefined;
    for (const share of this.#shares.values()) {
      const body = holdsWhole(share) ? undefined : first(share.unfinished);
      if (body !== undefined && (oldest === undefined || body.number < oldest.number)) oldest = body;
    }
    return oldest;
  }

  /** Wakes once for everything that one turn of the event loop gave back. */
  #wakeSoon(): void {
    if (this.#wakeIsDue || this.#waiting.size === 0) return;
    this.#wakeIsDue = true;
    setImmediate(() => {
      this.#wakeIsDue = false;
      for (const body of this.#waiting) {
        if (!this.#mayContinue(body)) continue;
        this.#waiting.delete(body);
        body.waiting = false;
        body.expectPiece(pieceBytes);
        body.flow.resume();
      }
    });
  }
}

class Body implements HeldBytes {
  readonly organization: OrganizationId;
  readonly share: Share;
  readonly flow: BodyFlow;
  /** A later one's is higher. */
  readonly number: number;
  readonly #memory: Memory;
  #bytes = 0;
  /** Counted ahead of the piece that a flow brings next, if it begins or continues: many are not let in for the same room. */
  #aheadBytes = 0;
  isFinished = false;
  waiting = false;

  constructor(memory: Memory, { organization, share, flow, number }: Pick<Body, 'organization' | 'share' | 'flow' | 'number'>) {
    this.#memory = memory;
    this.organization = organization;
    this.share = share;
    this.flow = flow;
    this.number = number;
  }

  add(bytes: number): void {
    this.#count(bytes - this.#aheadBytes);
    this.#aheadBytes = 0;
    if (!this.isFinished) this.#memory.pauseWhereFull(this);
  }

  expectPiece(bytes: number): void {
    this.#aheadBytes = bytes;
    this.#count(bytes);
  }

  finished(): void {
    if (this.isFinished) return;
    this.waiting = false;
    this.#count(-this.#aheadBytes);
    this.#aheadBytes = 0;
    this.isFinished = true;
    this.#memory.finish(this, this.#bytes);
  }

  release(): void {
    this.finished();
    this.#count(-this.#bytes);
    this.#memory.forget(this);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#memory.count(this, bytes);
  }
}

function holdsWhole({ bytes, wholeBytes }: Share): boolean {
  return wholeBytes > bytes * wholeShareMax;
}

function first<Value>(values: ReadonlySet<Value>): Value | undefined {
  for (const value of values) return value;
  return undefined;
}
