/**
 * Single refused calls, kept for days so that one is found by the id that its caller's error showed. They leave no record: what is here may be
 * missing, and counts (`refusal-count.ts`) are complete where these are not. Decision 159.
 */
import type { OrganizationId, RequestId, ServiceKeyId } from '../id.ts';
import type { RefusalReason } from './refusal-count.ts';

/** Nothing of the request but its run's id: no path, no body, no credential. */
export interface RefusalEntry extends RefusalReason {
  readonly organization: OrganizationId;
  readonly key: ServiceKeyId;
  /** `x-svc-request-id` of the answer. */
  readonly id: RequestId;
  /** `x-request-id` of the answer, which SDKs show; the same as `id` on a WebSocket connection, and where no answer could be sent. */
  readonly answerId: RequestId;
  /** The run that the call named; null: none, or headers of a run that could not be read. */
  readonly run: string | null;
  readonly refusedAtMs: number;
}

/** The most entries that wait, from 1. */
export interface RefusalEntryBounds {
  readonly ofKey: number;
  readonly ofOrganization: number;
  readonly all: number;
}

/** Entries on their way, bounded so that the refusals of one key or organization leave room for those of others. The first ones stay. */
export class RefusalEntries {
  readonly #bounds: RefusalEntryBounds;
  #entries: RefusalEntry[] = [];
  #waiting = new Map<ServiceKeyId | OrganizationId, number>();

  constructor(bounds: RefusalEntryBounds) {
    this.#bounds = bounds;
  }

  /** Whether it is kept. */
  add(entry: RefusalEntry): boolean {
    const { key, organization } = entry;
    const { ofKey, ofOrganization, all } = this.#bounds;
    const [withKey, withOrganization] = [(this.#waiting.get(key) ?? 0) + 1, (this.#waiting.get(organization) ?? 0) + 1];
    if (withKey > ofKey || withOrganization > ofOrganization || this.#entries.length >= all) return false;
    this.#waiting.set(key, withKey).set(organization, withOrganization);
    this.#entries.push(entry);
    return true;
  }

  /** What was kept since the last call, in its order. */
  taken(): readonly RefusalEntry[] {
    const entries = this.#entries;
    if (entries.length > 0) {
      this.#entries = [];
      this.#waiting = new Map();
    }
    return entries;
  }
}
