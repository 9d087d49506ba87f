/**
 * The people and labels of one organization that have caps, as this node counts their spend. A person's caps bind all calls of their keys, a label's
 * the calls that have it. What spends is kept for as long as the node lives, also after its caps are gone: a cap that comes back finds the
 * sums true. An organization without such caps has none of this, and its calls pay one comparison.
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { CountedFor } from '@metergate/core/record/call-record.ts';
import type { OrganizationSettings } from '@metergate/core/account/settings.ts';
import { bindCap, type BindingCap, type BoundCap } from '@metergate/core/spend/cap-decision.ts';
import { addCall, emptySums, type WindowSums } from '@metergate/core/spend/spend-sum.ts';
import type { UncountedSpend } from '@metergate/store/desk/protocol.ts';
import type { CappedSums } from '@metergate/store/spend/spend-sums.ts';
import type { CapLease, LeasedSubject } from './spend-leases.ts';
import type { NodeLeases } from './leases-by-cell.ts';

/** A person or a label. */
export interface CappedSubject {
  readonly scope: CappedSums['scope'];
  readonly subject: string;
  readonly sums: WindowSums;
  /** Null: the store is embedded. */
  readonly leased: LeasedSubject | null;
}

/** What binds a call: caps, and on a shared store their leases. */
export interface Bounds {
  readonly binding: readonly BoundCap[];
  readonly leases: readonly CapLease[];
}

interface CappedLabel extends CappedSubject {
  /** Of the caps in force; replaced whole. */
  bounds: Bounds;
}

const unbound: Bounds = Object.freeze({ binding: [], leases: [] });
/** Most calls have no label that is counted: nothing is made for them. */
const none: CappedLabel[] = [];

export class CappedSubjects {
  readonly #organization: OrganizationId;
  readonly #leases: NodeLeases | null;
  readonly #people = new Map<PersonId, CappedSubject>();
  readonly #labels = new Map<string, CappedLabel>();
  #followed: OrganizationSettings | null = null;

  constructor(organization: OrganizationId, leases: NodeLeases | null) {
    this.#organization = organization;
    this.#leases = leases;
  }

  /** How many labels are counted. */
  get labels(): number {
    return this.#labels.size;
  }

  /** What the store says that one has spent, before this node counts it. */
  told({ scope, subject, sums }: Pick<CappedSums, 'scope' | 'subject' | 'sums'>): void {
    if (scope === 'person') this.#people.set(subject as PersonId, this.#subject(scope, subject, sums));
    else this.#labels.set(subject, { ...this.#subject(scope, subject, sums), bounds: unbound });
    this.#followed = null;
  }

  /** What was spent elsewhere than in a call that this node counted. */
  spent({ scope, subject, startedAtMs, cost }: Pick<UncountedSpend, 'scope' | 'subject' | 'startedAtMs' | 'cost'>): void {
    const found = scope === 'person' ? this.#people.get(subject as PersonId) : this.#labels.get(subject);
    if (found !== undefined) addCall(found.sums, startedAtMs, cost);
  }

  /** Applies changed settings. Does nothing for those applied last. */
  follow(settings: OrganizationSettings): void {
    if (this.#followed === settings) return;
    this.#followed = settings;
    const capped = Map.groupBy(settings.caps.filter(isOfLabel), ({ subject }) => subject);
    for (const [label, found] of this.#labels) if (!capped.has(label)) found.bounds = unbound;
    for (const [label, caps] of capped) {
      let found = this.#labels.get(label);
      if (found === undefined) this.#labels.set(label, found = { ...this.#subject('label', label, emptySums(0)), bounds: unbound });
      found.bounds = this.#boundsOf(found, caps);
    }
  }

  /** A person whose key is used; null: they have no cap, and had none since the node began. */
  person(id: PersonId | null, { caps }: OrganizationSettings): CappedSubject | null {
    if (id === null) return null;
    const known = this.#people.get(id);
    if (known !== undefined || !caps.some(({ scope, subject }) => scope === 'person' && subject === id)) return known ?? null;
    const made = this.#subject('person', id, emptySums(0));
    this.#people.set(id, made);
    return made;
  }

  /** What binds a call with these labels, of which `own` binds all calls of its key. */
  boundsWith(own: Bounds, labels: readonly string[]): Bounds {
    const counted = this.counted(labels);
    if (counted.length === 0) return own;
    const bounds = counted.map((found) => found.bounds).filter(({ binding }) => binding.length > 0);
    return bounds.length === 0 ? own : {
      binding: [own, ...bounds].flatMap(({ binding }) => binding), leases: [own, ...bounds].flatMap(({ leases }) => leases),
    };
  }

  /** Those of these labels that are counted, each once. */
  counted(labels: readonly string[]): readonly CappedLabel[] {
    let counted = none;
    for (const label of labels) {
      const found = this.#labels.get(label);
      if (found === undefined || counted.includes(found)) continue;
      if (counted === none) counted = [found];
      else counted.push(found);
    }
    return counted;
  }

  #subject(scope: CappedSums['scope'], subject: string, sums: WindowSums): CappedSubject {
    return { scope, subject, sums, leased: this.#leases?.subject({ organization: this.#organization, scope, subject }, sums) ?? null };
  }

  #boundsOf({ sums, leased }: CappedSubject, caps: readonly BindingCap[]): Bounds {
    const binding = caps.map((cap) => bindCap(cap, sums));
    if (leased === null) return { binding, leases: [] };
    const leases = binding.map((bound) => this.#leases!.ofCap(bound, leased));
    this.#leases!.confirm(leases);
    return { binding, leases };
  }
}

/** For whom these are counted, as records say it; undefined: for nobody. */
export function countedForOf(capped: readonly CappedSubject[]): CountedFor | undefined {
  if (capped.length === 0) return undefined;
  const person = capped.find(({ scope }) => scope === 'person')?.subject ?? null;
  return { person: person as PersonId | null, labels: capped.flatMap(({ scope, subject }) => (scope === 'label' ? [subject] : [])) };
}

function isOfLabel(cap: { readonly scope: string; readonly subject: string | null }): cap is BindingCap & { readonly subject: string } {
  return cap.scope === 'label' && cap.subject !== null;
}
