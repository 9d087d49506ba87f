/**
 * Where an organization and its keys stand on this node: what they spent, what their rate limits hold, which caps bind.
 * Made from the store's answer when a key is first used, then kept true by the calls that end here and by each change of
 * settings. Rule: an organization's standing is made once and lives as long as the node; a key's as long as a form of it is held or a call of it is
 * under way. A second answer of the store may be older than calls that have ended here since, so its sums are ignored.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { figuresOf } from '@metergate/core/rate/tier.ts';
import type { OrganizationSettings } from '@metergate/core/settings.ts';
import { bindCap, bindingCapsOf, type BoundCap } from '@metergate/core/spend/cap-decision.ts';
import type { SpentBeside } from '@metergate/store/spend/spent-beside.ts';
import { addCall, type WindowSums } from '@metergate/core/spend/spend-sum.ts';
import type { KeyAnswer } from '@metergate/store/desk/protocol.ts';
import type { CapLease, LeasedSubject, SpendLeases } from './spend-leases.ts';
import { OrganizationRate, RateLimit, type RateCounters } from './rate-limit.ts';

/** Shared by all keys of an organization. */
export interface OrganizationStanding {
  readonly rate: OrganizationRate;
  readonly sums: WindowSums;
  /** On a shared store: what this node spent, and its leases. Null: the store is embedded. */
  readonly shared: { readonly leases: SpendLeases; readonly subject: LeasedSubject } | null;
}

/** What the decision about a call reads, and what the end of a call changes. */
export interface KeyStanding {
  readonly organization: OrganizationStanding;
  readonly rate: RateLimit;
  readonly sums: WindowSums;
  /** The caps that bind this key's calls, in the order in which they refuse. Replaced whole when settings change. */
  binding: readonly BoundCap[];
  /** On a shared store: the key's part, and the leases that `binding` depends on. Empty: the store is embedded. */
  readonly subjects: readonly LeasedSubject[];
  leases: readonly CapLease[];
}

export class Standings {
  readonly #organizations = new Map<OrganizationId, OrganizationStanding>();
  /** A rotated key has two forms for a while; a key that was disabled may come back while its calls are under way. Both are one key. */
  readonly #keys = new Map<ServiceKeyId, WeakRef<KeyStanding>>();
  readonly #collected = new FinalizationRegistry<ServiceKeyId>((key) => {
    if (this.#keys.get(key)?.deref() === undefined) this.#keys.delete(key);
  });
  readonly #monotonicMs: () => number;
  readonly #counters: RateCounters;
  readonly #leases: SpendLeases | null;

  /** `leases`: null if the store is embedded. */
  constructor(monotonicMs: () => number, counters: RateCounters, leases: SpendLeases | null = null) {
    this.#leases = leases;
    this.#monotonicMs = monotonicMs;
    this.#counters = counters;
  }

  /** The standing of a key that this node did not hold, or held in another form. */
  of(answer: KeyAnswer): KeyStanding {
    const { key, organization } = answer;
    const standing = this.#keys.get(key.id)?.deref() ?? this.#make(answer);
    follow(standing, organization, key.id);
    return standing;
  }

  /** Work that was billed later is settled, or calls were corrected. Of subjects that are not held, the store's answer will hold it. */
  spentBeside({ organization, key, startedAtMs, cost }: SpentBeside): void {
    const sums = [this.#organizations.get(organization)?.sums, this.#keys.get(key)?.deref()?.sums];
    for (const each of sums) if (each !== undefined) addCall(each, startedAtMs, cost);
  }

  #make({ key, organization: settings, spend }: KeyAnswer): KeyStanding {
    let organization = this.#organizations.get(settings.id);
    if (organization === undefined) {
      organization = {
        rate: new OrganizationRate(figuresOf(settings.plan, settings.agreedFigures), this.#monotonicMs()), sums: spend.organization,
        shared: this.#leases === null ? null : {
          leases: this.#leases, subject: this.#leases.subject({ organization: settings.id, scope: 'organization', subject: '' }, spend.organization),
        },
      };
      this.#organizations.set(settings.id, organization);
    }
    const rate = new RateLimit(organization.rate, this.#counters, this.#monotonicMs());
    const subjects = this.#subjectsOf(organization, settings.id, key.id, spend.key);
    const standing: KeyStanding = { organization, rate, sums: spend.key, binding: [], subjects, leases: [] };
    this.#keys.set(key.id, new WeakRef(standing));
    this.#collected.register(standing, key.id);
    return standing;
  }

  #subjectsOf({ shared }: OrganizationStanding, organization: OrganizationId, key: ServiceKeyId, sums: WindowSums): LeasedSubject[] {
    return shared === null ? [] : [shared.subject, shared.leases.subject({ organization, scope: 'key', subject: key }, sums)];
  }
}

/** Applies changed settings: figures and caps. What was spent and taken stays. */
export function follow(standing: KeyStanding, settings: OrganizationSettings, key: ServiceKeyId): void {
  standing.organization.rate.figures = figuresOf(settings.plan, settings.agreedFigures);
  standing.binding = bindingCapsOf(settings.caps, key, settings.enforceKeyCaps)
    .map((cap) => bindCap(cap, cap.scope === 'key' ? standing.sums : standing.organization.sums));
  const { shared } = standing.organization;
  if (shared === null) return;
  const [ofOrganization, ofKey] = standing.subjects as [LeasedSubject, LeasedSubject];
  standing.leases = standing.binding.map((bound) => shared.leases.ofCap(bound, bound.cap.scope === 'key' ? ofKey : ofOrganization));
  // A new binding cap neither admits nor refuses until its lease has confirmed it.
  shared.leases.confirm(standing.leases);
}
