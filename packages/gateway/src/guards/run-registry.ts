/**
 * The runs that this node holds (rule 14): live ones until they end, ended ones as long as there is room, so that calls of an ended
 * run are refused without asking the store. It is bounded: ended runs are dropped first, live ones only with their organization.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { hasRoomForRun } from '@metergate/core/run/registry-bound.ts';
import { endedFirst, type EndedState, type Run } from '@metergate/core/run/run.ts';

/** A run held here. `run` is replaced whole with each change. */
export interface HeldRun {
  run: Run;
  /** Calls of it that took their limits and have not ended. */
  callsUnderWay: number;
  /** Calls that asked for it and found it, but have not yet taken or left it. */
  callsDeciding: number;
  /** The store knows of an opened call, so the run does not vanish (rule 13). */
  confirmed: boolean;
  /** This node began it without asking: the store learns of it only from the journal. */
  begun: boolean;
  /** Called when its end is written. Null: it is not being written. */
  endWaiters: ((error: Error | null) => void)[] | null;
  /** It ended here, but that is not in the journal yet. If writing failed, the next call of the run tries again and waits for it. */
  endUnwritten: boolean;
  /** Its budget fell, but that is not in the journal yet. If writing failed, the next call of the run tries again. */
  tighteningUnwritten: boolean;
}

interface OrganizationRuns {
  readonly byId: Map<string, HeldRun>;
  live: number;
  /** Runs being asked for, each of which may turn out to be live. */
  awaited: number;
}

export class RunRegistry {
  readonly #capacity: number;
  readonly #organizations = new Map<OrganizationId, OrganizationRuns>();
  /** Ended runs, oldest end first. */
  readonly #ended = new Set<HeldRun>();
  #live = 0;
  #awaited = 0;
  #forgotten: (held: HeldRun) => void = () => {};

  /** `capacity`: `SVC_RUN_REGISTRY_MAX`, from 1. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get live(): number {
    return this.#live;
  }

  /** Rooms reserved for runs that are being asked for. */
  get awaited(): number {
    return this.#awaited;
  }

  get held(): number {
    return this.#live + this.#ended.size;
  }

  find(organization: OrganizationId, id: string): HeldRun | undefined {
    return this.#organizations.get(organization)?.byId.get(id);
  }

  /** Whether one more live run of the organization fits, beside those that are held and those being asked for. */
  hasRoom(organization: OrganizationId): boolean {
    const runs = this.#organizations.get(organization);
    return hasRoomForRun({
      capacity: this.#capacity, live: this.#live + this.#awaited, liveOfOrganization: runs === undefined ? 0 : runs.live + runs.awaited,
    });
  }

  /** A run is being asked for: room is reserved for it until `freeRoom`, before it is held. */
  keepRoom(organization: OrganizationId): void {
    this.#runsOf(organization).awaited += 1;
    this.#awaited += 1;
  }

  freeRoom(organization: OrganizationId): void {
    const runs = this.#runsOf(organization);
    runs.awaited -= 1;
    this.#awaited -= 1;
    this.#dropEmpty(organization, runs);
  }

  /** Takes in the store's answer. A run that is already held stays as it is: this node's state of it is newer. */
  hold(run: Run, confirmed: boolean): HeldRun {
    const runs = this.#runsOf(run.organization);
    const known = runs.byId.get(run.id);
    if (known !== undefined) return known;
    const held: HeldRun = {
      run, callsUnderWay: 0, callsDeciding: 0, confirmed, begun: false, endWaiters: null, endUnwritten: false, tighteningUnwritten: false,
    };
    runs.byId.set(run.id, held);
    if (run.state === 'live') {
      runs.live += 1;
      this.#live += 1;
    } else {
      this.#ended.add(held);
    }
    this.#evict(held);
    return held;
  }

  /** Ends a run here. If it ended twice, the earlier end counts. */
  end(held: HeldRun, state: EndedState, atMs: number): void {
    const before = held.run;
    held.run = endedFirst(before, state, atMs);
    if (before.state !== 'live') return;
    this.#organizations.get(held.run.organization)!.live -= 1;
    this.#live -= 1;
    this.#ended.add(held);
    this.#evict();
  }

  /** Calls back with each run that is forgotten and may be held again later. One listener. */
  onForgotten(listener: (held: HeldRun) => void): void {
    this.#forgotten = listener;
  }

  /** Forgets a live run that no opened call has confirmed. */
  forget(held: HeldRun): void {
    const runs = this.#organizations.get(held.run.organization);
    if (held.run.state !== 'live' || runs?.byId.get(held.run.id) !== held) return;
    runs.live -= 1;
    this.#live -= 1;
    this.#remove(held, runs);
    this.#forgotten(held);
  }

  /**
   * Forgets the runs of an organization that is gone: no call of it is admitted any more, and the store, which no longer has them, will never
   * report their end. Calls under way keep the run they hold.
   */
  forgetAll(organization: OrganizationId): void {
    const runs = this.#organizations.get(organization);
    if (runs === undefined) return;
    for (const held of runs.byId.values()) {
      this.#ended.delete(held);
      this.#forgotten(held);
    }
    this.#live -= runs.live;
    runs.live = 0;
    runs.byId.clear();
    this.#dropEmpty(organization, runs);
  }

  /** Live runs whose time limit has passed at `nowMs`: to be ended if room is short. One walk over all live runs. */
  expiredAt(nowMs: number): HeldRun[] {
    const expired: HeldRun[] = [];
    for (const { byId } of this.#organizations.values()) {
      for (const held of byId.values()) {
        if (held.run.state === 'live' && held.run.expiresAtMs !== null && nowMs >= held.run.expiresAtMs) expired.push(held);
      }
    }
    return expired;
  }

  /** `asked`: the run whose answer has just come, before its callers have received it. */
  #evict(asked: HeldRun | null = null): void {
    for (const held of this.#ended) {
      if (this.held <= this.#capacity) return;
      // A run is kept while its end is unwritten, a call in flight will add to it, or a call is deciding on it.
      if (held === asked || held.endUnwritten || held.callsUnderWay > 0 || held.callsDeciding > 0) continue;
      this.#ended.delete(held);
      this.#remove(held, this.#organizations.get(held.run.organization)!);
    }
  }

  #runsOf(organization: OrganizationId): OrganizationRuns {
    let runs = this.#organizations.get(organization);
    if (runs === undefined) {
      runs = { byId: new Map(), live: 0, awaited: 0 };
      this.#organizations.set(organization, runs);
    }
    return runs;
  }

  #remove(held: HeldRun, runs: OrganizationRuns): void {
    runs.byId.delete(held.run.id);
    this.#dropEmpty(held.run.organization, runs);
  }

  #dropEmpty(organization: OrganizationId, { byId, awaited }: OrganizationRuns): void {
    if (byId.size === 0 && awaited === 0) this.#organizations.delete(organization);
  }
}
