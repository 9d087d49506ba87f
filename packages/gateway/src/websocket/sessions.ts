/**
 * The WebSocket connections of a node: how many there may be, whose keys are looked after, and how they end with the node. An organization has as
 * many as are left free, half of the node's when it is alone, so that a newcomer always finds room.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { HeardCalls } from './heard-calls.ts';

/** A connection that is open. */
export interface OpenSession {
  readonly organization: OrganizationId;
  /** Received and not handed on, bytes. */
  readonly heldBytes: number;
  /** About once a second. */
  look(nowMs: number): void;
  /** The node stops: it ends once no response is under way. */
  leave(): void;
}

const sessionsMax = 8_192;
const lookMs = 1_000;

/** For `/metrics`; counted up in place. */
export interface SessionCounters {
  opened: number;
  /** Messages that were handed on, and our own events. */
  fromCallers: number;
  fromProviders: number;
  readonly closes: Map<number, number>;
}

export class SocketSessions {
  readonly counters: SessionCounters = { opened: 0, fromCallers: 0, fromProviders: 0, closes: new Map() };
  readonly heardCalls = new HeardCalls();
  readonly #open = new Set<OpenSession>();
  /** Places that are taken: of the connections, and of handshakes that may become some. */
  readonly #byOrganization = new Map<OrganizationId, number>();
  #places = 0;
  readonly #monotonicMs: () => number;
  #timer: NodeJS.Timeout | null = null;
  #leaving = false;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  get size(): number {
    return this.#open.size;
  }

  get heldBytes(): number {
    let bytes = 0;
    for (const session of this.#open) bytes += session.heldBytes;
    return bytes;
  }

  /** Null: there is room for one more. */
  refusal(organization: OrganizationId): 'connections_full' | 'node_stopping' | null {
    if (this.#leaving) return 'node_stopping';
    const free = sessionsMax - this.#places;
    return free > 0 && (this.#byOrganization.get(organization) ?? 0) < free ? null : 'connections_full';
  }

  /** Places that are taken. */
  get places(): number {
    return this.#places;
  }

  /** A handshake is forwarded: it has a place from now on, as many may be under way where the provider takes its time. */
  takePlace(organization: OrganizationId): void {
    this.#places += 1;
    this.#byOrganization.set(organization, (this.#byOrganization.get(organization) ?? 0) + 1);
  }

  /** It has failed, or its connection is over. */
  leavePlace(organization: OrganizationId): void {
    this.#places -= 1;
    const left = this.#byOrganization.get(organization)! - 1;
    if (left === 0) this.#byOrganization.delete(organization);
    else this.#byOrganization.set(organization, left);
  }

  add(session: OpenSession): void {
    this.#open.add(session);
    this.counters.opened += 1;
    this.#timer ??= setInterval(() => this.look(), lookMs).unref();
    if (this.#leaving) session.leave();
  }

  delete(session: OpenSession): void {
    if (!this.#open.delete(session)) return;
    if (this.#open.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Normally done by a timer; here for tests. */
  look(): void {
    const nowMs = this.#monotonicMs();
    for (const session of this.#open) session.look(nowMs);
  }

  /** No further one is begun, and those that are open end when they can. */
  leave(): void {
    this.#leaving = true;
    for (const session of this.#open) session.leave();
  }

  closed(code: number): void {
    this.counters.closes.set(code, (this.counters.closes.get(code) ?? 0) + 1);
  }
}
