/**
 * The leases of a node whose store has cells: a book for each cell, so that claims of one cell go in one batch, cells are asked side by side, and
 * one that is away leaves only its own calls without leases (decision 210). Where there are no cells, this is the one book.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { StoreClient } from '@metergate/store/desk/store-client.ts';
import { SpendLeases, type LeaseCounters, type SpendLeasesOptions } from './spend-leases.ts';

/** What calls and caps use of a node's leases. */
export type NodeLeases = Pick<SpendLeases, Exclude<keyof SpendLeases, 'confirmSoon'>>;

interface LeasesByCellOptions extends Omit<SpendLeasesOptions, 'book' | 'client'> {
  readonly client: Pick<StoreClient, 'claimLeases' | 'shipNow' | 'runsCurrentAt' | 'cellOf'>;
  readonly bookOf: () => SpendLeasesOptions['book'];
}

type Given<Name extends 'subject' | 'ofCap' | 'confirm' | 'confirmsRun' | 'ask' | 'taken' | 'givenBack' | 'settled'> = Parameters<SpendLeases[Name]>;

export class LeasesByCell implements NodeLeases {
  readonly #options: LeasesByCellOptions;
  readonly #byCell = new Map<number, SpendLeases>();
  /** Of the default cell. */
  readonly #first: SpendLeases;

  constructor(options: LeasesByCellOptions) {
    this.#options = options;
    this.#first = this.#at(0);
  }

  subject(...given: Given<'subject'>): ReturnType<SpendLeases['subject']> {
    return this.#of(given[0].organization).subject(...given);
  }

  ofCap(...given: Given<'ofCap'>): ReturnType<SpendLeases['ofCap']> {
    return this.#of(given[1].organization).ofCap(...given);
  }

  confirm(leases: Given<'confirm'>[0]): void {
    if (leases.length > 0) this.#of(leases[0]!.line.organization).confirm(leases);
  }

  confirmsRun(held: Given<'confirmsRun'>[0]): boolean {
    return this.#of(held.run.organization).confirmsRun(held);
  }

  ask(...[leases, held, how]: Given<'ask'>): void {
    const organization = leases[0]?.line.organization ?? held?.run.organization;
    (organization === undefined ? this.#first : this.#of(organization)).ask(leases, held, how);
  }

  taken(call: Given<'taken'>[0]): void {
    this.#ofCall(call).taken(call);
  }

  givenBack(call: Given<'givenBack'>[0]): void {
    this.#ofCall(call).givenBack(call);
  }

  settled(...[call, record]: Given<'settled'>): void {
    this.#ofCall(call).settled(call, record);
  }

  /** Every held lease of the cell must be confirmed. */
  confirmSoon(cell: number): void {
    this.#byCell.get(cell)?.confirmSoon();
  }

  held(): ReturnType<SpendLeases['held']> {
    const sum = { lease_waits: 0, leased_calls: 0 };
    for (const each of this.#byCell.values()) {
      const held = each.held();
      sum.lease_waits += held.lease_waits;
      sum.leased_calls += held.leased_calls;
    }
    return sum;
  }

  get active(): number {
    return this.#sum((each) => each.active);
  }

  get counters(): LeaseCounters {
    return {
      batches: this.#sum(({ counters }) => counters.batches), failures: this.#sum(({ counters }) => counters.failures),
      waits: this.#sum(({ counters }) => counters.waits),
    };
  }

  /** When any cell last answered a claim. */
  get answeredMs(): number | null {
    return [...this.#byCell.values()].reduce<number | null>(
      (latest, { answeredMs }) => (answeredMs === null ? latest : Math.max(latest ?? -Infinity, answeredMs)), null);
  }

  #sum(of: (each: SpendLeases) => number): number {
    let sum = 0;
    for (const each of this.#byCell.values()) sum += of(each);
    return sum;
  }

  #ofCall({ subjects, held }: Given<'taken'>[0]): SpendLeases {
    const organization = subjects[0]?.organization ?? held?.run.organization;
    return organization === undefined ? this.#first : this.#of(organization);
  }

  #of(organization: OrganizationId): SpendLeases {
    const cell = this.#options.client.cellOf(organization);
    return cell === 0 ? this.#first : this.#at(cell);
  }

  #at(cell: number): SpendLeases {
    const known = this.#byCell.get(cell);
    if (known !== undefined) return known;
    const { client, bookOf, ...options } = this.#options;
    const made = new SpendLeases({
      ...options, book: bookOf(),
      client: {
        claimLeases: (batch, claims) => client.claimLeases(batch, claims), shipNow: () => client.shipNow(cell),
        runsCurrentAt: () => client.runsCurrentAt(cell),
      },
    });
    this.#byCell.set(cell, made);
    return made;
  }
}
