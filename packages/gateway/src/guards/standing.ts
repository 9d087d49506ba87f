/**
 * Where an organization and its keys stand on this node: what they spent, what their rate limits hold, which caps bind.
 * Made from the store's answer when a key is first used, then kept true by the calls that end here and by each change of
 * settings. Rule: an organization's standing is made once and lives as long as the node; a key's as long as a form of it is held or a call of it is
 * under way. A second answer of the store may be older than calls that have ended here since, so its sums are ignored.
 */
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { rateFiguresOf } from '@metergate/core/rate/tier.ts';
import type { OrganizationSettings, ServiceKeySettings } from '@metergate/core/account/settings.ts';
import { bindCap, bindingCapsOf, type BindingScope, type BoundCap } from '@metergate/core/spend/cap-decision.ts';
import type { SpentBeside } from '@metergate/store/spend/spent-beside.ts';
import { addCall, type WindowSums } from '@metergate/core/spend/spend-sum.ts';
import type { KeyAnswer } from '@metergate/store/desk/protocol.ts';
import { CappedSubjects, type CappedSubject } from './capped-subjects.ts';
import type { CapLease, LeasedSubject } from './spend-leases.ts';
import type { NodeLeases } from './leases-by-cell.ts';
import { OrganizationRate, RateLimit, type RateCounters } from './rate-limit.ts';

/** Shared by all keys of an organization. */
interface OrganizationStanding {
  readonly rate: OrganizationRate;
  readonly sums: WindowSums;
  /** Its people and labels that have caps. */
  readonly capped: CappedSubjects;
  /** On a shared store: what this node spent, and its leases. Null: the store is embedded. */
  readonly shared: { readonly leases: NodeLeases; readonly subject: LeasedSubject } | null;
}

/** What the decision about a call reads, and what the end of a call changes. */
export interface KeyStanding {
  readonly organization: OrganizationStanding;
  readonly rate: RateLimit;
  readonly sums: WindowSums;
  /** The person the key belongs to, if they have a cap; null: nobody, or they have none. */
  person: CappedSubject | null;
  /** The caps that bind all calls of this key, in the order in which they refuse. Replaced whole when settings change. */
  binding: readonly BoundCap[];
  /** On a shared store: the organization's and the key's part, and the leases that `binding` depends on. Empty: the store is embedded. */
  readonly subjects: readonly LeasedSubject[];
  leases: readonly CapLease[];
}

export class Standings {
  readonly #organizations = new Map<OrganizationId, OrganizationStanding>();
  readonly #capped = new Map<OrganizationId, CappedSubjects>();
  /** A rotated key has two forms for a while; a key that was disabled may come back while its calls are under way. Both are one key. */
  readonly #keys = new Map<ServiceKeyId, WeakRef<KeyStanding>>();
  readonly #collected = new FinalizationRegistry<ServiceKeyId>((key) => {
    if (this.#keys.get(key)?.deref() === undefined) this.#keys.delete(key);
  });
  readonly #monotonicMs: () => number;
  readonly #counters: RateCounters;
  readonly #leases: NodeLeases | null;

  /** `leases`: null if the store is embedded. */
  constructor(monotonicMs: () => number, counters: RateCounters, leases: NodeLeases | null = null) {
    this.#leases = leases;
    this.#monotonicMs = monotonicMs;
    this.#counters = counters;
  }

  /** The standing of a key that this node did not hold, or held in another form. */
  of(answer: KeyAnswer): KeyStanding {
    const { key, organization } = answer;
    const standing = this.#keys.get(key.id)?.deref() ?? this.#make(answer);
    follow(standing, organization, key);
    return standing;
  }

  /** Work that was billed later is settled, or calls were corrected. Of subjects that are not held, the store's answer will hold it. */
  spentBeside({ organization, key, person, labels, startedAtMs, cost }: SpentBeside): void {
    const capped = this.#capped.get(organization);
    if (capped !== undefined) {
      if (person !== null) capped.spent({ scope: 'person', subject: person, startedAtMs, cost });
      for (const { scope, subject } of capped.counted(labels)) capped.spent({ scope, subject, startedAtMs, cost });
    }
    const sums = [this.#organizations.get(organization)?.sums, this.#keys.get(key)?.deref()?.sums];
    for (const each of sums) if (each !== undefined) addCall(each, startedAtMs, cost);
  }

  /** The people and labels of an organization that have caps. They live as long as the node, whether it holds a key of the organization or not. */
  cappedOf(organization: OrganizationId): CappedSubjects {
    let capped = this.#capped.get(organization);
    if (capped === undefined) this.#capped.set(organization, capped = new CappedSubjects(organization, this.#leases));
    return capped;
  }

  #make({ key, organization: settings, spend }: KeyAnswer): KeyStanding {
    let organization = this.#organizations.get(settings.id);
    if (organization === undefined) {
      organization = {
        rate: new OrganizationRate(rateFiguresOf(settings.plan, settings.agreedFigures), this.#monotonicMs()), sums: spend.organization,
        capped: this.cappedOf(settings.id),
        shared: this.#leases === null ? null : {
          leases: this.#leases, subject: this.#leases.subject({ organization: settings.id, scope: 'organization', subject: '' }, spend.organization),
        },
      };
      this.#organizations.set(settings.id, organization);
    }
    const rate = new RateLimit(organization.rate, this.#counters, this.#monotonicMs());
    const subjects = this.#subjectsOf(organization, settings.id, key.id, spend.key);
    const standing: KeyStanding = { organization, rate, sums: spend.key, person: null, binding: [], subjects, leases: [] };
    this.#keys.set(key.id, new WeakRef(standing));
    this.#collected.register(standing, key.id);
    return standing;
  }

  #subjectsOf({ shared }: OrganizationStanding, organization: OrganizationId, key: ServiceKeyId, sums: WindowSums): LeasedSubject[] {
    return shared === null ? [] : [shared.subject, shared.leases.subject({ organization, scope: 'key', subject: key }, sums)];
  }
}

/** Applies changed settings: figures and caps. What was spent and taken stays. */
export function follow(standing: KeyStanding, settings: OrganizationSettings, key: Pick<ServiceKeySettings, 'id' | 'person'>): void {
  const { rate, sums, capped, shared } = standing.organization;
  rate.figures = rateFiguresOf(settings.plan, settings.agreedFigures);
  capped.follow(settings);
  standing.person = capped.person(key.person, settings);
  const of: { readonly [S in BindingScope]: WindowSums | undefined } = {
    organization: sums, key: standing.sums, person: standing.person?.sums, label: undefined,
  };
  standing.binding = bindingCapsOf(settings.caps, key, settings.enforceKeyCaps).map((cap) => bindCap(cap, of[cap.scope]!));
  if (shared === null) return;
  const [organization, ofKey] = standing.subjects as [LeasedSubject, LeasedSubject];
  const leased: { readonly [S in BindingScope]: LeasedSubject | null | undefined } = {
    organization, key: ofKey, person: standing.person?.leased, label: undefined,
  };
  standing.leases = standing.binding.map((bound) => shared.leases.ofCap(bound, leased[bound.cap.scope]!));
  // A new binding cap neither admits nor refuses until its lease has confirmed it.
  shared.leases.confirm(standing.leases);
}
